import { useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { number } from '../logic/format';
import { extent, type Column } from '../logic/series';
import { steadyScale, type Range } from '../logic/slice';
import { colour } from '../theme';
import { numberAxis, valueAxis } from './axes';
import { Plot } from './plot';

export interface PosteriorCurve {
  places: number[];
  mean: Column;
  lower: Column;
  upper: Column;
}

interface Props {
  curve: PosteriorCurve;
  dimension: string;
  marks: number[]; // where recent decisions were made
  base: number; // where the base point is
}

const height = 300;

export function PosteriorChart({ curve, dimension, marks, base }: Props) {
  const [cursor, setCursor] = useState<number | null>(null);
  const drawn = useRef({ marks, base });
  drawn.current = { marks, base };
  const held = useRef<{ dimension: string; range: Range } | null>(null);
  if (held.current?.dimension !== dimension) held.current = null;
  const range = () => {
    const found = extent([...curve.lower, ...curve.upper, ...curve.mean]);
    const scale = steadyScale(found, held.current?.range ?? null);
    held.current = { dimension, range: scale };
    return scale;
  };
  const latestRange = useRef(range);
  latestRange.current = range;
  const at = cursor !== null && cursor < curve.places.length ? cursor : nearest(curve.places, base);
  // New marks are new data: the plot draws both or neither.
  const data = useMemo(() => [curve.places, curve.lower, curve.upper, curve.mean] as uPlot.AlignedData, [curve, marks, base]);
  const options = () => posteriorOptions(() => latestRange.current(), (self) => drawMarks(self, drawn.current.marks, drawn.current.base));
  return (
    <>
      <div class="readings posterior-reading" aria-live={cursor === null ? 'off' : 'polite'}>
        <span class="reading">
          <span class="reading-name">{cursor === null ? 'at the base point' : `${dimension} =`}</span>
          <span class="reading-value">{number(curve.places[at], 3)}</span>
        </span>
        <span class="reading">
          <span class="swatch blue" aria-hidden="true" />
          <span class="reading-name">mean</span>
          <span class="reading-value">{number(curve.mean[at], 3)}</span>
        </span>
        <span class="reading">
          <span class="swatch band" aria-hidden="true" />
          <span class="reading-name">band</span>
          <span class="reading-value wide">
            {number(curve.lower[at], 3)} to {number(curve.upper[at], 3)}
          </span>
        </span>
      </div>
      <Plot options={options} recipe="posterior" data={data} height={height} label={described(curve, dimension, marks)} onCursor={setCursor} />
    </>
  );
}

function nearest(places: number[], value: number): number {
  let best = 0;
  places.forEach((place, index) => {
    if (Math.abs(place - value) < Math.abs(places[best]! - value)) best = index;
  });
  return best;
}

function described({ places, mean, lower, upper }: PosteriorCurve, dimension: string, marks: number[]): string {
  const top = mean.reduce<number>((best, value, index) => ((value ?? -Infinity) > (mean[best] ?? -Infinity) ? index : best), 0);
  const band = `the band there goes from ${number(lower[top], 3)} to ${number(upper[top], 3)}`;
  return `Posterior along ${dimension}, from ${number(places[0], 3)} to ${number(places[places.length - 1], 3)}. The mean is largest, ${number(mean[top], 3)}, at ${number(places[top], 3)}; ${band}. ${marks.length} recent decisions are marked. Arrow keys read single points.`;
}

function posteriorOptions(range: () => Range, draw: (plot: uPlot) => void): Omit<uPlot.Options, 'width' | 'height'> {
  const edge = { stroke: () => colour('band-edge'), width: 1, pxAlign: 0, points: { show: false } };
  return {
    legend: { show: false },
    padding: [8, 10, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: false, range: (_, low, high) => [low, high] }, y: { range: () => range() } },
    axes: [numberAxis(), valueAxis()],
    series: [{}, edge, edge, { stroke: () => colour('blue'), width: 2.25, pxAlign: 0, points: { show: false } }],
    bands: [{ series: [2, 1], fill: () => colour('band') }],
    hooks: { draw: [draw] },
  };
}

// A tick at the bottom for every recent decision, and a line through the base point.
function drawMarks(plot: uPlot, marks: number[], base: number): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const bottom = bbox.top + bbox.height;
  const inside = (x: number) => x >= bbox.left - 1 && x <= bbox.left + bbox.width + 1;
  ctx.save();
  ctx.lineWidth = 2 * ratio;
  ctx.strokeStyle = colour('orange');
  for (const mark of marks) {
    const x = plot.valToPos(mark, 'x', true);
    if (!inside(x)) continue;
    ctx.beginPath();
    ctx.moveTo(x, bottom);
    ctx.lineTo(x, bottom - 9 * ratio);
    ctx.stroke();
  }
  const x = plot.valToPos(base, 'x', true);
  if (inside(x)) {
    ctx.lineWidth = 1.25 * ratio;
    ctx.strokeStyle = colour('ink-quiet');
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bottom);
    ctx.stroke();
  }
  ctx.restore();
}
