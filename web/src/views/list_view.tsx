import { useState } from 'preact/hooks';
import { listExperiments, storedToken } from '../api/client';
import type { Experiment } from '../api/types';
import { usePolling } from '../connection';
import { createCommand } from '../logic/commands';
import { inOrder, meanReward } from '../logic/figures';
import { count, day, number, plural } from '../logic/format';
import { Command } from '../parts/copy';
import { StateChips } from '../parts/state_chips';
import { experimentLink } from '../route';

const listEvery = 2000;
const manyExperiments = 8;

export function ListView() {
  const { value: experiments, error } = usePolling(listExperiments, listEvery);
  const [filter, setFilter] = useState('');
  if (!experiments) {
    return (
      <section class="card empty" aria-busy={!error}>
        <p>{error ? `The experiments cannot be shown: ${error.message}.` : 'Loading the experiments …'}</p>
      </section>
    );
  }
  if (experiments.length === 0) return <NoExperiments />;
  const word = filter.trim().toLowerCase();
  const shown = inOrder(experiments).filter(
    ({ name, description }) => name.toLowerCase().includes(word) || (description ?? '').toLowerCase().includes(word),
  );
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Experiments</h1>
          <p class="subtitle">{summary(experiments)}</p>
        </div>
        {experiments.length > manyExperiments && (
          <input
            class="filter"
            type="search"
            placeholder="Filter by name"
            aria-label="Filter experiments by name or description"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        )}
      </div>
      <ExperimentTable experiments={shown} />
      {shown.length === 0 && <p class="nothing">No experiment matches “{filter}”.</p>}
    </>
  );
}

function summary(experiments: Experiment[]): string {
  const open = experiments.filter(({ state }) => state === 'open').length;
  const degraded = experiments.filter((experiment) => experiment.degraded).length;
  return `${plural(experiments.length, 'experiment')}, ${open} open${degraded ? `, ${degraded} degraded` : ''}`;
}

function ExperimentTable({ experiments }: { experiments: Experiment[] }) {
  return (
    <div class="card table-card">
      <table class="experiments">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col" class="figure">Decisions</th>
            <th scope="col" class="figure">Rewards</th>
            <th scope="col" class="figure">Pending</th>
            <th scope="col" class="figure">Mean reward</th>
            <th scope="col" class="figure">Created</th>
          </tr>
        </thead>
        <tbody>
          {experiments.map((experiment) => (
            <ExperimentRow key={experiment.name} experiment={experiment} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ExperimentRow({ experiment }: { experiment: Experiment }) {
  const { name, description, counts, created } = experiment;
  return (
    <tr>
      <th scope="row">
        <a class="row-link" href={experimentLink(name)}>
          {name}
        </a>
        {description && <span class="description">{description}</span>}
      </th>
      <td>
        <StateChips experiment={experiment} />
      </td>
      <td class="figure" data-label="Decisions">{count(counts.decisions)}</td>
      <td class="figure" data-label="Rewards">{count(counts.rewards + counts.defaulted)}</td>
      <td class="figure" data-label="Pending">{count(counts.pending)}</td>
      <td class="figure" data-label="Mean reward">{number(meanReward(experiment))}</td>
      <td class="figure" data-label="Created">{day(created)}</td>
    </tr>
  );
}

function NoExperiments() {
  const base = new URL('.', location.href).href;
  return (
    <section class="card empty">
      <h1>No experiments yet</h1>
      <p>An experiment is one thing to be decided again and again. This creates the first one; it appears here at once:</p>
      <Command text={createCommand(base, storedToken() !== '')} label="Command that creates an experiment" />
      <p class="hint">
        The spec says how to learn and to choose: <code>ridgerunner spec --list</code> shows the presets.
      </p>
    </section>
  );
}
