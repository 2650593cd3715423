import * as assert from 'node:assert/strict';
import fc from 'fast-check';
import { adapters } from '../../../../src/agents/registry.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { applyChange, changeOf } from '../../../../src/protocol/panel/change.ts';
import { SentState } from '../../../../src/protocol/panel/sentState.ts';
import type { PageEntry, Packet } from '../../../../src/protocol/panel/messages.ts';
import { pageEntry } from '../../../../src/protocol/panel/pageEntries.ts';
import { capturesOf, linesOfCapture, readBy } from '../../../support/captures/agentCaptures.ts';
import { view } from '../../../support/page/madeUp.ts';
import { PostedMessages } from '../../../support/sessions/posted.ts';

const overTheWire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const said = (content: string, overrides: Partial<NormalizedEntry> = {}): NormalizedEntry => ({
  index: 0,
  timestamp: '2026-01-02T10:00:00Z',
  type: { kind: 'assistant_message' },
  content,
  ...overrides,
});

describe('changes', () => {
  it('transform any value into any other', () => {
    const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
    fc.assert(
      fc.property(value, value, (before, after) => {
        const change = changeOf(before, after);
        const there = change === undefined ? before : applyChange(before, overTheWire(change));
        assert.deepEqual(overTheWire(there), overTheWire(after));
      }),
      { numRuns: 300 },
    );
  });

  it('treat keys as data, and undefined fields as missing', () => {
    const before = overTheWire({ a: 1, b: { c: 2 } });
    const after = JSON.parse('{"b":{"c":2,"__proto__":{"x":1}},"constructor":3}') as typeof before;
    const there = applyChange(before, overTheWire(changeOf(before, after)!));
    assert.equal(JSON.stringify(there), '{"b":{"c":2,"__proto__":{"x":1}},"constructor":3}');
    assert.equal(Object.getPrototypeOf(there.b), Object.prototype);
    assert.equal(changeOf<{ a?: number | undefined }>({}, { a: undefined }), undefined);
  });

  it('contain only what is new', () => {
    const long = 'x'.repeat(10_000);
    const change = changeOf({ text: long, list: [1, long, 3] }, { text: `${long}!`, list: [1, long, 3, 4] });
    assert.ok(JSON.stringify(change).length < 120, JSON.stringify(change));
  });

  it('keep what did not change', () => {
    const turns = [{ n: 1 }, { n: 2 }];
    const before = { turns, cost: 1 };
    assert.equal(applyChange(before, changeOf(before, { turns: structuredClone(turns), cost: 2 })!).turns, turns);
  });
});

describe('data that was sent', () => {
  it('is not sent again: a streamed reply is closed in a few bytes', () => {
    const posted = new PostedMessages(view());
    posted.frame();
    posted.push([{ op: 'put', entry: said(''), open: true }]);
    posted.frame();
    const text = 'Some words. '.repeat(1000);
    for (let at = 0; at < text.length; at += 20)
      posted.push([{ op: 'append', index: 0, text: text.slice(at, at + 20) }]);
    posted.frame();
    const before = posted.bytes;
    posted.push([{ op: 'put', entry: said(text, { metadata: { model: 'm' } }) }]);
    posted.frame();
    assert.ok(posted.bytes - before < 300, `${posted.bytes - before} bytes`);
    assert.deepEqual(posted.entries.get(0), overTheWire(pageEntry(said(text, { metadata: { model: 'm' } }))));
  });

  it('is sent completely if the text was replaced', () => {
    const posted = new PostedMessages(view());
    posted.frame();
    posted.push([{ op: 'put', entry: said('begun'), open: true }]);
    posted.frame();
    posted.push([{ op: 'put', entry: said('redacted') }]);
    assert.equal(posted.entries.get(0)?.content, 'redacted');
  });

  it('is not split if a long message was sent at once', () => {
    const posted = new PostedMessages(view());
    posted.frame();
    posted.push([{ op: 'put', entry: said(''), open: true }]);
    const text = 'word '.repeat(100_000);
    for (let at = 0; at < text.length; at += 5000) {
      posted.push([{ op: 'append', index: 0, text: text.slice(at, at + 5000) }]);
      posted.frame();
    }
    posted.push([{ op: 'put', entry: said(text) }]);
    posted.frame();
    assert.equal(posted.entries.get(0)?.content, text);
    assert.equal(posted.entries.get(0)?.cut, undefined);
  });

  it('continues after a page restarted during a reply', () => {
    const posted = new PostedMessages(view());
    posted.push([{ op: 'put', entry: said('one'), open: true }]);
    posted.begin();
    posted.frame();
    posted.push([{ op: 'append', index: 0, text: ' two' }]);
    posted.frame();
    posted.push([{ op: 'put', entry: said('one two three') }]);
    posted.frame();
    assert.equal(posted.entries.get(0)?.content, 'one two three');
    assert.equal(posted.gaps, 0);
  });

  it('is not reused if the page has other data', () => {
    const [host, page] = [new SentState(), new SentState()];
    const init = (content: string) =>
      ({
        type: 'init',
        view: view(),
        page: { total: 1, from: 0, entries: [said(content)] },
        open: [0],
        l10n: {},
        locale: 'en',
      }) as const;
    host.begin(init('one'));
    page.begin(init('eno'));
    const update = host.encodeUpdate({ op: 'put', entry: said('one two') });
    const message: Packet = { type: 'updates', updates: [update], total: 1 };
    assert.equal(page.readMessage(message), undefined);
    assert.equal(new SentState().readMessage(message), undefined);
    page.begin(init('one'));
    assert.notEqual(page.readMessage(message), undefined);
  });

  it('is forgotten in the same order on both sides', () => {
    const posted = new PostedMessages(view());
    const entries = Array.from({ length: 200 }, (_, index) => said(`Reply ${index}`, { index }));
    for (const entry of [...entries, ...entries, ...entries.slice(-10)]) {
      posted.push([{ op: 'put', entry: { ...entry, content: `${entry.content}.` } }]);
      posted.frame();
    }
    assert.equal(posted.gaps, 0);
    assert.equal(posted.entries.size, 200);
  });

  it('is compared, so that only changes of a view are sent', () => {
    const turns = Array.from({ length: 300 }, (_, n) => ({
      runId: `run_${n}`,
      firstIndex: n,
      status: 'completed' as const,
      startedAt: '2026-01-02T10:00:00Z',
      durationMs: 1,
      steps: 2,
      usd: null,
      costProvenance: 'unknown' as const,
    }));
    const posted = new PostedMessages(view({ turns }));
    posted.show(view({ turns: structuredClone(turns) }));
    assert.equal(posted.messages, 0);
    const next = view({ turns: turns.map((turn, n) => (n === 299 ? { ...turn, steps: 3 } : turn)), why: 'Running.' });
    posted.show(next);
    assert.ok(posted.bytes < 250, `${posted.bytes} bytes`);
    assert.deepEqual(posted.view, overTheWire(next));
  });

  for (const adapter of adapters) {
    it(`produces the final transcript, whatever the page has drawn before: ${adapter.type}`, () => {
      for (const capture of capturesOf(adapter.type)) {
        const { updates, entries } = readBy(adapter, linesOfCapture(capture), capture.exit);
        for (const perFrame of [1, 7]) {
          const posted = new PostedMessages(view());
          for (const [at, update] of updates.entries()) {
            posted.push([update]);
            if (at % perFrame === 0) posted.frame();
          }
          for (let frame = 0; frame < 3; frame += 1) posted.frame();
          assert.equal(posted.gaps, 0, capture.name);
          const meant = entries.map((entry): PageEntry => overTheWire(pageEntry(entry)));
          const got = meant.map(({ index }) => posted.entries.get(index));
          assert.deepEqual(got, meant, capture.name);
        }
      }
    });
  }
});
