import assert from 'node:assert/strict';
import test from 'node:test';
import { createCommand, decideCommand } from '../../src/logic/commands.ts';
import { inOrder, meanReward } from '../../src/logic/figures.ts';
import { steadyOrder, total } from '../../src/logic/shares.ts';
import { coveringRange, slicePlaces, sliceStates, steadyScale } from '../../src/logic/slice.ts';
import { contextDimension, policyName, ruleOf, specRows } from '../../src/logic/spec.ts';
import { parseRoute, experimentLink } from '../../src/route.ts';

const shares = (counts) => Object.entries(counts).map(([action, count]) => ({ action, count }));
const names = (rows) => rows.map((row) => row.action);

test('Shares come most frequent first, "other" last', () => {
  assert.deepEqual(names(steadyOrder([], shares({ a: 1, other: 90, b: 5, c: 3 }))), ['b', 'c', 'a', 'other']);
  assert.equal(total(shares({ a: 1, b: 2 })), 3);
});

test('Rows that are nearly level keep their places, clear winners move up', () => {
  assert.deepEqual(names(steadyOrder(['a', 'b', 'c'], shares({ b: 105, a: 100, c: 50 }))), ['a', 'b', 'c']);
  assert.deepEqual(names(steadyOrder(['a', 'b', 'c'], shares({ b: 120, a: 100, c: 130 }))), ['b', 'c', 'a']);
  assert.deepEqual(names(steadyOrder(['a'], shares({ a: 10, new: 50 }))), ['new', 'a']);
});

test('A slice moves one dimension and leaves the others', () => {
  assert.deepEqual(sliceStates([7, 8, 9], 1, [0, 1], 3), [[7, 0, 9], [7, 0.5, 9], [7, 1, 9]]);
  assert.deepEqual(slicePlaces([-1, 1], 5), [-1, -0.5, 0, 0.5, 1]);
});

test('The range covers what was seen, in round numbers', () => {
  const [from, to] = coveringRange([0.013, 0.97, 0.4], null);
  assert.ok(from <= 0.013 && to >= 0.97 && from >= -0.1 && to <= 1.1, `${from} ${to}`);
  assert.deepEqual(coveringRange([3], null), [2.4, 3.6]);
  assert.deepEqual(coveringRange([], null), [0, 1]);
});

test('The range stays while it covers, and follows when it does not', () => {
  assert.deepEqual(coveringRange([0.2, 0.8], [0, 1]), [0, 1]);
  assert.notDeepEqual(coveringRange([0.2, 1.8], [0, 1]), [0, 1]);
  assert.notDeepEqual(coveringRange([0.2, 0.3], [0, 100]), [0, 100]);
});

test('A scale grows at once and shrinks only when half of it is empty', () => {
  assert.deepEqual(steadyScale([0.1, 0.9], [0, 1]), [0, 1]);
  assert.ok(steadyScale([0, 2], [0, 1])[1] > 2);
  assert.ok(steadyScale([0.4, 0.5], [0, 1])[1] < 1);
  assert.deepEqual(steadyScale(null, null), [0, 1]);
  const [low, high] = steadyScale([3, 3], null);
  assert.ok(low < 3 && high > 3);
});

test('The rule is the one the spec names, or its preset implies', () => {
  assert.equal(ruleOf({ policy: 'ek-ucb', rule: { type: 'greedy' } }), 'greedy');
  assert.equal(ruleOf({ policy: 'kernel-ts' }), 'thompson');
  assert.equal(ruleOf({ policy: 'adaptive-ts' }), 'thompson');
  assert.equal(ruleOf({ policy: 'supk-ucb' }), 'supkernelucb');
  assert.equal(ruleOf({ policy: 'uniform' }), 'uniform');
  assert.equal(ruleOf({ policy: 'ek-ucb' }), 'ucb');
  assert.equal(ruleOf(undefined), 'ucb');
});

test('A spec is shown as rows, long lists as their size', () => {
  const points = Array.from({ length: 50 }, () => [0.123456, 0.5]);
  const spec = { policy: 'bkb', kernel: { type: 'product', context_dim: 2, context: { type: 'linear' } }, arms: { points } };
  assert.deepEqual(specRows(spec), [
    { section: '', name: 'policy', value: 'bkb' },
    { section: 'kernel', name: 'type', value: 'product' },
    { section: 'kernel', name: 'context_dim', value: '2' },
    { section: 'kernel', name: 'context.type', value: 'linear' },
    { section: 'arms', name: 'points', value: '50 entries' },
  ]);
  assert.equal(specRows({ ridge: 0.1 * 0.1, grid: [0.1 + 0.2, 1] }).map(({ value }) => value).join(' '), '0.01 [0.3,1]');
  assert.equal(contextDimension(spec), 2);
  assert.equal(contextDimension({}), null);
  assert.equal(policyName({}), 'custom');
});

test('The mean is over all outcomes, and there is none without any', () => {
  const experiment = (rewards, defaulted, reward) => ({ counts: { rewards, defaulted }, totals: { reward } });
  assert.equal(meanReward(experiment(3, 1, 2)), 0.5);
  assert.equal(meanReward(experiment(0, 0, 0)), null);
  assert.equal(meanReward(experiment(3, 1, null)), null);
});

test('Open experiments come first, then by name, numbers as numbers', () => {
  const list = [['b10', 'open'], ['a', 'closed'], ['b9', 'open']].map(([name, state]) => ({ name, state }));
  assert.deepEqual(inOrder(list).map(({ name }) => name), ['b9', 'b10', 'a']);
});

test('Links lead back to the name they were made of', () => {
  for (const name of ['a', 'A.b-c_9', '100%', 'x/y']) {
    assert.deepEqual(parseRoute(experimentLink(name)), { page: 'experiment', name });
  }
  for (const hash of ['', '#', '#/', '#/experiments/', '#/experiments/%E0%A4%A', '#/other']) {
    assert.deepEqual(parseRoute(hash), { page: 'list' });
  }
});

test('Commands name the service as the page knows it, and the token only if one is needed', () => {
  assert.match(createCommand('https://host/rr/', false), /^curl -X POST https:\/\/host\/rr\/v1\/experiments /);
  assert.doesNotMatch(createCommand('http://h/', false), /Authorization/);
  assert.match(decideCommand('http://h/', 'first', true), /experiments\/first\/decide[\s\S]*Bearer \$TOKEN/);
});
