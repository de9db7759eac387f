// A line through the space of states: one dimension moves, the others stay at a base point.

export type Range = [number, number];

export function sliceStates(base: number[], dimension: number, range: Range, points: number): number[][] {
  return slicePlaces(range, points).map((place) => base.map((value, index) => (index === dimension ? place : value)));
}

export function slicePlaces([from, to]: Range, points: number): number[] {
  return Array.from({ length: points }, (_, index) => from + ((to - from) * index) / (points - 1));
}

// A round range around what has been seen along the dimension, never narrower than `held` unless that was far too wide.
export function coveringRange(seen: number[], held: Range | null): Range {
  const finite = seen.filter(Number.isFinite);
  if (finite.length === 0) return held ?? [0, 1];
  let low = Math.min(...finite);
  let high = Math.max(...finite);
  if (low === high) {
    low -= 0.5;
    high += 0.5;
  }
  const wanted = roundOut(low, high);
  if (!held) return wanted;
  const covers = held[0] <= low && held[1] >= high;
  const tooWide = held[1] - held[0] > 2.5 * (wanted[1] - wanted[0]);
  return covers && !tooWide ? held : wanted;
}

function roundOut(low: number, high: number): Range {
  const margin = (high - low) * 0.05;
  const step = 10 ** Math.floor(Math.log10((high - low) / 4));
  const from = Math.floor((low - margin) / step) * step;
  const to = Math.ceil((high + margin) / step) * step;
  return [clean(from), clean(to)];
}

function clean(value: number): number {
  return Number(value.toPrecision(10));
}

// A vertical scale that grows with the data at once but shrinks only when more than half of it is empty.
export function steadyScale(extent: Range | null, held: Range | null): Range {
  if (!extent) return held ?? [0, 1];
  const [low, high] = extent;
  const size = high - low || Math.max(Math.abs(high), 1) * 0.2;
  const wanted: Range = [low - size * 0.12, high + size * 0.12];
  if (!held) return wanted;
  const fits = held[0] <= low && held[1] >= high;
  return fits && held[1] - held[0] < 2 * (wanted[1] - wanted[0]) ? held : wanted;
}
