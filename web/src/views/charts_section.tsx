import { useMemo, useState } from 'preact/hooks';
import { LineChart } from '../charts/line_chart';
import { count, number, rate } from '../logic/format';
import { over, rates, rateWindow, type Axis, type Series } from '../logic/series';
import { Choice } from '../parts/choice';

const whole = (value: number | null) => count(value);
const real = (value: number | null) => number(value);

export function Charts({ series }: { series: Series }) {
  const [axis, setAxis] = useState<Axis>('time');
  const data = useMemo(() => {
    const window = rateWindow(series.time);
    return {
      reward: over(series, axis, [series.reward]),
      regret: over(series, axis, [series.estimated_regret]),
      rates: over(series, axis, [rates(series.time, series.decisions, window), rates(series.time, series.rewards, window)]),
      pending: over(series, axis, [series.pending]),
      anchors: over(series, axis, [series.anchors]),
      radius: over(series, axis, [series.radius]),
    };
  }, [series, axis]);
  return (
    <section aria-labelledby="progress-title">
      <div class="section-head">
        <h2 id="progress-title">Progress</h2>
        <Choice
          label="Horizontal axis"
          value={axis}
          options={[
            { value: 'time', text: 'by time' },
            { value: 'decisions', text: 'by decisions' },
          ]}
          change={setAxis}
        />
      </div>
      <div class="charts">
        <LineChart title="Cumulative reward" note="of decisions" axis={axis} data={data.reward} lines={[{ name: 'Reward', colour: 'blue' }]} format={real} fromZero />
        <LineChart
          title="Estimated regret"
          note="sum of upper bound − reward"
          axis={axis}
          data={data.regret}
          lines={[{ name: 'Estimated regret', colour: 'orange' }]}
          format={real}
          fromZero
        />
        <LineChart
          title="Decisions and rewards a second"
          note=""
          axis={axis}
          data={data.rates}
          lines={[
            { name: 'decisions', colour: 'blue' },
            { name: 'rewards', colour: 'orange', dashed: true },
          ]}
          format={rate}
          fromZero
        />
        <LineChart title="Pending rewards" note="shown, no reward yet" axis={axis} data={data.pending} lines={[{ name: 'Pending', colour: 'green' }]} format={whole} whole fromZero />
        <LineChart title="Dictionary size" note="anchors" axis={axis} data={data.anchors} lines={[{ name: 'Anchors', colour: 'green' }]} format={whole} whole fromZero />
        <LineChart
          title="Confidence radius"
          note="times sd"
          axis={axis}
          data={data.radius}
          lines={[{ name: 'Radius', colour: 'green' }]}
          format={real}
          fromZero
          emptyText="This bound is not a single radius"
        />
      </div>
    </section>
  );
}
