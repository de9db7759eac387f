// What the service says, as it says it. Numbers that are not finite arrive as null.

export interface Counts {
  decisions: number;
  rewards: number;
  defaulted: number;
  expired: number;
  imported: number;
  pending: number;
  deferred: number;
  skipped: number;
}

export interface Totals {
  reward: number | null;
  estimated_regret: number | null;
}

export interface Degraded {
  skipped: number;
  seq: number;
  message: string;
}

export interface Model {
  dimension: number | null;
  t: number;
  ridge: number | null;
  logdet: number | null;
  radius: number | null;
  anchors: number;
  effective_dimension: number | null;
  projection_error: number | null;
  residual_sum: number | null;
  decisions: number;
  clamped: number;
  noise_lower: number | null;
  noise_upper: number | null;
  noise_crossed: boolean | null;
  empty_since: number | null;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Experiment {
  name: string;
  description: string | null;
  state: 'open' | 'closed';
  created: string;
  spec?: { [key: string]: Json };
  reward_deadline_seconds: number | null;
  default_reward: number | null;
  version: number;
  last_event: number;
  counts: Counts;
  totals: Totals;
  degraded: Degraded | null;
  model: Model;
}

export type DecisionStatus = 'pending' | 'deferred' | 'rewarded' | 'defaulted' | 'expired';

export interface Estimate {
  mean: number | null;
  sd: number | null;
  lower: number | null;
  upper: number | null;
}

export interface Decision extends Estimate {
  seq: number;
  time: string;
  event_id: string;
  index: number;
  id?: string;
  candidates: number;
  propensity: number | null;
  version: number;
  status: DecisionStatus;
  reward: number | null;
}

export interface Candidate extends Estimate {
  index: number;
  id?: string;
}

export interface Explanation {
  version: number;
  chosen: Candidate;
  runner_up: Candidate | null;
  candidates: Candidate[];
}

export interface ExplainedDecision extends Decision {
  state: number[];
  explanation: Explanation;
}

export interface History {
  time: number[];
  seq: number[];
  decisions: number[];
  rewards: number[];
  reward: (number | null)[];
  estimated_regret: (number | null)[];
  anchors: (number | null)[];
  radius: (number | null)[];
  pending: number[];
}

export interface Share {
  action: string;
  count: number;
}

export interface LiveState extends Experiment {
  time: string;
  rates: { decisions: number; rewards: number };
  shares: Share[];
  recent: Decision[];
}

export interface Predictions {
  mean: (number | null)[];
  sd: (number | null)[];
  lower: (number | null)[];
  upper: (number | null)[];
  version: number;
}
