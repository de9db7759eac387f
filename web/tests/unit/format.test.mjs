import assert from 'node:assert/strict';
import test from 'node:test';
import { clock, count, day, duration, number, percent, plural, rate, shortId, tick } from '../../src/logic/format.ts';

test('Numbers keep their significant digits', () => {
  const cases = [
    [0.62134, '0.6213'], [0.6, '0.6000'], [12.3456, '12.35'], [1234.56, '1,235'], [123456.7, '123,457'],
    [-0.5, '−0.5000'], [-1234567, '−1,234,567'], [0, '0'], [0.000123456, '0.0001235'], [3.14e-7, '3.140e-7'],
    [2.5e12, '2.500e12'], [null, '–'], [undefined, '–'], [NaN, '–'], [Infinity, '–'],
  ];
  for (const [value, text] of cases) assert.equal(number(value), text, String(value));
  assert.equal(number(0.99999, 3), '1.000');
  assert.equal(number(-0.0001234, 3), '−0.000123');
});

test('Counts are grouped and never rounded', () => {
  assert.equal(count(1234567), '1,234,567');
  assert.equal(count(0), '0');
  assert.equal(count(null), '–');
});

test('Ticks tell neighbours apart', () => {
  assert.deepEqual([0, 0.25, 0.5, 0.75].map((value) => tick(value, 0.25)), ['0', '0.25', '0.50', '0.75']);
  assert.deepEqual([0.1, 0.2].map((value) => tick(value, 0.1)), ['0.1', '0.2']);
  assert.deepEqual([10000, 12500].map((value) => tick(value, 2500)), ['10k', '12.5k']);
  assert.deepEqual([1e6, 1.5e6].map((value) => tick(value, 5e5)), ['1M', '1.5M']);
  assert.equal(tick(-20, 10), '−20');
});

test('Shares and rates are short', () => {
  assert.deepEqual([0, 0.0004, 0.123, 1].map(percent), ['0.0 %', '< 0.1 %', '12.3 %', '100 %']);
  assert.equal(percent(null), '–');
  assert.deepEqual([0, 0.004, 0.25, 12.34, 1234.5].map(rate), ['0.0', '0.004', '0.3', '12.3', '1,235']);
});

test('Durations have one unit', () => {
  assert.deepEqual([0, 90e3, 10 * 60e3, 5 * 3600e3, 4 * 86400e3].map(duration), ['0 s', '90 s', '10 min', '5.0 h', '4 days']);
});

test('Times that are none are shown as missing', () => {
  assert.match(clock('2026-11-16T09:00:07.250Z'), /^\d\d:\d\d:07$/);
  assert.match(day('2026-11-16T12:00:00.000Z'), /^2026-11-1[567]$/);
  assert.equal(clock('yesterday'), '–');
  assert.equal(day(''), '–');
});

test('Long ids lose their middle', () => {
  assert.deepEqual(['rr-7', 'order-12345', 'rr-000000000235'].map(shortId), ['rr-7', 'order-12345', 'rr-…000235']);
});

test('One is one and more are many', () => {
  assert.equal(plural(1, 'experiment'), '1 experiment');
  assert.equal(plural(1200, 'experiment'), '1,200 experiments');
});
