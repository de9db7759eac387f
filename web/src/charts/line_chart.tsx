import { useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { clock, count, duration } from '../logic/format';
import { extent, lastOf, type Axis, type Column } from '../logic/series';
import { steadyScale, type Range } from '../logic/slice';
import { colour } from '../theme';
import { numberAxis, timeAxis, valueAxis } from './axes';
import { Plot } from './plot';

export interface Line {
  name: string;
  colour: string;
  dashed?: boolean;
}

interface Props {
  title: string;
  note: string;
  axis: Axis;
  data: [number[], ...Column[]];
  lines: Line[];
  format: (value: number | null) => string;
  whole?: boolean;
  fromZero?: boolean;
  emptyText?: string;
}

const height = 168;
export const cursorGroup = 'experiment';

export function LineChart({ title, note, axis, data, lines, format, whole = false, fromZero = false, emptyText = 'No data yet' }: Props) {
  const [cursor, setCursor] = useState<number | null>(null);
  const held = useRef<Range | null>(null);
  const options = () => lineOptions(axis, lines, whole, (low, high) => valueRange(low, high, fromZero, whole, held));
  const columns = data.slice(1) as Column[];
  const label = useMemo(() => `${title}. ${described(axis, data, lines, format)}`, [data, axis]);
  const at = cursor !== null && cursor < data[0].length ? cursor : null;
  const empty = columns.every((column) => lastOf(column) === null);
  return (
    <figure class="card chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="chart-note">{at === null ? note : place(axis, data[0][at]!)}</span>
      </figcaption>
      <div class="readings" aria-live={at === null ? 'off' : 'polite'}>
        {lines.map((line, index) => (
          <span class="reading" key={line.name}>
            {lines.length > 1 && <span class={`swatch ${line.colour} ${line.dashed ? 'dashed' : ''}`} aria-hidden="true" />}
            {lines.length > 1 && <span class="reading-name">{line.name}</span>}
            <span class="reading-value">{format(at === null ? lastOf(columns[index]!) : (columns[index]![at] ?? null))}</span>
          </span>
        ))}
      </div>
      <Plot options={options} recipe={axis} data={data as uPlot.AlignedData} height={height} label={label} onCursor={setCursor} />
      {empty && <p class="chart-empty">{emptyText}</p>}
    </figure>
  );
}

function place(axis: Axis, value: number): string {
  return axis === 'time' ? `at ${clock(value * 1000)}` : `after ${count(value)} decisions`;
}

// What the picture shows, for those who do not see it.
function described(axis: Axis, data: [number[], ...Column[]], lines: Line[], format: (value: number | null) => string): string {
  const places = data[0];
  if (places.length < 2) return 'No data yet.';
  const span = places[places.length - 1]! - places[0]!;
  const over = axis === 'time' ? `the last ${duration(span * 1000)}` : `${count(span)} decisions`;
  const parts = lines.map((line, index) => {
    const column = data[index + 1] as Column;
    const range = extent(column);
    if (!range) return `${line.name}: none.`;
    return `${line.name}: now ${format(lastOf(column))}, between ${format(range[0])} and ${format(range[1])} over ${over}.`;
  });
  return `${parts.join(' ')} Arrow keys read single points.`;
}

function valueRange(low: number | null, high: number | null, fromZero: boolean, whole: boolean, held: { current: Range | null }): Range {
  if (low === null || high === null) return held.current ?? [0, 1];
  const found: Range = fromZero ? [Math.min(0, low), Math.max(0, high)] : [low, high];
  if (whole) found[1] = Math.max(found[1], found[0] + 2);
  const [bottom, top] = (held.current = steadyScale(found, held.current));
  if (!fromZero) return [bottom, top];
  return [low >= 0 ? 0 : bottom, high <= 0 && low < 0 ? 0 : top];
}

// A single point gets some room around it.
function placeRange(axis: Axis, low: number | null, high: number | null): Range {
  if (low === null || high === null) return [0, 1];
  const room = axis === 'time' ? 30 : 1;
  return low < high ? [low, high] : [low - room, high + room];
}

function lineOptions(axis: Axis, lines: Line[], whole: boolean, range: (low: number | null, high: number | null) => Range) {
  return {
    legend: { show: false },
    padding: [8, 10, 0, 0] as uPlot.Padding,
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: cursorGroup }, points: { size: 7 } },
    scales: {
      x: { time: axis === 'time', range: (_: uPlot, low: number | null, high: number | null) => placeRange(axis, low, high) },
      y: { range: (_: uPlot, low: number | null, high: number | null) => range(low, high) },
    },
    axes: [axis === 'time' ? timeAxis() : numberAxis(), valueAxis(whole)],
    series: [
      {},
      ...lines.map((line) => ({
        stroke: () => colour(line.colour),
        width: 1.75,
        pxAlign: 0,
        ...(line.dashed ? { dash: [5, 4] } : {}),
        ...(whole ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}), // counts do not pass through fractions
        points: { show: (self: uPlot) => self.data[0].length < 3 },
        spanGaps: false,
      })),
    ],
  } as Omit<uPlot.Options, 'width' | 'height'>;
}
