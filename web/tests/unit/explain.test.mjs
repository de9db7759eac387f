import assert from 'node:assert/strict';
import test from 'node:test';
import { actionName, plottedCandidates, reasonFor } from '../../src/logic/explain.ts';

const candidate = (index, mean, room, id) => ({ index, ...(id ? { id } : {}), mean, sd: room, lower: mean - room, upper: mean + room });
const decision = (changes = {}, explanation = {}) => {
  const candidates = explanation.candidates ?? [candidate(0, 0.5, 0.1), candidate(1, 0.6, 0.3), candidate(2, 0.7, 0.15)];
  const runnerUp = candidates[2] ?? null;
  return {
    event_id: 'rr-9', index: 1, candidates: 3, mean: 0.6, sd: 0.3, lower: 0.3, upper: 0.9, propensity: 1, version: 8,
    status: 'pending', reward: null, state: [0.1], ...changes,
    explanation: { version: 9, chosen: candidates[1], runner_up: runnerUp, candidates, ...explanation },
  };
};
const text = (...values) => {
  const { headline, sentences, outcome } = reasonFor(...values);
  return [headline, ...sentences, outcome].join(' ');
};

test('An upper-bound choice is explained by its mean, what is unknown, and the runner-up', () => {
  assert.equal(
    text(decision(), 'ucb'),
    'Action 1 had the largest upper bound among 3 candidates. When it was decided, the model expected 0.600 and left 0.300 for what ' +
      'it did not know: at best 0.900. By the present model it still reaches highest: 0.900 (mean 0.600); the runner-up, action 2, ' +
      'reaches 0.850 (mean 0.700). Action 2 has the larger mean, 0.700 against 0.600, but is better known: this choice explores. ' +
      'Its reward has not come yet.',
  );
});

test('A choice that also has the largest mean gave nothing up', () => {
  const candidates = [candidate(0, 0.5, 0.1), candidate(1, 0.8, 0.1), candidate(2, 0.7, 0.15)];
  assert.match(text(decision({}, { candidates }), 'ucb'), /It also has the largest mean: nothing was given up to learn\./);
});

test('When the model has changed its mind, it says so', () => {
  const candidates = [candidate(0, 0.5, 0.1), candidate(1, 0.6, 0.1), candidate(2, 0.7, 0.15, 'blue')];
  const said = text(decision({}, { candidates }), 'ucb');
  assert.match(said, /The model has learned since: “blue” now reaches higher, 0\.850 \(mean 0\.700\), than this one, 0\.700 \(mean 0\.600\)\./);
  assert.doesNotMatch(said, /explores/);
});

test('The very first choice is a draw', () => {
  const said = text(decision({ propensity: 1 / 3 }), 'ucb');
  assert.match(said, /was drawn at random among 3 candidates\. Nothing was known yet that told the candidates apart\. The chance of choosing it was 33\.3 %\./);
});

test('Other rules are explained by what they do', () => {
  assert.match(text(decision({ propensity: 0.12 }), 'thompson'), /won a random draw from the posterior.*The chance of choosing it was 12\.0 %\./);
  assert.match(text(decision(), 'greedy'), /had the largest mean among/);
  assert.match(text(decision({ propensity: 1 / 3 }), 'uniform'), /drawn at random.*does not look at the model/);
  assert.match(text(decision(), 'supkernelucb'), /elimination in stages/);
});

test('Where the bound did not decide, it is told without a because', () => {
  const behind = text(decision({ index: 0 }, { chosen: candidate(0, 0.5, 0.1) }), 'thompson');
  assert.match(behind, /By the present model it reaches 0\.600 \(mean 0\.500\); action 2 reaches highest, 0\.850 \(mean 0\.700\)\./);
  assert.doesNotMatch(behind, /learned since/);
  assert.match(text(decision(), 'thompson'), /it also reaches highest: 0\.900 .*; next is action 2/);
});

test('Bounds that are close get the digits that tell them apart', () => {
  const candidates = [candidate(0, 0.5, 0.1), candidate(1, 0.6, 0.30001), candidate(2, 0.7, 0.2)];
  assert.match(text(decision({}, { candidates }), 'ucb'), /highest: 0\.90001 \(mean 0\.600\); the runner-up, action 2, reaches 0\.90000/);
});

test('A single candidate needs no reason', () => {
  const only = [candidate(0, 0.5, 0.1)];
  const said = text(decision({ index: 0, candidates: 1 }, { candidates: only, chosen: only[0], runner_up: null }), 'ucb');
  assert.match(said, /^Action 0 was chosen as the only candidate\./);
});

test('Missing numbers are not put into sentences', () => {
  const blank = { mean: null, sd: null, lower: null, upper: null };
  const candidates = [0, 1, 2].map((index) => ({ index, ...blank }));
  assert.doesNotMatch(text(decision(blank, { candidates }), 'ucb'), /–|null|NaN/);
});

test('The outcome is told in every state', () => {
  assert.match(text(decision({ status: 'rewarded', reward: 0.45 }), 'ucb'), /The reward was 0\.450, 0\.150 below the mean expected then\./);
  assert.match(text(decision({ status: 'defaulted', reward: 0.7 }), 'ucb'), /No reward came in time; the default was 0\.700, 0\.100 above/);
  assert.match(text(decision({ status: 'expired' }), 'ucb'), /No reward came before the deadline\./);
  assert.match(text(decision({ status: 'deferred' }), 'ucb'), /not been shown yet/);
});

test('The plot starts with the largest upper bound and always has the chosen one', () => {
  const candidates = [5, 1, 9, 7, 3].map((mean, index) => candidate(index, mean, 0));
  const explanation = { chosen: candidates[1], runner_up: null, candidates };
  assert.deepEqual(plottedCandidates(explanation, 3).map(({ index }) => index), [2, 3, 1]);
  assert.deepEqual(plottedCandidates(explanation, 9).map(({ index }) => index), [2, 3, 0, 4, 1]);
});

test('Actions are called by their id, or by their number', () => {
  assert.equal(actionName({ index: 3 }), 'action 3');
  assert.equal(actionName({ index: 3, id: 'blue' }), '“blue”');
});
