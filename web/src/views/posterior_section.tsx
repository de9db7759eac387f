import { useEffect, useMemo, useState } from 'preact/hooks';
import { PosteriorChart } from '../charts/posterior_chart';
import type { Experiment, LiveState } from '../api/types';
import { contextDimension } from '../logic/spec';
import { coveringRange, type Range } from '../logic/slice';
import { Choice } from '../parts/choice';
import { useCurve, useStates, type SeenState } from './use_posterior';

interface Props {
  live: LiveState;
  spec: Experiment['spec'];
  selected: string | null;
}

type Base = 'selected' | 'latest';

export function Posterior({ live, spec, selected }: Props) {
  const names = dimensionNames(live.model.dimension ?? 1, contextDimension(spec));
  const [dimension, setDimension] = useState(0);
  const [base, setBase] = useState<Base>('selected');
  const [range, setRange] = useState<Range>([0, 1]);
  const [edited, setEdited] = useState(false);
  const seen = useStates(live.name, live.recent, selected);
  const point = base === 'selected' ? (seen.find(({ id }) => id === selected) ?? seen[0]) : seen[0];
  const marks = useMemo(() => along(seen, dimension), [seen, dimension]);
  useEffect(() => {
    if (!edited && seen.length > 0) setRange((held) => keepIfSame(held, coveringRange(marks, held)));
  }, [seen, dimension, edited]);
  const chooseDimension = (next: number) => {
    setDimension(next);
    setEdited(false);
    setRange(coveringRange(along(seen, next), null));
  };
  const resetRange = () => {
    setEdited(false);
    setRange(coveringRange(marks, null));
  };
  const editRange = (next: Range) => {
    setEdited(true);
    setRange(next);
  };
  const { curve, error } = useCurve(live.name, point?.state ?? null, dimension, range, live.version);
  return (
    <section class="card posterior" aria-labelledby="posterior-title">
      <div class="section-head">
        <h2 id="posterior-title">Posterior along one dimension</h2>
        <Choice
          label="Base point"
          value={base}
          options={[
            { value: 'selected', text: 'selected decision' },
            { value: 'latest', text: 'latest' },
          ]}
          change={setBase}
        />
      </div>
      <div class="controls">
        <DimensionSelect names={names} value={dimension} change={chooseDimension} />
        <RangeInput label="From" value={range[0]} valid={(value) => value < range[1]} change={(value) => editRange([value, range[1]])} />
        <RangeInput label="To" value={range[1]} valid={(value) => value > range[0]} change={(value) => editRange([range[0], value])} />
        <button type="button" class="quiet" disabled={!edited} onClick={resetRange}>
          Reset
        </button>
      </div>
      {curve && point ? (
        <PosteriorChart curve={curve} dimension={names[dimension]!} marks={marks} base={point.state[dimension] ?? NaN} />
      ) : (
        <p class="plot-waiting">{error ?? (live.model.dimension === null ? 'The model has seen no data yet' : 'Loading …')}</p>
      )}
      <Legend base={point?.id} />
      {curve && error && <p class="problem">{error}</p>}
    </section>
  );
}

function Legend({ base }: { base: string | undefined }) {
  return (
    <p class="legend">
      <span class="swatch tick" aria-hidden="true" /> where recent decisions were made{' '}
      <span class="swatch base" aria-hidden="true" /> base point{base === undefined ? '' : ': the other dimensions as in '}
      <b>{base}</b>
    </p>
  );
}

function DimensionSelect({ names, value, change }: { names: string[]; value: number; change: (dimension: number) => void }) {
  return (
    <div class="control">
      <label for="slice-dimension">Dimension</label>
      <select id="slice-dimension" value={value} onChange={(event) => change(Number(event.currentTarget.value))}>
        {names.map((name, index) => (
          <option key={name} value={index}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function keepIfSame(held: Range, next: Range): Range {
  return held[0] === next[0] && held[1] === next[1] ? held : next;
}

function along(seen: SeenState[], dimension: number): number[] {
  return seen.map(({ state }) => state[dimension] ?? NaN).filter(Number.isFinite);
}

function dimensionNames(dimensions: number, context: number | null): string[] {
  return Array.from({ length: dimensions }, (_, index) => {
    if (context === null) return `dimension ${index}`;
    return index < context ? `context ${index}` : `action feature ${index - context}`;
  });
}

interface RangeProps {
  label: string;
  value: number;
  valid: (value: number) => boolean;
  change: (value: number) => void;
}

// Takes effect when left or on Enter; what does not make a range is put back. What is being typed stays, whatever
// arrives meanwhile.
function RangeInput({ label, value, valid, change }: RangeProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const commit = (event: Event & { currentTarget: HTMLInputElement }) => {
    const next = event.currentTarget.valueAsNumber;
    setTyped(null);
    if (Number.isFinite(next) && valid(next)) change(next);
    else event.currentTarget.value = String(value);
  };
  const id = `slice-${label.toLowerCase()}`;
  return (
    <div class="control">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        step="any"
        value={typed ?? value}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={commit}
      />
    </div>
  );
}
