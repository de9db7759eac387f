import type uPlot from 'uplot';
import { tick } from '../logic/format';
import { colour } from '../theme';

const font = '11px -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

function look(): Partial<uPlot.Axis> {
  return {
    stroke: () => colour('ink-quiet'),
    font,
    ticks: { show: false },
    grid: { stroke: () => colour('grid'), width: 1 },
  };
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function timeTicks(splits: number[], step: number): string[] {
  return splits.map((split) => {
    const date = new Date(split * 1000);
    if (step >= 86400) return `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`;
    return step >= 60 ? minutes : `${minutes}:${two(date.getSeconds())}`;
  });
}

function numberTicks(splits: number[]): string[] {
  const step = splits.length > 1 ? Math.abs(splits[1]! - splits[0]!) : Math.abs(splits[0] ?? 1);
  return splits.map((split) => tick(split, step));
}

const minute = 60;
const hour = 60 * minute;
const timeSteps = [1, 2, 5, 10, 30, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute]
  .concat([1, 2, 3, 6, 12, 24, 48, 7 * 24, 28 * 24, 364 * 24].map((hours) => hours * hour));

export function timeAxis(): uPlot.Axis {
  return { ...look(), size: 26, gap: 4, space: 64, incrs: timeSteps, values: (_, splits, _axis, _space, step) => timeTicks(splits, step) };
}

export function numberAxis(): uPlot.Axis {
  return { ...look(), size: 26, gap: 4, space: 60, values: (_, splits) => numberTicks(splits) };
}

// The same width for every chart, so that the charts of a column line up.
export function valueAxis(whole = false): uPlot.Axis {
  const steps = [1, 2, 5].flatMap((digit) => Array.from({ length: 12 }, (_, power) => digit * 10 ** power)).sort((a, b) => a - b);
  return { ...look(), size: 46, gap: 6, space: 34, values: (_, splits) => numberTicks(splits), ...(whole ? { incrs: steps } : {}) };
}
