import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, explain } from '../api/client';
import type { Decision, ExplainedDecision } from '../api/types';
import { IntervalTable } from '../charts/interval_table';
import { reasonFor } from '../logic/explain';
import { clock, count, number, percent } from '../logic/format';
import type { Rule } from '../logic/spec';

interface Props {
  panel: RefObject<HTMLElement>;
  name: string;
  id: string | null;
  rule: Rule;
  latest: Decision | undefined; // the same decision as the stream has it
}

interface Found {
  id: string;
  decision: ExplainedDecision | null;
  error: string | null;
}

const outcomeEvery = 5000;

// Asks again while the outcome is open. The explanation stays the first one given, even if the service forgets the decision:
// a text that is being read does not change.
function useExplanation(name: string, id: string | null, status: string | undefined): Found | null {
  const [found, setFound] = useState<Found | null>(null);
  const [round, setRound] = useState(0);
  const open = found?.id === id && (found.decision?.status === 'pending' || found.decision?.status === 'deferred');
  useEffect(() => {
    if (!open) return undefined;
    const timer = window.setInterval(() => setRound((value) => value + 1), outcomeEvery);
    return () => window.clearInterval(timer);
  }, [id, open]);
  useEffect(() => {
    if (id === null) return undefined;
    const abort = new AbortController();
    explain(name, id, abort.signal).then(
      (decision) =>
        setFound((before) => {
          const earlier = before?.id === id ? before.decision?.explanation : undefined;
          return { id, decision: { ...decision, explanation: earlier ?? decision.explanation }, error: null };
        }),
      (error: unknown) => {
        if (abort.signal.aborted || !(error instanceof ApiError)) return;
        setFound((before) => (before?.id === id && before.decision ? before : { id, decision: null, error: error.message }));
      },
    );
    return () => abort.abort();
  }, [name, id, status, round]);
  return found;
}

export function ExplanationPanel({ panel, name, id, rule, latest }: Props) {
  const found = useExplanation(name, id, latest?.status);
  const decision = found?.decision ?? null;
  return (
    <aside class="card explanation" ref={panel} aria-labelledby="why-title">
      <h3 id="why-title">Why this action</h3>
      {decision ? (
        <Explained decision={decision} rule={rule} />
      ) : (
        <p class="nothing">{found?.error ? `No explanation: ${found.error}.` : 'Select a decision to see why it was made.'}</p>
      )}
    </aside>
  );
}

function Explained({ decision, rule }: { decision: ExplainedDecision; rule: Rule }) {
  const reason = reasonFor(decision, rule);
  return (
    <>
      <p class="event-line">
        <b>{decision.event_id}</b> at {clock(decision.time)}
      </p>
      <div aria-live="polite">
        <p class="headline">{reason.headline}</p>
        <p class="reason">{reason.sentences.join(' ')}</p>
        <p class="reason outcome">{reason.outcome}</p>
      </div>
      <IntervalTable explanation={decision.explanation} />
      <dl class="facts small">
        <div>
          <dt>Propensity</dt>
          <dd>{percent(decision.propensity)}</dd>
        </div>
        <div>
          <dt>Decided by model</dt>
          <dd>{count(decision.version)}</dd>
        </div>
        <div>
          <dt>Explained by model</dt>
          <dd>{count(decision.explanation.version)}</dd>
        </div>
        <div class="state">
          <dt>State</dt>
          <dd>[{decision.state.map((value) => number(value, 3)).join(', ')}]</dd>
        </div>
      </dl>
    </>
  );
}
