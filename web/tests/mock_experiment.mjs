// One simulated experiment: decisions, delayed rewards and everything the service tells about them.

import { Model, randomStream } from './mock_model.mjs';

const keptDecisions = 100;
const historyPoints = 512;

export class MockExperiment {
  // `sequence.next()` numbers events over all experiments. `world` draws rounds: {context, actions, ids?} and rewards.
  constructor({ name, description = null, spec, seed = 1, radius = null, deadline = null, defaultReward = null, sequence, world = null, now = Date.now() }) {
    Object.assign(this, { name, description, spec, seed, radius, deadline, defaultReward, sequence, world });
    this.state = 'open';
    this.created = now;
    this.random = randomStream(seed);
    this.model = null;
    this.counts = { decisions: 0, rewards: 0, defaulted: 0, expired: 0, imported: 0, pending: 0, deferred: 0, skipped: 0 };
    this.totals = { reward: 0, estimated_regret: 0 };
    this.degraded = null;
    this.byId = new Map();
    this.recent = [];
    this.due = [];
    this.shares = new Map();
    this.points = [];
    this.stride = 1;
    this.skippedPoints = 0;
    this.timesOfDecisions = [];
    this.timesOfRewards = [];
    this.lastEvent = sequence.next();
  }

  predict(states) {
    const model = this.model ?? new Model({ dimension: states[0].length, seed: this.seed, radius: this.radius });
    return states.map((state) => model.predict(state));
  }

  decide({ event_id: eventId, context = [], actions, ids = null }, now) {
    const states = actions.map((action) => [...context, ...action]);
    this.model ??= new Model({ dimension: states[0].length, seed: this.seed, radius: this.radius });
    const first = this.model.t === 0;
    const estimates = this.predict(states);
    let index = 0;
    estimates.forEach((estimate, at) => {
      if (estimate.upper > estimates[index].upper) index = at;
    });
    if (first) index = Math.floor(this.random.uniform() * states.length);
    const seq = this.sequence.next();
    const decision = {
      seq,
      time: new Date(now).toISOString(),
      event_id: eventId ?? `rr-${String(seq).padStart(12, '0')}`,
      index,
      ...(ids?.[index] === undefined ? {} : { id: ids[index] }),
      candidates: states.length,
      ...estimates[index],
      propensity: first ? 1 / states.length : 1,
      version: this.lastEvent,
      status: 'pending',
      reward: null,
    };
    this.remember(decision, states, ids);
    this.timesOfDecisions.push(now);
    this.record(seq, now);
    return decision;
  }

  remember(decision, states, ids) {
    this.counts.decisions += 1;
    this.counts.pending += 1;
    const action = decision.id ?? String(decision.index);
    this.shares.set(action, (this.shares.get(action) ?? 0) + 1);
    this.byId.set(decision.event_id, { decision, states, ids });
    this.recent.unshift(decision);
    for (const old of this.recent.splice(keptDecisions)) {
      if (old.status !== 'pending') this.byId.delete(old.event_id);
    }
  }

  reward(eventId, reward, now, status = 'rewarded') {
    const entry = this.byId.get(eventId);
    if (!entry || entry.decision.status !== 'pending') return false;
    const { decision, states } = entry;
    Object.assign(decision, { status, reward });
    this.model.observe(states[decision.index], reward);
    this.counts.pending -= 1;
    this.counts[status === 'rewarded' ? 'rewards' : 'defaulted'] += 1;
    this.totals.reward += reward;
    this.totals.estimated_regret += decision.upper - reward;
    this.timesOfRewards.push(now);
    if (!this.recent.includes(decision)) this.byId.delete(eventId);
    this.record(this.sequence.next(), now);
    return true;
  }

  record(seq, now) {
    this.lastEvent = seq;
    this.time = now;
    this.skippedPoints += 1;
    if (this.skippedPoints < this.stride) return;
    this.skippedPoints = 0;
    this.points.push(this.point());
    if (this.points.length > historyPoints - 1) {
      this.points = this.points.filter((_, index) => index % 2 === 0);
      this.stride *= 2;
    }
  }

  point() {
    const { decisions, pending } = this.counts;
    const rewards = this.counts.rewards + this.counts.defaulted;
    const { anchors, radius } = this.model ?? { anchors: 0, radius: null };
    return { time: this.time, seq: this.lastEvent, decisions, rewards, ...this.totals, anchors, radius, pending };
  }

  // One round of the simulated world, and the rewards that have become due.
  step(now) {
    if (this.state === 'open') {
      const round = this.world.round(this.random);
      const decision = this.decide(round, now);
      const state = [...round.context, ...round.actions[decision.index]];
      const late = this.random.uniform() < this.world.lost;
      const delay = late ? this.deadline * 1000 : -this.world.delay * Math.log(1 - this.random.uniform());
      const reward = late ? this.defaultReward : this.world.reward(state) + this.world.noise * this.random.normal();
      this.due.push({ at: now + delay, id: decision.event_id, reward, status: late ? 'defaulted' : 'rewarded' });
    }
    const ready = this.due.filter((entry) => entry.at <= now);
    this.due = this.due.filter((entry) => entry.at > now);
    for (const { id, reward, status } of ready) this.reward(id, reward, now, status);
  }

  json({ spec = true } = {}) {
    const { name, description, state, counts, totals, degraded } = this;
    return {
      name,
      description,
      state,
      created: new Date(this.created).toISOString(),
      ...(spec ? { spec: this.spec } : {}),
      reward_deadline_seconds: this.deadline,
      default_reward: this.defaultReward,
      version: this.lastEvent,
      last_event: this.lastEvent,
      counts: { ...counts },
      totals: { ...totals },
      degraded,
      model: this.modelJson(),
    };
  }

  modelJson() {
    const { dimension = null, t = 0, ridge = 1, logdet = 0, radius = null, anchors = 0 } = this.model ?? {};
    return {
      dimension, t, ridge, logdet, radius, anchors,
      effective_dimension: this.model ? anchors * 0.61 : null,
      projection_error: this.model ? 0.8 / (1 + anchors) : null,
      residual_sum: this.model ? 0.31 * Math.sqrt(t) : 0,
      decisions: this.counts.decisions,
      clamped: 0, noise_lower: null, noise_upper: null, noise_crossed: null, empty_since: null,
    };
  }

  live(now) {
    const within = (times) => {
      while (times.length && times[0] < now - 5000) times.shift();
      return times.length / 5;
    };
    const sorted = [...this.shares].sort((a, b) => b[1] - a[1]).map(([action, count]) => ({ action, count }));
    const rest = sorted.slice(32).reduce((total, share) => total + share.count, 0);
    return {
      ...this.json({ spec: false }),
      time: new Date(now).toISOString(),
      rates: { decisions: within(this.timesOfDecisions), rewards: within(this.timesOfRewards) },
      shares: [...sorted.slice(0, 32), ...(rest ? [{ action: 'other', count: rest }] : [])],
      recent: this.recent.slice(0, 20),
    };
  }

  history() {
    const names = ['time', 'seq', 'decisions', 'rewards', 'reward', 'estimated_regret', 'anchors', 'radius', 'pending'];
    const points = this.counts.decisions ? [...this.points, this.point()] : [];
    return Object.fromEntries(names.map((name) => [name, points.map((point) => point[name])]));
  }

  explain(eventId) {
    const entry = this.byId.get(eventId);
    if (!entry) return null;
    const { decision, states, ids } = entry;
    const candidates = this.predict(states).map((estimate, index) => ({
      index,
      ...(ids?.[index] === undefined ? {} : { id: ids[index] }),
      ...estimate,
    }));
    const others = candidates.filter((candidate) => candidate.index !== decision.index);
    const runnerUp = others.reduce((best, candidate) => (best && best.upper >= candidate.upper ? best : candidate), null);
    return {
      ...decision,
      state: states[decision.index],
      explanation: { version: this.lastEvent, chosen: candidates[decision.index], runner_up: runnerUp, candidates: candidates.slice(0, 200) },
    };
  }
}
