import * as assert from 'node:assert/strict';
import { Channel, isEnvelope } from '../../../src/protocol/channel.ts';
import type { Envelope, FromPage, PageEntry, Packet, ToPage } from '../../../src/protocol/panel/messages.ts';
import { UpdateFeed } from '../../../src/protocol/panel/updateFeed.ts';
import { view } from '../../support/page/madeUp.ts';

const failed = (message: string): Packet => ({ type: 'failed', request: 0, message });
const entry = (index: number, content: string): PageEntry => ({
  index,
  timestamp: '2026-01-02T10:00:00Z',
  type: { kind: 'assistant_message' },
  content,
});

const init = (): Extract<ToPage, { type: 'init' }> => {
  const page = { total: 0, from: 0, entries: [] };
  return { type: 'init', view: view(), page, open: [], l10n: {}, locale: 'en' };
};

function pair() {
  const wire: Envelope<Packet>[] = [];
  const got: string[] = [];
  let gaps = 0;
  const host = new Channel<Packet, FromPage>({
    post: (envelope) => wire.push(envelope),
    deliver: () => undefined,
  });
  const page = new Channel<FromPage, Packet>({
    post: () => undefined,
    deliver: (message) => got.push(message.type === 'failed' ? message.message : message.type),
    startsGeneration: (message) => message.type === 'failed' && message.message === 'begin',
    onGap: () => (gaps += 1),
  });
  return { wire, got, host, page, gaps: () => gaps };
}

describe('channel', () => {
  it('delivers in order, once, and only of the newest generation', () => {
    const { wire, got, host, page, gaps } = pair();
    host.restart();
    for (const message of ['begin', 'a', 'b']) host.send(failed(message));
    const first = wire.splice(0);
    for (const envelope of [...first, first[2]!]) page.receive(envelope);
    host.restart();
    host.send(failed('begin'));
    host.send(failed('c'));
    for (const envelope of [...wire, first[1]!]) page.receive(envelope);
    assert.deepEqual(got, ['begin', 'a', 'b', 'begin', 'c']);
    assert.equal(page.received, 1);
    assert.equal(gaps(), 0);
  });

  it('detects a gap once, and recovers with the next generation', () => {
    const { wire, got, host, page, gaps } = pair();
    host.restart();
    for (const message of ['begin', 'lost', 'b', 'c']) host.send(failed(message));
    for (const at of [0, 2, 3]) page.receive(wire[at]!);
    assert.equal(gaps(), 1);
    host.restart();
    host.send(failed('begin'));
    page.receive(wire.at(-1)!);
    assert.deepEqual(got, ['begin', 'begin']);
  });

  it("receives the page's requests of any generation", () => {
    const heard: FromPage[] = [];
    const host = new Channel<ToPage, FromPage>({ post: () => undefined, deliver: (message) => heard.push(message) });
    host.restart();
    host.receive({ generation: 0, seq: 9, message: { type: 'send', text: 'hello' } });
    assert.deepEqual(heard, [{ type: 'send', text: 'hello' }]);
  });

  it('ignores invalid envelopes', () => {
    for (const data of [null, 1, 'x', {}, { generation: 1, seq: '0', message: {} }, { generation: 1, seq: 0 }]) {
      assert.equal(isEnvelope(data), false);
    }
  });
});

describe('feed of updates', () => {
  it('has one pending batch, and merges the rest', () => {
    const { wire, host } = pair();
    const feed = new UpdateFeed(host);
    feed.begin(init());
    feed.push([{ op: 'put', entry: entry(0, 'a'), open: true }], 1);
    feed.push([{ op: 'append', index: 0, text: 'b' }], 1);
    feed.push([{ op: 'append', index: 1, text: 'c' }], 2);
    feed.push([{ op: 'append', index: 1, text: 'd' }], 2);
    assert.equal(wire.length, 1);
    feed.acknowledge(0);
    assert.deepEqual(wire[1]?.message, {
      type: 'updates',
      total: 2,
      updates: [
        { op: 'put', entry: entry(0, 'ab'), open: true },
        { op: 'append', index: 1, text: 'cd' },
      ],
    });
    feed.push([{ op: 'append', index: 1, text: 'e' }], 2);
    assert.equal(wire.length, 2);
    feed.acknowledge(1);
    assert.equal(wire.length, 3);
  });

  it('extends thinking together with its content', () => {
    const { wire, host } = pair();
    const feed = new UpdateFeed(host);
    feed.begin(init());
    const thought: PageEntry = { ...entry(0, 'a'), type: { kind: 'thinking', reasoning: 'x' } };
    feed.push(
      [
        { op: 'put', entry: thought },
        { op: 'append', index: 0, text: 'b' },
      ],
      1,
    );
    feed.acknowledge(0);
    const message = wire[1]?.message;
    const update = message?.type === 'updates' ? message.updates[0] : undefined;
    assert.deepEqual(update, {
      op: 'put',
      entry: { ...thought, content: 'ab', type: { kind: 'thinking', reasoning: 'xb' } },
    });
  });
});
