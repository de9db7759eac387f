import type { Experiment, LiveState } from '../api/types';
import { count, number } from '../logic/format';
import { specRows, type SpecRow } from '../logic/spec';

export function ModelTable({ live }: { live: LiveState }) {
  const { model, counts } = live;
  const rows: [string, string][] = [
    ['Version (last event folded in)', count(live.version)],
    ['Last event', count(live.last_event)],
    ['Observations', count(model.t)],
    ['Dimension of a state', count(model.dimension)],
    ['Ridge', number(model.ridge)],
    ['Log-determinant', number(model.logdet)],
    ['Projection error', number(model.projection_error)],
    ['Residual sum', number(model.residual_sum)],
    ['Variances rounded up to 0', count(model.clamped)],
    ['Imported', count(counts.imported)],
  ];
  if (model.noise_lower !== null || model.noise_upper !== null) {
    rows.push(['Noise between', `${number(model.noise_lower)} and ${number(model.noise_upper)}`]);
  }
  return (
    <section class="card" aria-labelledby="model-title">
      <h2 id="model-title">Model</h2>
      <table class="pairs">
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="figure">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function SpecTable({ spec }: { spec: Experiment['spec'] }) {
  const rows = specRows(spec);
  const sections = [...new Set(rows.map((row) => row.section))];
  return (
    <section class="card" aria-labelledby="spec-title">
      <h2 id="spec-title">Spec</h2>
      <div class="spec">
        {sections.map((section) => (
          <SpecSection key={section} section={section} rows={rows.filter((row) => row.section === section)} />
        ))}
      </div>
    </section>
  );
}

function SpecSection({ section, rows }: { section: string; rows: SpecRow[] }) {
  return (
    <table class="pairs">
      <caption>{section === '' ? 'general' : section}</caption>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            <td class="figure">{row.value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
