import assert from 'node:assert/strict';
import test from 'node:test';
import { EventParser } from '../../src/api/sse.ts';
import { retryDelay } from '../../src/api/live.ts';

const stream = 'event: state\ndata: {"a":1}\n\n: still here\n\nevent: state\ndata: one\ndata: two\n\n';
const events = [
  { type: 'state', data: '{"a":1}' },
  { type: 'state', data: 'one\ntwo' },
];

test('A whole stream gives its events', () => {
  assert.deepEqual(new EventParser().push(stream), events);
});

test('Wherever the stream is cut, the events are the same', () => {
  for (let cut = 0; cut <= stream.length; cut++) {
    const parser = new EventParser();
    assert.deepEqual([...parser.push(stream.slice(0, cut)), ...parser.push(stream.slice(cut))], events, `cut at ${cut}`);
  }
});

test('Lines may end in all three ways, even cut in between', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = stream.replaceAll('\n', end) + (end === '\r' ? ': end\r' : '');
    const parser = new EventParser();
    const found = [...text].flatMap((character) => parser.push(character));
    assert.deepEqual(found, events, JSON.stringify(end));
  }
});

test('Comments, unknown fields and events without data say nothing', () => {
  assert.deepEqual(new EventParser().push(':x\n\nid: 4\nretry: 10\n\nevent: state\n\n'), []);
});

test('An event without a type is a message, and only one space after the colon is left out', () => {
  assert.deepEqual(new EventParser().push('data:  x\n\ndata:y\n\n'), [
    { type: 'message', data: ' x' },
    { type: 'message', data: 'y' },
  ]);
});

test('An unfinished event is not an event', () => {
  assert.deepEqual(new EventParser().push('data: x\n'), []);
});

test('Reconnecting starts after a second and never waits longer than eight', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 50].map(retryDelay), [1000, 2000, 4000, 8000, 8000, 8000]);
});
