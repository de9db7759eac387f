import type { Experiment } from '../api/types';

// Over all decisions that have an outcome, the default ones included.
export function meanReward({ counts, totals }: Experiment): number | null {
  const outcomes = counts.rewards + counts.defaulted;
  return outcomes > 0 && totals.reward !== null ? totals.reward / outcomes : null;
}

export function inOrder(experiments: Experiment[]): Experiment[] {
  return [...experiments].sort(
    (a, b) => Number(a.state === 'closed') - Number(b.state === 'closed') || a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
}
