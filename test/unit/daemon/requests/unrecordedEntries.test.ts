import assert from 'node:assert/strict';
import { UnrecordedEntries } from '../../../../src/daemon/requests/unrecordedEntries.ts';
import type { AgentRequest, Decision } from '../../../../src/model/agent/request.ts';
import type { EntryUpdate, NormalizedEntry } from '../../../../src/model/transcript/entry.ts';

const at = '2026-01-01T00:00:00.000Z';
const request = (id: string): AgentRequest => ({ id, kind: 'permission', title: `run ${id}`, asked_at: at });
const entry = (index: number, content = `entry ${index}`): NormalizedEntry => ({
  index,
  timestamp: at,
  type: { kind: 'assistant_message' },
  content,
});
const puts = (updates: readonly EntryUpdate[]) =>
  updates.map((update) => update.op === 'put' && [update.entry.index, update.open === true]);

describe('entries that the record of a run in another daemon lacks', () => {
  let entries: UnrecordedEntries;
  beforeEach(() => (entries = new UnrecordedEntries('/work')));

  it('include each waiting request, at the first indexes that are missing', () => {
    const recorded = { firstUnreported: 2, entries: [entry(3)] };
    const updates = entries.arrange([request('a'), request('b')], recorded);
    assert.deepEqual(puts(updates), [
      [2, true],
      [4, true],
    ]);
    assert.deepEqual([entries.waitingIndexes(), entries.total, entries.first], [[2, 4], 5, 2]);
    assert.match(entries.unsettled()[0]?.content ?? '', /Asks for permission: `run a`/);
    assert.deepEqual(entries.arrange([request('a'), request('b')], recorded), [], 'they stay there');
  });

  it('move a request when another entry settles at its index', () => {
    entries.arrange([request('a')], { firstUnreported: 2, entries: [] });
    assert.deepEqual(puts(entries.settle([entry(2)])), [[2, false]]);
    assert.deepEqual(puts(entries.arrange([request('a')], { firstUnreported: 3, entries: [] })), [[3, true]]);
    assert.deepEqual(entries.waitingIndexes(), [3]);
    assert.deepEqual(puts(entries.arrange([request('a')], { firstUnreported: 3, entries: [entry(2), entry(3)] })), [
      [4, true],
    ]);
    assert.deepEqual(
      entries.entriesBetween(0, 9).map(({ index }) => index),
      [4],
    );
  });

  it('keep an answered request as text until its index has its entry', () => {
    entries.arrange([request('a')], { firstUnreported: 2, entries: [] });
    assert.deepEqual(puts(entries.arrange([], { firstUnreported: 2, entries: [] })), [[2, false]]);
    const [left] = entries.entriesBetween(0, 9);
    assert.deepEqual([left?.metadata, entries.waitingIndexes(), entries.total], [{}, [], 3]);
    entries.arrange([], { firstUnreported: 3, entries: [entry(2)] });
    assert.deepEqual([entries.total, entries.first], [0, undefined]);
  });

  it('say how an answered request was decided, if that is known', () => {
    const decision: Decision = { by: 'user', at, answer: { kind: 'allow', scope: 'once' } };
    entries.arrange([request('a')], { firstUnreported: 2, entries: [] });
    entries.arrange([], { firstUnreported: 2, entries: [] }, (id) => (id === 'a' ? decision : undefined));
    const [left] = entries.entriesBetween(0, 9);
    assert.deepEqual(left?.metadata, { request: request('a'), decision });
    assert.match(left.content, /^Allowed once: `run a`/);
  });

  it('leave out a request that the record has', () => {
    const recorded = { ...entry(4), metadata: { request: request('a') } };
    assert.deepEqual(entries.arrange([request('a')], { firstUnreported: 2, entries: [recorded] }), []);
    assert.equal(entries.total, 0);
  });
});
