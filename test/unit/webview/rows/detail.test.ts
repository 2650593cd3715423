import assert from 'node:assert/strict';
import type { DetailLevel } from '../../../../src/protocol/panel/detailLevel.ts';
import type { PageEntry } from '../../../../src/protocol/panel/messages.ts';
import { type DetailSource, withDetail } from '../../../../webview/rows/detailLevel.ts';
import { buildRows, type Row } from '../../../../webview/rows/rows.ts';
import { relativeTime } from '../../../../webview/text/ago.ts';
import { createFullScript, Script } from '../../../support/page/madeUp.ts';

function rowsOf({ entries, turns }: Pick<Script, 'turns'> & { readonly entries: readonly PageEntry[] }): Row[] {
  return buildRows({
    entryCount: entries.length,
    turns,
    pageSize: 1000,
    entry: (index) => entries[index],
    hasPage: () => true,
    parts: () => 1,
    isClosed: () => false,
    isNoiseOpen: () => false,
  });
}

function shownAt(script: Script, level: DetailLevel, overrides: Partial<DetailSource> = {}): Row[] {
  const entry = (index: number): PageEntry | undefined => script.entries[index];
  return withDetail(rowsOf(script), {
    level,
    peopleOnly: false,
    entry,
    open: () => false,
    isRevealed: () => false,
    ...overrides,
  });
}

const text = (rows: readonly Row[]): string =>
  rows
    .map((row) => {
      if (row.kind === 'entry') return String(row.index);
      if (row.kind !== 'hidden') return row.kind;
      const { steps, failed, thoughts, messages, system } = row.counts;
      return `[${steps}/${failed} ${thoughts} ${messages} ${system}]`;
    })
    .join(' ');

function script(): Script {
  const s = new Script();
  s.turn('Do it');
  s.system('status', 'busy');
  s.think('Hm.');
  s.tool('Bash', { kind: 'command_run', command: 'ls', exitCode: 0 });
  s.tool('Bash', { kind: 'command_run', command: 'false', exitCode: 1 });
  s.tool('Read', { kind: 'file_read', path: 'a' });
  s.system('unreported_changes', 'A file changed.');
  s.addMessage('Done.');
  s.add({ type: { kind: 'error', error: { message: 'no' } }, content: 'no' });
  return s;
}

describe('levels of detail', () => {
  it('show everything by default', () => {
    assert.deepEqual(shownAt(script(), 'everything'), rowsOf(script()));
  });

  it('of a summary hide successful steps, and count them in place', () => {
    assert.equal(text(shownAt(script(), 'summary')), 'turn 0 [1/0 1 0 1] 4 [1/0 0 0 0] 6 7 8');
  });

  it('of answers hide every step, and count failed ones', () => {
    assert.equal(text(shownAt(script(), 'answers')), 'turn 0 [3/1 1 0 1] 6 7 8');
  });

  it('count everything: hidden and shown rows add up', () => {
    const s = createFullScript();
    for (const level of ['summary', 'answers'] as const) {
      const rows = shownAt(s, level);
      const shown = rows.filter((row) => row.kind === 'entry').length;
      const hidden = rows.reduce((sum, row) => {
        if (row.kind !== 'hidden') return sum;
        const { steps, thoughts, messages, system } = row.counts;
        return sum + steps + thoughts + messages + system;
      }, 0);
      assert.equal(shown + hidden, s.entries.length, level);
      assert.ok(hidden > 0, level);
    }
  });

  it('show opened details below their row, and jump targets in place', () => {
    const opened = shownAt(script(), 'answers', { open: (key) => key.startsWith('h:') });
    assert.match(text(opened), /^turn 0 \[3\/1 1 0 1\] noise 2 3 4 5 6/);
    assert.equal(
      text(shownAt(script(), 'answers', { isRevealed: (index) => index === 4 })),
      'turn 0 [1/0 1 0 1] 4 [1/0 0 0 0] 6 7 8',
    );
  });

  it('never hide a pending request', () => {
    const s = new Script();
    s.turn('Do it');
    const index = s.system('request', 'May I?');
    const asked = { request: { id: 'r', kind: 'permission', title: 'x', asked_at: 'a', expires_at: 'b' } } as const;
    const entry = (at: number): PageEntry | undefined => {
      const found = s.entries[at];
      return at === index && found !== undefined ? { ...found, asked } : found;
    };
    assert.equal(text(shownAt(s, 'answers', { entry })), 'turn 0 1');
    const decision = { by: 'user', at: 'c', answer: { kind: 'allow', scope: 'once' } } as const;
    const decided = (at: number): PageEntry | undefined => {
      const found = entry(at);
      return found?.asked === undefined ? found : { ...found, asked: { ...asked, decision } };
    };
    assert.equal(text(shownAt(s, 'answers', { entry: decided })), 'turn 0 [0/0 0 0 1]');
  });
});

describe('how long ago something was', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');

  it('is shown in the largest unit that fits', () => {
    const said = (ms: number): string => relativeTime(new Date(now - ms).toISOString(), now);
    assert.equal(said(0), 'now');
    assert.equal(said(59_000), 'now');
    assert.equal(said(60_000), '1 minute ago');
    assert.equal(said(3_599_000), '59 minutes ago');
    assert.equal(said(2 * 3_600_000), '2 hours ago');
    assert.equal(said(86_400_000), 'yesterday');
    assert.equal(said(-5000), 'now');
  });

  it('is empty for an invalid time', () => {
    const sunday = new Date(2026, 10, 22, 0, 10).getTime();
    assert.equal(relativeTime(new Date(2026, 10, 20, 10, 0).toISOString(), sunday), '2 days ago');
    assert.equal(relativeTime('soon', now), '');
  });
});
