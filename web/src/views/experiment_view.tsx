import { useEffect, useState } from 'preact/hooks';
import { storedToken, type ApiError } from '../api/client';
import type { Experiment, LiveState } from '../api/types';
import { decideCommand } from '../logic/commands';
import { day, number } from '../logic/format';
import { policyName, ruleOf } from '../logic/spec';
import { Banner } from '../parts/banner';
import { Command } from '../parts/copy';
import { Figures } from '../parts/figures';
import { ModelTable, SpecTable } from '../parts/tables';
import { StateChips } from '../parts/state_chips';
import { Charts } from './charts_section';
import { Decisions } from './decisions_section';
import { Posterior } from './posterior_section';
import { Shares } from './shares_section';
import { useExperiment } from './use_experiment';

export function ExperimentView({ name }: { name: string }) {
  const { experiment, live, series, connection, error } = useExperiment(name);
  const [selected, setSelected] = useState<string | null>(null);
  const newest = live?.recent[0]?.event_id ?? null;
  useEffect(() => {
    if (selected === null && newest !== null) setSelected(newest);
  }, [selected, newest]);
  if (!live) return <Waiting name={name} error={error} />;
  const spec = experiment?.spec;
  return (
    <>
      <Head live={live} spec={spec} connected={connection.phase === 'live'} />
      <Warnings live={live} />
      <Figures live={live} />
      {live.counts.decisions === 0 ? (
        <FirstDecision name={name} closed={live.state === 'closed'} />
      ) : (
        <>
          <Charts series={series} />
          <div class="split">
            <Shares shares={live.shares} />
            <Posterior live={live} spec={spec} selected={selected} />
          </div>
          <Decisions name={name} recent={live.recent} rule={ruleOf(spec)} selected={selected} select={setSelected} />
        </>
      )}
      <div class="split halves">
        <ModelTable live={live} />
        <SpecTable spec={spec} />
      </div>
    </>
  );
}

function Waiting({ name, error }: { name: string; error: ApiError | null }) {
  const missing = error?.status === 404;
  return (
    <section class="card empty" aria-busy={!error}>
      <h1>{name}</h1>
      <p>{missing ? 'There is no experiment of this name.' : error ? `It cannot be shown: ${error.message}.` : 'Loading …'}</p>
      {error && (
        <p>
          <a href="#/">All experiments</a>
        </p>
      )}
    </section>
  );
}

function Head({ live, spec, connected }: { live: LiveState; spec: Experiment['spec']; connected: boolean }) {
  return (
    <div class="page-head">
      <div>
        <p class="crumb">
          <a href="#/">Experiments</a>
        </p>
        <h1>
          {live.name} <StateChips experiment={live} />
        </h1>
        {live.description && <p class="subtitle">{live.description}</p>}
      </div>
      <dl class="facts">
        <div>
          <dt>Policy</dt>
          <dd>{spec ? policyName(spec) : '–'}</dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>{day(live.created)}</dd>
        </div>
        <div>
          <dt>Stream</dt>
          <dd class={connected ? 'beat on' : 'beat'}>{connected ? 'live' : 'waiting'}</dd>
        </div>
      </dl>
    </div>
  );
}

function Warnings({ live }: { live: LiveState }) {
  const { degraded, model, state } = live;
  return (
    <>
      {degraded && (
        <Banner
          kind="warning"
          title={`Degraded: ${degraded.skipped === 1 ? 'one event was' : `${degraded.skipped} events were`} left out of the model, the first at ${degraded.seq}.`}
          text={degraded.message}
        />
      )}
      {model.empty_since !== null && (
        <Banner
          kind="warning"
          title={`The confidence set has been empty since round ${model.empty_since}.`}
          text="The data contradict the assumptions: norm_bound or noise_bound is too small, or the kernel does not fit."
        />
      )}
      {model.noise_crossed && (
        <Banner
          kind="warning"
          title="The bounds on the noise have crossed."
          text={`The lower one, ${number(model.noise_lower)}, is above the upper one, ${number(model.noise_upper)}: the assumptions do not fit the data.`}
        />
      )}
      {state === 'closed' && (
        <Banner kind="note" title="Closed: it makes no more decisions. Rewards of earlier decisions are still taken." />
      )}
    </>
  );
}

function FirstDecision({ name, closed }: { name: string; closed: boolean }) {
  if (closed) return null;
  const base = new URL('.', location.href).href;
  return (
    <section class="card empty">
      <h2>No decisions yet</h2>
      <p>Ask for the first one; it appears here within a second:</p>
      <Command text={decideCommand(base, name, storedToken() !== '')} label="Command that asks for a decision" />
    </section>
  );
}
