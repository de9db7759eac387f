// Why this action: plain sentences with numbers, as far as the rule and the figures bear them out.

import type { Candidate, Decision, ExplainedDecision, Explanation } from '../api/types';
import { number, percent } from './format';
import type { Rule } from './spec';

export function actionName(action: { index: number; id?: string }): string {
  return action.id === undefined ? `action ${action.index}` : `“${action.id}”`;
}

export function sameAction(a: Candidate | null, b: Candidate | null): boolean {
  return a !== null && b !== null && a.index === b.index;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export interface Reason {
  headline: string;
  sentences: string[];
  outcome: string;
}

export function reasonFor(decision: ExplainedDecision, rule: Rule): Reason {
  const sentences = [atTheTime(decision, rule), ...sinceThen(decision, rule)];
  return {
    headline: headline(decision, rule),
    sentences: sentences.filter((sentence) => sentence !== ''),
    outcome: outcome(decision),
  };
}

function headline(decision: Decision, rule: Rule): string {
  const name = capital(actionName(decision));
  const among = decision.candidates === 1 ? 'as the only candidate' : `among ${decision.candidates} candidates`;
  if (decision.candidates === 1) return `${name} was chosen ${among}.`;
  if (rule === 'uniform' || drawnBlindly(decision, rule)) return `${name} was drawn at random ${among}.`;
  if (rule === 'greedy') return `${name} had the largest mean ${among}.`;
  if (rule === 'thompson') return `${name} won a random draw from the posterior ${among}.`;
  if (rule === 'supkernelucb') return `${name} was left after elimination in stages ${among}.`;
  return `${name} had the largest upper bound ${among}.`;
}

// Rules without randomness of their own draw only while nothing is known.
function drawnBlindly(decision: Decision, rule: Rule): boolean {
  return (rule === 'ucb' || rule === 'greedy') && decision.propensity !== null && decision.propensity < 1;
}

function atTheTime(decision: Decision, rule: Rule): string {
  const chance = decision.propensity === null ? '' : ` The chance of choosing it was ${percent(decision.propensity)}.`;
  if (rule === 'uniform') return `This policy does not look at the model.${chance}`;
  if (drawnBlindly(decision, rule)) return `Nothing was known yet that told the candidates apart.${chance}`;
  if (decision.mean === null) return chance.trim();
  const expected = `When it was decided, the model expected ${number(decision.mean, 3)}`;
  if (decision.upper === null) return `${expected}, with sd ${number(decision.sd, 3)}.${rule === 'thompson' ? chance : ''}`;
  const room = number(decision.upper - decision.mean, 3);
  const band = `${expected} and left ${room} for what it did not know: at best ${number(decision.upper, 3)}.`;
  return rule === 'thompson' ? band + chance : band;
}

function sinceThen({ explanation }: ExplainedDecision, rule: Rule): string[] {
  const { chosen, runner_up: runnerUp } = explanation;
  if (rule === 'uniform' || !runnerUp || chosen.upper === null || runnerUp.upper === null) return [];
  const other = actionName(runnerUp);
  const digits = tellingDigits(chosen.upper, runnerUp.upper);
  const theirs = `${number(runnerUp.upper, digits)} (mean ${number(runnerUp.mean, 3)})`;
  const ours = `${number(chosen.upper, digits)} (mean ${number(chosen.mean, 3)})`;
  const leads = chosen.upper >= runnerUp.upper;
  if (rule !== 'ucb') {
    // The bound did not decide, so it is told without a because.
    const bounds = leads
      ? `By the present model it also reaches highest: ${ours}; next is ${other}, ${theirs}.`
      : `By the present model it reaches ${ours}; ${other} reaches highest, ${theirs}.`;
    return [bounds, ...(leads ? [knownOrNew(explanation)] : [])];
  }
  if (leads) return [`By the present model it still reaches highest: ${ours}; the runner-up, ${other}, reaches ${theirs}.`, knownOrNew(explanation)];
  return [`The model has learned since: ${other} now reaches higher, ${theirs}, than this one, ${ours}.`, knownOrNew(explanation)];
}

// As many digits as it takes to see which number is larger, within reason.
function tellingDigits(a: number, b: number): number {
  let digits = 3;
  while (digits < 6 && number(a, digits) === number(b, digits)) digits++;
  return digits;
}

// Whether the choice bets on what is not known, judged by the present model.
function knownOrNew({ chosen, candidates }: Explanation): string {
  const best = largestMean(candidates);
  if (!best || best.mean === null || chosen.mean === null) return '';
  if (sameAction(best, chosen)) return 'It also has the largest mean: nothing was given up to learn.';
  if (best.upper === null || chosen.upper === null || best.upper > chosen.upper) return '';
  const means = `${number(best.mean, 3)} against ${number(chosen.mean, 3)}`;
  return `${capital(actionName(best))} has the larger mean, ${means}, but is better known: this choice explores.`;
}

function largestMean(candidates: Candidate[]): Candidate | null {
  let best: Candidate | null = null;
  for (const candidate of candidates) {
    if (candidate.mean !== null && (best === null || candidate.mean > best.mean!)) best = candidate;
  }
  return best;
}

function outcome(decision: Decision): string {
  if (decision.status === 'pending') return 'Its reward has not come yet.';
  if (decision.status === 'deferred') return 'It has not been shown yet, so no reward is expected.';
  if (decision.status === 'expired') return 'No reward came before the deadline.';
  const verb = decision.status === 'defaulted' ? 'No reward came in time; the default' : 'The reward';
  if (decision.reward === null) return '';
  if (decision.mean === null) return `${verb} was ${number(decision.reward, 3)}.`;
  const gap = decision.reward - decision.mean;
  const side = gap < 0 ? 'below' : 'above';
  return `${verb} was ${number(decision.reward, 3)}, ${number(Math.abs(gap), 3)} ${side} the mean expected then.`;
}

// Rows for the interval plot: largest upper bound first, and the chosen one always among them.
export function plottedCandidates(explanation: Explanation, rows: number): Candidate[] {
  const sorted = [...explanation.candidates].sort((a, b) => (b.upper ?? -Infinity) - (a.upper ?? -Infinity) || a.index - b.index);
  const shown = sorted.slice(0, rows);
  if (shown.some((candidate) => sameAction(candidate, explanation.chosen))) return shown;
  return [...shown.slice(0, rows - 1), explanation.chosen];
}
