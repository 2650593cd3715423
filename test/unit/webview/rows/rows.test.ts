import * as assert from 'node:assert/strict';
import type { PageEntry } from '../../../../src/protocol/panel/messages.ts';
import type { Turn } from '../../../../src/model/session/turn.ts';
import { buildRows, type Row, type RowSource } from '../../../../webview/rows/rows.ts';
import { createFullScript, createLongScript, Script } from '../../../support/page/madeUp.ts';

function source(
  entries: readonly (PageEntry | undefined)[],
  turns: readonly Turn[],
  overrides: Partial<RowSource> = {},
): RowSource {
  return {
    entryCount: entries.length,
    turns,
    pageSize: 100,
    entry: (index) => entries[index],
    hasPage: (page) => entries.slice(page * 100, (page + 1) * 100).some((entry) => entry !== undefined),
    parts: () => 1,
    isClosed: () => false,
    isNoiseOpen: () => false,
    ...overrides,
  };
}

const kinds = (rows: readonly Row[]): string =>
  rows
    .map((row) =>
      row.kind === 'entry'
        ? `${row.index}${'>'.repeat(row.depth)}`
        : row.kind === 'gap'
          ? `${row.from}…${row.to}`
          : row.kind,
    )
    .join(' ');

describe('rows', () => {
  it('have a heading per turn, a fold for system lines, a group for parallel steps, an end for interruptions', () => {
    const { entries, turns } = createFullScript();
    assert.equal(
      kinds(buildRows(source(entries, turns))),
      'turn 0 1 noise 4 group 5> 6> 7> 8 9 10 11> 12> 13> 14> 15 16 17 18 19 20 turn 21 22 23 24 25 26 27 28 29 end',
    );
  });

  it('show every entry once when everything is open, and never twice when closed', () => {
    const { entries, turns } = createFullScript();
    const shown = (overrides: Partial<RowSource>): number[] =>
      buildRows(source(entries, turns, overrides)).flatMap((row) => (row.kind === 'entry' ? [row.index] : []));
    assert.deepEqual(
      shown({ isNoiseOpen: () => true }),
      entries.map(({ index }) => index),
    );
    const closed = shown({ isClosed: () => true });
    assert.equal(new Set(closed).size, closed.length);
    assert.equal(closed.includes(11), false);
  });

  it('represent unloaded pages, split where turns start', () => {
    const { entries, turns } = createLongScript(250);
    const loaded = entries.map((entry, index) => (index >= 200 ? entry : undefined));
    const rows = kinds(buildRows(source(loaded, turns)));
    assert.match(rows, /^turn 0…40 turn 40…80 turn 80…100 100…120 turn 120…160 turn 160…200 turn 200 201 /);
  });

  it('have keys that do not change when other rows appear', () => {
    const { entries, turns } = createFullScript();
    const before = buildRows(source(entries.slice(0, 25), turns)).map(({ key }) => key);
    const after = buildRows(source(entries, turns)).map(({ key }) => key);
    assert.equal(new Set(after).size, after.length);
    assert.ok(before.filter((key) => !key.startsWith('x:')).every((key) => after.includes(key)));
  });

  it('nest up to 200 levels', () => {
    const script = new Script();
    script.turn('deep');
    for (let level = 0; level < 200; level++) {
      const parentCallId = level === 0 ? undefined : `call_${script.entries.length - 1}`;
      script.tool(
        'Task',
        { kind: 'task', description: `level ${level}` },
        1,
        parentCallId === undefined ? {} : { parentCallId },
      );
    }
    const rows = buildRows(source(script.entries, script.turns));
    const last = rows.at(-1);
    assert.equal(last?.kind === 'entry' && last.depth, 199);
    const folded = buildRows(source(script.entries, script.turns, { isClosed: (key) => key === 'c:call_1' }));
    assert.equal(folded.length, 3);
  });
});
