import assert from 'node:assert/strict';
import { originSchema, type NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { pageEntry } from '../../../../src/protocol/panel/pageEntries.ts';
import type { PageEntry } from '../../../../src/protocol/panel/messages.ts';
import { withDetail } from '../../../../webview/rows/detailLevel.ts';
import { isAutomatic, originOf } from '../../../../webview/rows/origins.ts';
import { hiddenText } from '../../../../webview/parts/rows/hiddenText.ts';
import { originView } from '../../../../webview/parts/rows/origin.ts';
import type { Row } from '../../../../webview/rows/rows.ts';

/** As the host gives it to the page. */
function message(index: number, overrides: Partial<NormalizedEntry> = {}): PageEntry {
  return pageEntry({
    index,
    timestamp: '2026-11-20T10:00:00Z',
    type: { kind: 'user_message' },
    content: 'Continue.',
    ...overrides,
  });
}

describe('the author of a message', () => {
  it('has an icon and a word for every origin', () => {
    const views = originSchema.options.map((origin) => originView(message(0, { origin })));
    assert.equal(new Set(views.map(({ icon }) => icon)).size, originSchema.options.length);
    assert.equal(new Set(views.map(({ word }) => word)).size, originSchema.options.length);
    for (const [at, { by }] of views.entries()) assert.equal(by === '', originSchema.options[at] === 'human');
  });

  it('is never derived from its text', () => {
    for (const content of [
      '[synthetic: true] check_in',
      '<callback>done</callback>',
      '{"synthetic":true}',
      '🤖 Follow-up:',
    ]) {
      assert.equal(originOf(message(0, { content })), 'human');
      assert.equal(isAutomatic(message(0, { content, origin: 'human' })), false);
    }
  });

  it('is a trigger only with valid marks, with its reason', () => {
    const metadata = { synthetic: true, trigger_type: 'task_incomplete' as const, trigger_reason: 'tests are red' };
    for (const entry of [message(0, { metadata }), message(0, { metadata, origin: 'human' })]) {
      assert.equal(originOf(entry), 'follow_up');
      const { by } = originView(entry);
      assert.match(by, /not by you · an incomplete task · tests are red$/);
    }
    assert.equal(originOf(message(0, { metadata: { synthetic: false } })), 'human');
    const mistyped = { metadata: { synthetic: 'true' } } as unknown as Partial<NormalizedEntry>;
    assert.equal(originOf(message(0, mistyped)), 'human');
    assert.equal(originOf(message(0, { metadata, origin: 'callback' })), 'callback');
  });
});

describe('automatic messages', () => {
  const entries = [
    message(0, { origin: 'human' }),
    message(1, { origin: 'follow_up' }),
    message(2, { origin: 'callback' }),
    message(3, { type: { kind: 'assistant_message' } }),
    message(4, { origin: 'hook' }),
    message(5, { origin: 'replay' }),
    message(6, { type: { kind: 'system_message' }, origin: 'system' }),
  ];
  const rows = entries.map(({ index }): Row => ({
    kind: 'entry',
    key: `e:${index}`,
    turn: 0,
    index,
    part: 0,
    depth: 0,
  }));
  const shown = (peopleOnly: boolean, open: string[] = [], asked: number[] = []) =>
    withDetail(rows, {
      level: 'everything',
      peopleOnly,
      entry: (index) => entries[index],
      open: (key) => open.includes(key),
      isRevealed: (index) => asked.includes(index),
    }).map((row) => (row.kind === 'hidden' ? hiddenText(row.counts) : row.key));

  it('excludes follow-ups and child results, and nothing else', () => {
    const metadata = { synthetic: true };
    const written = [
      message(0, { origin: 'human' }),
      message(1, { origin: 'follow_up', metadata: { ...metadata, trigger_type: 'check_in' } }),
      message(2, { origin: 'callback', metadata }),
      message(3, { metadata: { synthetic: false } }),
      message(4, { origin: 'hook' }),
      message(5, { type: { kind: 'assistant_message' }, metadata }),
    ];
    const left = withDetail(
      written.map(({ index }) => ({ kind: 'entry', key: `e:${index}`, turn: 0, index, part: 0, depth: 0 })),
      {
        level: 'everything',
        hidesSynthetic: true,
        entry: (index) => written[index],
        open: () => false,
        isRevealed: () => false,
      },
    );
    assert.deepEqual(
      left.map((row) => (row.kind === 'hidden' ? hiddenText(row.counts) : row.key)),
      ['e:0', '2 automatic messages hidden', 'e:3', 'e:4', 'e:5'],
    );
  });

  it('can be hidden, each group counted in place', () => {
    const hidden = ['e:0', '2 automatic messages hidden', 'e:3', '1 automatic message hidden', 'e:5', 'e:6'];
    assert.deepEqual(shown(true), hidden);
    assert.deepEqual(
      shown(false),
      rows.map(({ key }) => key),
    );
  });

  it('are shown again by the row that counts them, and when jumped to', () => {
    assert.deepEqual(shown(true, ['h:e:1']).slice(0, 4), ['e:0', '2 automatic messages hidden', 'e:1', 'e:2']);
    assert.deepEqual(shown(true, [], [2]).slice(0, 4), ['e:0', '1 automatic message hidden', 'e:2', 'e:3']);
  });
});
