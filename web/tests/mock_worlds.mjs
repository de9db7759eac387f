// What the mock service simulates: a shop that sets discounts, a lab that sets temperatures, and a few at rest.

import { MockExperiment } from './mock_experiment.mjs';

const bump = (x, centre, width) => Math.exp(-(((x - centre) / width) ** 2));

const discounts = {
  lost: 0.04,
  delay: 4000,
  noise: 0.08,
  round(random) {
    const context = [random.uniform(), random.uniform()];
    const ids = ['none', 'free-shipping', '5-percent', '10-percent', '15-percent', '20-percent', 'bundle', 'gift-card'];
    return { context, actions: ids.map((_, index) => [index / 7, (index * 3) % 8 / 7]), ids };
  },
  reward: ([loyalty, basket, depth, kind]) =>
    0.25 + 0.55 * bump(depth, 0.2 + 0.6 * basket, 0.28) * (1 - 0.35 * loyalty) + 0.12 * bump(kind, loyalty, 0.3),
};

const furnace = {
  lost: 0,
  delay: 12000,
  noise: 0.05,
  round(random) {
    return { context: [random.uniform()], actions: Array.from({ length: 30 }, () => [random.uniform(), random.uniform()]) };
  },
  reward: ([load, heat, flow]) => 1.2 * bump(heat, 0.35 + 0.3 * load, 0.2) * bump(flow, 0.6, 0.35) - 0.1,
};

const specOf = (policy, rest = {}) => ({
  policy,
  seed: 7,
  kernel: { type: 'gaussian', lengthscale: 0.5, variance: 1 },
  regression: { type: 'kors', ridge: 1, projection: 1, oversampling: 1, accuracy: 0.5 },
  bound: { type: 'fixed', radius: 0.6, delta: 0.01, norm_bound: 10, noise_bound: 0.1, horizon: 1000 },
  rule: { type: 'ucb', first: 'random' },
  ...rest,
});

// `past` rounds, spread over the `minutes` before now, and as many more as simulating them takes time.
function withPast(experiment, past, minutes) {
  const between = (minutes * 60_000) / past;
  experiment.created = Date.now() - minutes * 60_000;
  for (let time = experiment.created + between; time <= Date.now(); time += between) experiment.step(time);
  return experiment;
}

export function worlds(sequence) {
  const discount = new MockExperiment({
    name: 'checkout-discounts',
    description: 'Which incentive to show at checkout, by loyalty and size of the basket',
    spec: specOf('ek-ucb'), seed: 11, radius: 0.6, deadline: 30, defaultReward: 0, sequence, world: discounts,
  });
  const furnaces = new MockExperiment({
    name: 'furnace-7', description: 'Heat and flow for the load at hand', spec: specOf('gp-ucb', { regression: { type: 'exact', ridge: 0.01 }, bound: { type: 'self_normalized', delta: 0.01, norm_bound: 10, noise_bound: 0.1 } }),
    seed: 5, sequence, world: furnace,
  });
  const pilot = new MockExperiment({
    name: 'pilot.2026-10', description: 'The pilot of last month', spec: specOf('k-ucb'), seed: 3, radius: 0.5, sequence, world: furnace,
  });
  const untouched = new MockExperiment({ name: 'next-quarter', spec: specOf('bkb'), seed: 9, sequence });
  withPast(pilot, 180, 600).state = 'closed';
  withPast(furnaces, 500, 9);
  withPast(discount, 2600, 8);
  pilot.degraded = {
    skipped: 2, seq: 3021,
    message: 'folding event 3021 failed: pivot 41 of the Cholesky factor must be > 0, got -3.1e-17',
  };
  pilot.counts.skipped = 2;
  return [
    { experiment: discount, pace: 5.4 },
    { experiment: furnaces, pace: 1 },
    { experiment: pilot, pace: 0 },
    { experiment: untouched, pace: 0 },
  ];
}
