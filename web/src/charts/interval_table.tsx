import { useState } from 'preact/hooks';
import type { Candidate, Explanation } from '../api/types';
import { plottedCandidates, sameAction } from '../logic/explain';
import { number } from '../logic/format';
import { extent } from '../logic/series';

const rowsAtFirst = 10;

// Every candidate's band with its mean, best upper bound first. A table, so that it can be read without seeing it.
export function IntervalTable({ explanation }: { explanation: Explanation }) {
  const [all, setAll] = useState(false);
  const { candidates, chosen, runner_up: runnerUp } = explanation;
  const rows = plottedCandidates(explanation, all ? candidates.length : rowsAtFirst);
  const span = extent(rows.flatMap(({ lower, upper, mean }) => [lower, upper, mean])) ?? [0, 1];
  return (
    <>
      <table class="intervals">
        <thead>
          <tr>
            <th scope="col">Candidate</th>
            <th scope="col">
              <span class="hidden">Band</span>
              <span class="interval-scale" aria-hidden="true">
                <span>{number(span[0], 3)}</span>
                <span>{number(span[1], 3)}</span>
              </span>
            </th>
            <th scope="col" class="figure">Mean</th>
            <th scope="col" class="figure">Upper</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((candidate) => (
            <IntervalRow key={candidate.index} candidate={candidate} span={span} mark={markOf(candidate, chosen, runnerUp)} />
          ))}
        </tbody>
      </table>
      {candidates.length > rowsAtFirst && (
        <button type="button" class="quiet more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Fewer' : `All ${candidates.length} candidates`}
        </button>
      )}
    </>
  );
}

function markOf(candidate: Candidate, chosen: Candidate, runnerUp: Candidate | null): string {
  if (sameAction(candidate, chosen)) return 'chosen';
  return sameAction(candidate, runnerUp) ? 'runner-up' : '';
}

function IntervalRow({ candidate, span, mark }: { candidate: Candidate; span: [number, number]; mark: string }) {
  const { index, id, mean, lower, upper } = candidate;
  const place = (value: number) => ((value - span[0]) / (span[1] - span[0] || 1)) * 100;
  return (
    <tr class={mark}>
      <th scope="row" title={id ?? String(index)}>
        <span class="candidate-name">{id ?? index}</span>
        {mark && <span class="candidate-mark">{mark}</span>}
      </th>
      <td>
        <span class="interval" aria-hidden="true">
          {lower !== null && upper !== null && (
            <span class="interval-band" style={{ left: `${place(lower)}%`, width: `${Math.max(0.5, place(upper) - place(lower))}%` }} />
          )}
          {mean !== null && <span class="interval-mean" style={{ left: `${place(mean)}%` }} />}
        </span>
      </td>
      <td class="figure">{number(mean, 3)}</td>
      <td class="figure">{number(upper, 3)}</td>
    </tr>
  );
}
