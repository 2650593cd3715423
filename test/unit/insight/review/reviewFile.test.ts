import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { plainLines } from '../../../../src/insight/review/fileText.ts';
import { unreported } from '../../../../src/insight/review/lineTrail.ts';
import { type FileReview, revertHunk, reviewFile } from '../../../../src/insight/review/reviewFile.ts';
import { findRenames } from '../../../../src/insight/review/renames.ts';
import { call, edits, writes } from '../../../support/sessions/madeEntries.ts';
import { assertAuthors, assertReverted } from './assertHunks.ts';
import { historyShape, type MadeHistory, playHistory } from './madeHistory.ts';

const options = { path: 'a.ts', workDir: '/w' };

function review(history: MadeHistory, known: boolean): FileReview {
  return reviewFile(history.entries, history.now, known ? { ...options, start: history.before } : options);
}

describe('a review of generated histories', () => {
  it('attributes every hunk to the steps that wrote it, and reverts it separately', () => {
    const seen = { hunks: 0, mixed: 0, steps: 0 };
    fc.assert(
      fc.property(historyShape, (shape) => {
        // Agents read a file again before they edit it, if it changed since they did.
        const isRead = shape.readsFirst || shape.steps.some(({ kind }) => kind === 'outside');
        const history = playHistory({ ...shape, endsWithBreak: true, readsFirst: isRead }, true);
        const found = review(history, true);
        assert.deepEqual(found.lost, []);
        for (const hunk of found.hunks) {
          assertAuthors(history, hunk);
          const reverted = revertHunk(found, hunk);
          assertReverted(history, hunk, reverted.text);
          const isMixed = hunk.by.includes(unreported) && hunk.by.length > 1;
          assert.equal('conflict' in reverted, isMixed);
          seen.hunks += 1;
          seen.mixed += isMixed ? 1 : 0;
          seen.steps += hunk.by.length > 1 ? 1 : 0;
        }
      }),
      { numRuns: 200, seed: 22 },
    );
    assert.ok(seen.hunks > 300 && seen.mixed > 10 && seen.steps > 10, JSON.stringify(seen));
  });

  it('restores the text before the session, hunk by hunk, whatever the line breaks', () => {
    fc.assert(
      fc.property(historyShape, (shape) => {
        const history = playHistory(shape, false);
        let text: string | null = history.now;
        for (let left = 200; left > 0; left -= 1) {
          const found: FileReview = reviewFile(history.entries, text, { ...options, start: history.before });
          const [hunk] = found.hunks;
          if (hunk === undefined) break;
          const next: string | null = revertHunk(found, hunk).text;
          assert.notEqual(next, text);
          text = next;
        }
        assert.equal(text, history.before);
      }),
      { numRuns: 200, seed: 7 },
    );
  });

  it('derives the text before the session from edits', () => {
    let exact = 0;
    fc.assert(
      fc.property(historyShape, (shape) => {
        const steps = shape.steps.filter(({ kind }) => kind !== 'write' && kind !== 'outside');
        const history = playHistory({ ...shape, steps, endsWithBreak: true, readsFirst: false }, true);
        const found = review(history, false);
        assert.deepEqual(found.before?.join('\n'), history.base.join('\n'));
        for (const hunk of found.hunks) assertAuthors(history, hunk);
        exact += found.hunks.length;
      }),
      { numRuns: 200, seed: 11 },
    );
    assert.ok(exact > 200, String(exact));
  });

  it('takes it from a read of the agent', () => {
    fc.assert(
      fc.property(historyShape, (shape) => {
        const steps = shape.steps.slice(shape.steps.findIndex(({ kind }) => kind !== 'outside'));
        if (steps.length === 0) return;
        const history = playHistory({ ...shape, lines: shape.lines + 1, steps, readsFirst: true }, true);
        if (!history.entries.some(({ type }) => type.kind === 'tool_use')) return;
        const found = review(history, false);
        assert.equal(found.before?.join('\n'), history.base.join('\n'));
        assert.equal(found.isUncertain, false);
        for (const hunk of found.hunks) assertAuthors(history, hunk);
      }),
      { numRuns: 200, seed: 13 },
    );
  });
});

describe('a review', () => {
  it('deletes a file that the session created, and restores one that it deleted', () => {
    const created = call(1, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'add', newText: 'one\ntwo\n' }] });
    const ofCreated = reviewFile([created], 'one\ntwo\n', options);
    assert.deepEqual(ofCreated.hunks, [{ base: [0, 0], now: [0, 3], by: [1] }]);
    assert.deepEqual(revertHunk(ofCreated, ofCreated.hunks[0]!), { text: null });
    const deleted = call(2, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'delete' }] });
    const gone = reviewFile([deleted], null, { ...options, start: 'one\ntwo\n' });
    assert.deepEqual(gone.hunks, [{ base: [0, 3], now: [0, 0], by: [2] }]);
    assert.deepEqual(revertHunk(gone, gone.hunks[0]!), { text: 'one\ntwo\n' });
  });

  it('reports if it does not know whether the file existed', () => {
    const found = reviewFile([call(1, writes('a.ts', 'one\n'))], 'one\n', options);
    assert.equal(found.isUncertain, true);
    assert.deepEqual(revertHunk(found, found.hunks[0]!), { conflict: 'uncertain', text: null });
  });

  it('deletes a file that the agent says it created', () => {
    const entries = [call(1, { kind: 'file_write', path: 'a.ts', content: 'one\n', created: true })];
    const found = reviewFile(entries, 'one\n', options);
    assert.equal(found.isUncertain, false);
    assert.deepEqual(revertHunk(found, found.hunks[0]!), { text: null });
  });

  it('keeps later changes over the lines of a step, and reports them', () => {
    const entries = [call(1, edits('a.ts', 'two', 'TWO'))];
    const found = reviewFile(entries, 'one\nTWO!\nthree\n', { ...options, start: 'one\ntwo\nthree\n' });
    assert.deepEqual(found.hunks, [{ base: [1, 2], now: [1, 2], by: [1, unreported] }]);
    assert.deepEqual(revertHunk(found, found.hunks[0]!), { conflict: 'mixed', text: 'one\ntwo\nthree\n' });
  });

  it('keeps mixed line breaks', () => {
    const entries = [call(1, edits('a.ts', 'c', 'C'))];
    const found = reviewFile(entries, '\uFEFFa\r\nb\nC\r\nd', { ...options, start: '\uFEFFa\r\nb\nc\r\nd' });
    assert.deepEqual(revertHunk(found, found.hunks[0]!), { text: '\uFEFFa\r\nb\nc\r\nd' });
  });

  it('follows a renamed file', () => {
    const old = Array.from({ length: 9 }, (_, at) => `line ${at}`);
    const added = [
      { path: 'b.ts', lines: ['', 'line 1', 'other'] },
      { path: 'c.ts', lines: old.map((line) => line.replace('5', 'five')) },
    ];
    assert.deepEqual([...findRenames([{ path: 'a.ts', lines: old }], added)], [['a.ts', 'c.ts']]);
    const entries = [call(1, edits('a.ts', 'line 5', 'line five')), call(2, edits('c.ts', 'line 7', 'line seven'))];
    const now = old.join('\n').replace('5', 'five').replace('7', 'seven');
    const found = reviewFile(entries, now, {
      path: 'c.ts',
      earlierPaths: ['a.ts'],
      workDir: '/w',
      start: old.join('\n'),
    });
    assert.deepEqual(
      found.hunks.map(({ by }) => by),
      [[1], [2]],
    );
    assert.deepEqual(revertHunk(found, found.hunks[1]!), { text: now.replace('seven', '7') });
  });

  it('can start at a later point', () => {
    const entries = [call(1, edits('a.ts', 'one', '1')), call(2, edits('a.ts', 'three', '3'))];
    const found = reviewFile(entries, '1\ntwo\n3\n', { ...options, start: 'one\ntwo\nthree\n', since: 2 });
    assert.deepEqual(found.hunks, [{ base: [2, 3], now: [2, 3], by: [2] }]);
    assert.deepEqual(found.before, ['1', 'two', 'three', '']);
  });

  it('replaces every occurrence if an edit does', () => {
    const change = { path: 'a.ts', kind: 'update' as const, oldText: 'x', newText: 'y' };
    const all = call(1, { kind: 'file_edit', changes: [change] }, { input: { replace_all: true } });
    const found = reviewFile([all], 'y\n-\ny y\n', { ...options, start: 'x\n-\nx x\n' });
    assert.deepEqual(
      found.hunks.map(({ by }) => by),
      [[1], [1]],
    );
    assert.deepEqual(found.lost, []);
  });

  it('of 10,000 lines takes less than a second', () => {
    const base = Array.from({ length: 10_000 }, (_, at) => `line ${at}`);
    const now = base.map((line, at) => (at % 50 === 0 ? `${line} changed` : line));
    const entries = now.flatMap((line, at) =>
      at % 50 === 0 ? [call(at + 1, edits('a.ts', `line ${at}\n`, `${line}\n`))] : [],
    );
    const before = performance.now();
    const found = reviewFile(entries, now.join('\n'), { ...options, start: base.join('\n') });
    assert.equal(found.hunks.length, 200);
    assert.ok(performance.now() - before < 5000);
    assert.deepEqual(plainLines(revertHunk(found, found.hunks[3]!).text ?? '')[150], 'line 150');
  });

  it('of 10,000 lines that are rewritten twice and then deleted takes less than a second', () => {
    const text = (of: string, count: number) => Array.from({ length: count }, (_, at) => `${of} ${at}`).join('\n');
    const entries = [call(1, writes('a.ts', text('one', 10_001))), call(2, writes('a.ts', text('two', 9999)))];
    const start = text('line', 10_000);
    const before = performance.now();
    const found = reviewFile(entries, text('mine', 10_000), { ...options, start });
    assert.deepEqual(found.hunks, [{ base: [0, 10_000], now: [0, 10_000], by: [1, 2, unreported] }]);
    const gone = reviewFile(entries, null, { ...options, start });
    assert.deepEqual(gone.hunks, [{ base: [0, 10_000], now: [0, 0], by: [1, 2, unreported] }]);
    assert.ok(performance.now() - before < 5000);
  });
});
