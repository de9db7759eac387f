// Ridge regression on random Fourier features: a small stand-in for the engine, with honest means and uncertainties.

export function randomStream(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

const dot = (a, b, from = 0) => {
  let total = 0;
  for (let index = 0; index < b.length; index++) total += a[from + index] * b[index];
  return total;
};

export class Model {
  constructor({ dimension, seed, lengthscale = 0.5, ridge = 1, features = 64, radius = null }) {
    const random = randomStream(seed);
    Object.assign(this, { dimension, ridge, features, fixedRadius: radius, t: 0, logdet: 0 });
    this.frequencies = Array.from({ length: features }, () => Array.from({ length: dimension }, () => random.normal() / lengthscale));
    this.phases = Array.from({ length: features }, () => 2 * Math.PI * random.uniform());
    this.inverse = new Float64Array(features * features);
    for (let index = 0; index < features; index++) this.inverse[index * (features + 1)] = 1 / ridge;
    this.sum = new Float64Array(features);
    this.weights = new Float64Array(features);
  }

  map(state) {
    const scale = Math.sqrt(2 / this.features);
    return Float64Array.from(this.frequencies, (frequency, index) => scale * Math.cos(this.phases[index] + dot(state, frequency)));
  }

  solve(feature) {
    return Float64Array.from(feature, (_, row) => dot(this.inverse, feature, row * this.features));
  }

  get radius() {
    return this.fixedRadius ?? 0.25 * Math.sqrt(this.logdet + 2 * Math.log(100)) + 0.5;
  }

  get anchors() {
    return Math.min(this.t, Math.round(18 * Math.log1p(this.t / 12)));
  }

  observe(state, reward) {
    const feature = this.map(state);
    const solved = this.solve(feature);
    const gain = 1 + dot(feature, solved);
    for (let row = 0; row < this.features; row++) {
      const factor = solved[row] / gain;
      for (let column = 0; column < this.features; column++) this.inverse[row * this.features + column] -= factor * solved[column];
      this.sum[row] += reward * feature[row];
    }
    this.logdet += Math.log(gain);
    this.weights = this.solve(this.sum);
    this.t += 1;
  }

  predict(state) {
    const feature = this.map(state);
    const mean = dot(feature, this.weights);
    const sd = Math.sqrt(Math.max(0, this.ridge * dot(feature, this.solve(feature))));
    return { mean, sd, lower: mean - this.radius * sd, upper: mean + this.radius * sd };
  }
}
