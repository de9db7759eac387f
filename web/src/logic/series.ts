// The history of one experiment as columns of equal length, continued by live states.

import type { History, LiveState } from '../api/types';

export type Series = History;
export type Column = (number | null)[];

const names = ['time', 'seq', 'decisions', 'rewards', 'reward', 'estimated_regret', 'anchors', 'radius', 'pending'] as const;

export const limit = 1024;

export function emptySeries(): Series {
  return Object.fromEntries(names.map((name) => [name, []])) as unknown as Series;
}

function pick(series: Series, keep: (index: number) => boolean): Series {
  const columns = names.map((name) => [name, (series[name] as Column).filter((_, index) => keep(index))]);
  return Object.fromEntries(columns) as unknown as Series;
}

// When what the state tells came about. While nothing happens, that was with the newest decision, not just now.
function timeOf({ time, rates, recent }: LiveState): number {
  const idle = rates.decisions === 0 && rates.rewards === 0 && recent[0] !== undefined;
  return Date.parse(idle ? recent[0]!.time : time);
}

function pointOf(state: LiveState, notBefore: number): Series {
  return {
    time: [Math.max(timeOf(state), notBefore)],
    seq: [state.last_event],
    decisions: [state.counts.decisions],
    rewards: [state.counts.rewards + state.counts.defaulted], // as the history has it
    reward: [state.totals.reward],
    estimated_regret: [state.totals.estimated_regret],
    anchors: [state.model.anchors],
    radius: [state.model.radius],
    pending: [state.counts.pending],
  };
}

// What `next` knows beyond `series`. A later word on the same event replaces the earlier one.
export function join(series: Series, next: Series): Series {
  const start = next.seq[0];
  if (start === undefined) return series;
  const head = pick(series, (index) => series.seq[index]! < start);
  const joined = names.map((name) => [name, [...(head[name] as Column), ...(next[name] as Column)]]);
  return thin(Object.fromEntries(joined) as unknown as Series);
}

export function append(series: Series, state: LiveState): Series {
  const end = series.seq.length - 1;
  if (end >= 0 && state.last_event < series.seq[end]!) return series;
  return join(series, pointOf(state, series.time[end] ?? 0));
}

// A fresh history, continued by the live points that came after it was written.
export function rebase(series: Series, fresh: History): Series {
  const end = fresh.seq[fresh.seq.length - 1];
  if (end === undefined) return series;
  return join(fresh, pick(series, (index) => series.seq[index]! > end));
}

// At most `limit` points: every other one of the older three quarters goes, first and last stay.
function thin(series: Series): Series {
  const length = series.time.length;
  if (length <= limit) return series;
  const recent = Math.floor((length * 3) / 4);
  return pick(series, (index) => index % 2 === 0 || index >= recent);
}

export type Axis = 'time' | 'decisions';

// Columns over a strictly increasing axis; the last of several points at one place counts.
// Time in seconds. A clock that was put back makes no loops: its points are left out.
export function over(series: Series, axis: Axis, columns: Column[]): [number[], ...Column[]] {
  const places = axis === 'time' ? series.time.map((time) => time / 1000) : series.decisions;
  const keep: number[] = [];
  for (let index = 0; index < places.length; index++) {
    const last = keep[keep.length - 1];
    if (last === undefined || places[index]! > places[last]!) keep.push(index);
    else if (places[index] === places[last]) keep[keep.length - 1] = index;
  }
  return [keep.map((index) => places[index]!), ...columns.map((column) => keep.map((index) => column[index] ?? null))];
}

// Events a second at every point, counted over the last `window` milliseconds, or since the point before if that is longer.
export function rates(time: number[], counts: number[], window: number): Column {
  let from = 0;
  return time.map((now, index) => {
    if (index === 0) return null;
    while (from + 1 < index && time[from + 1]! <= now - window) from++;
    const elapsed = (now - time[from]!) / 1000;
    return elapsed > 0 ? Math.max(0, (counts[index]! - counts[from]!) / elapsed) : null;
  });
}

export function rateWindow(time: number[]): number {
  if (time.length < 2) return 5000;
  return Math.max(5000, (time[time.length - 1]! - time[0]!) / 100);
}

export function lastOf(column: Column): number | null {
  for (let index = column.length - 1; index >= 0; index--) {
    const value = column[index];
    if (value !== null && value !== undefined) return value;
  }
  return null;
}

export function extent(column: Column): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const value of column) {
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : null;
}
