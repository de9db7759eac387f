import type { Experiment } from '../api/types';

export function StateChips({ experiment }: { experiment: Experiment }) {
  return (
    <span class="chips">
      <span class={`chip ${experiment.state}`}>{experiment.state}</span>
      {experiment.degraded && <span class="chip degraded">degraded</span>}
    </span>
  );
}
