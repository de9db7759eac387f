import assert from 'node:assert/strict';
import test from 'node:test';
import { append, emptySeries, extent, lastOf, limit, over, rates, rebase } from '../../src/logic/series.ts';

const text = (time) => new Date(time).toISOString();
const state = (seq, reward = seq, time = seq * 1000) => ({
  time: text(time),
  rates: { decisions: 1, rewards: 0 },
  recent: [{ time: text(time) }],
  last_event: seq,
  counts: { decisions: seq, rewards: seq, defaulted: 0, pending: 0 },
  totals: { reward, estimated_regret: null },
  model: { anchors: 3, radius: null },
});
const seriesOf = (...seqs) => seqs.reduce((series, seq) => append(series, state(seq)), emptySeries());

test('Live states continue the series', () => {
  const series = seriesOf(1, 2, 5);
  assert.deepEqual(series.seq, [1, 2, 5]);
  assert.deepEqual(series.time, [1000, 2000, 5000]);
  assert.deepEqual(series.radius, [null, null, null]);
});

test('A later word on the same event replaces the earlier one', () => {
  const series = append(seriesOf(1, 2), state(2, 7));
  assert.deepEqual(series.reward, [1, 7]);
});

test('What an idle service tells came about with its newest decision, but not before what is known', () => {
  const idle = { ...state(3, 3, 900_000), rates: { decisions: 0, rewards: 0 }, recent: [{ time: text(2500) }] };
  assert.deepEqual(append(seriesOf(1, 2), idle).time, [1000, 2000, 2500]);
  assert.deepEqual(append(seriesOf(1, 2), { ...idle, recent: [{ time: text(10) }] }).time, [1000, 2000, 2000]);
  assert.deepEqual(append(seriesOf(1, 2), { ...idle, recent: [] }).time, [1000, 2000, 900_000]);
});

test('A state older than the series changes nothing', () => {
  const series = seriesOf(1, 5);
  assert.equal(append(series, state(4)), series);
});

test('A fresh history replaces what it covers and keeps what came after', () => {
  const merged = rebase(seriesOf(3, 6, 9, 12), seriesOf(1, 2, 4, 9));
  assert.deepEqual(merged.seq, [1, 2, 4, 9, 12]);
});

test('An empty history changes nothing', () => {
  const series = seriesOf(3, 6);
  assert.equal(rebase(series, emptySeries()), series);
});

test('However long it runs, the series stays bounded, in order, with its first and last point', () => {
  let series = emptySeries();
  for (let seq = 1; seq <= 5000; seq++) series = append(series, state(seq));
  assert.ok(series.seq.length <= limit, `${series.seq.length}`);
  assert.equal(series.seq[0], 1);
  assert.equal(lastOf(series.seq), 5000);
  assert.ok(series.seq.every((seq, index) => index === 0 || seq > series.seq[index - 1]));
  assert.equal(series.reward.length, series.seq.length);
});

test('Over decisions, the last of several points at one place counts', () => {
  const series = { ...seriesOf(1, 2, 3, 4), decisions: [1, 1, 2, 2] };
  assert.deepEqual(over(series, 'decisions', [series.reward]), [[1, 2], [2, 4]]);
});

test('Over time, points of a clock that was put back are left out', () => {
  const series = { ...seriesOf(1, 2, 3, 4), time: [1000, 3000, 2000, 4000] };
  assert.deepEqual(over(series, 'time', [series.reward]), [[1, 3, 4], [1, 2, 4]]);
});

test('Rates are counted over the window, and over longer gaps as a whole', () => {
  const time = [0, 1000, 2000, 3000, 13000];
  assert.deepEqual(rates(time, [0, 4, 8, 12, 32], 2000), [null, 4, 4, 4, 2]);
  assert.deepEqual(rates([5, 5], [1, 2], 1000), [null, null]);
});

test('Missing values are neither last nor least', () => {
  assert.equal(lastOf([1, 2, null]), 2);
  assert.equal(lastOf([null]), null);
  assert.deepEqual(extent([null, 3, -1, null]), [-1, 3]);
  assert.equal(extent([null]), null);
});
