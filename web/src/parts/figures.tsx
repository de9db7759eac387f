import type { ComponentChildren } from 'preact';
import type { LiveState } from '../api/types';
import { meanReward } from '../logic/figures';
import { count, duration, number, rate } from '../logic/format';

export function Figures({ live }: { live: LiveState }) {
  const { counts, model, rates } = live;
  return (
    <dl class="figures" aria-label="Figures">
      <Figure name="Decisions" value={count(counts.decisions)} note={`${rate(rates.decisions)} a second`} />
      <Figure name="Rewards" value={count(counts.rewards + counts.defaulted)} note={`${rate(rates.rewards)} a second`} />
      <Figure name="Mean reward" value={number(meanReward(live))} note={defaults(live)} />
      <Figure name="Pending rewards" value={count(counts.pending)} note={waiting(live)} />
      <Figure name="Dictionary" value={count(model.anchors)} note={`effective dimension ${number(model.effective_dimension, 3)}`} />
      <Figure name="Confidence radius" value={number(model.radius)} note={radiusNote(live)} />
    </dl>
  );
}

function defaults({ counts }: LiveState): string {
  if (counts.defaulted > 0) return `${count(counts.defaulted)} by default`;
  return counts.expired > 0 ? `${count(counts.expired)} expired` : 'over all outcomes';
}

function waiting({ counts, reward_deadline_seconds: deadline }: LiveState): string {
  if (counts.deferred > 0) return `and ${count(counts.deferred)} not shown yet`;
  return deadline === null ? 'no deadline' : `deadline ${duration(deadline * 1000)}`;
}

function radiusNote({ model }: LiveState): string {
  if (model.radius !== null) return 'times sd';
  return model.t === 0 ? 'no data yet' : 'not a single radius';
}

function Figure({ name, value, note }: { name: string; value: string; note: ComponentChildren }) {
  return (
    <div class="figure-tile">
      <dt>{name}</dt>
      <dd>
        <span class="figure-value">{value}</span>
        <span class="figure-note">{note}</span>
      </dd>
    </div>
  );
}
