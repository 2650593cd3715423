import assert from 'node:assert/strict';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import {
  type FileSort,
  maxLines,
  type TrajectoryPage,
  type TrajectoryQuery,
  type ViewAnswer,
} from '../../../../src/protocol/panel/viewMessages.ts';
import type { FileNow } from '../../../../src/pages/session/fileNow.ts';
import { SessionViews } from '../../../../src/pages/session/sessionViews.ts';
import { call, edits, reads, writes } from '../../../support/sessions/madeEntries.ts';
import { until } from '../../../support/until.ts';

const start = Date.parse('2026-01-02T10:00:00Z');
const iso = (seconds: number): string => new Date(start + seconds * 1000).toISOString();

function read(index: number, path: string, status: 'success' | 'running' = 'success'): NormalizedEntry {
  const tool = {
    toolName: 'Read',
    callId: `call_${index}`,
    action: { kind: 'file_read' as const, path },
    status,
    startedAt: iso(index),
    ...(status === 'success' && { endedAt: iso(index + 1), result: { text: 'same' } }),
  };
  return { index, timestamp: iso(index), type: { kind: 'tool_use', tool }, content: 'Read' };
}

const wish: TrajectoryQuery = { query: '', kinds: [], repeats: false, sort: 'time', closed: [] };

function viewsOf(entries: NormalizedEntry[], live = false, disk?: (path: string) => FileNow | undefined) {
  const sent: ViewAnswer[] = [];
  const reads: number[] = [];
  const source = {
    entryCount: () => entries.length,
    read: (from: number, to: number) => {
      reads.push(to - from);
      return Promise.resolve(entries.slice(from, to));
    },
    turns: () => [{ firstIndex: 0, startedAt: iso(0), durationMs: null }],
    isLive: () => live,
    summary: () => ({ project_dir: '/relay' }),
    ...(disk !== undefined && { fileNow: (path: string) => Promise.resolve(disk(path)) }),
  };
  const views = new SessionViews(
    source,
    (answer) => sent.push(answer),
    () => start + 100_000,
  );
  const trajectory = async (
    overrides: Partial<TrajectoryQuery> = {},
    from = 0,
    around?: number,
  ): Promise<TrajectoryPage> => {
    const at = around === undefined ? {} : { around };
    await views.answer({
      type: 'getTrajectory',
      request: 1,
      from,
      count: maxLines,
      wish: { ...wish, ...overrides },
      ...at,
    });
    const last = sent.at(-1);
    assert.ok(last?.type === 'trajectory');
    return last.page;
  };
  return { views, sent, reads, trajectory };
}

describe('the views of a session', () => {
  it('read the record once, in chunks, and return a page of it', async () => {
    const { trajectory, reads } = viewsOf(
      Array.from({ length: 1200 }, (_, index) => read(index, `/relay/f${index}.ts`)),
    );
    const first = await trajectory();
    assert.deepEqual([first.total, first.lines.length, first.counts.read], [1201, maxLines, 1200]);
    const later = await trajectory({}, 1000);
    const [line] = later.lines;
    assert.ok(line?.type === 'step');
    assert.deepEqual([later.from, line.number, line.entryIndex], [1000, '1000', 999]);
    assert.deepEqual(reads, [500, 500, 200]);
  });

  it('find an entry in the filtered steps, and return its place if it is excluded', async () => {
    const { trajectory } = viewsOf(Array.from({ length: 600 }, (_, index) => read(index, `/relay/f${index}.ts`)));
    const page = await trajectory({}, 0, 500);
    assert.equal(page.at, 501);
    assert.ok(page.from <= 501 && page.from + page.lines.length > 501);
    assert.equal((await trajectory({ query: 'f7.ts' }, 0, 500)).at, null);
    assert.equal((await trajectory({ kinds: ['edit'] })).total, 0);
  });

  it('mark repetitions with the steps that show them', async () => {
    const { trajectory } = viewsOf([read(0, '/relay/a.ts'), read(1, '/relay/b.ts'), read(2, '/relay/a.ts')]);
    const page = await trajectory({ repeats: true });
    const step = page.lines[1];
    assert.ok(step?.type === 'step');
    assert.deepEqual(step.repeats, {
      kind: 'duplicate_read',
      steps: [
        { entryIndex: 0, number: '1' },
        { entryIndex: 2, number: '3' },
      ],
      count: 2,
    });
    assert.deepEqual([page.total, page.repeats], [2, 1]);
  });

  it('include additions during a run, and announce them once until requested', async () => {
    const entries = [read(0, '/relay/a.ts')];
    const { views, sent, trajectory } = viewsOf(entries, true);
    await trajectory();
    const reported = (): number => sent.filter(({ type }) => type === 'viewsChanged').length;
    for (const [index, status] of [
      [1, 'running'],
      [1, 'success'],
      [2, 'running'],
    ] as const) {
      entries[index] = read(index, `/relay/n${index}.ts`, status);
      views.update([{ op: 'put', entry: read(index, `/relay/n${index}.ts`, status), open: status === 'running' }]);
    }
    await until('word that the views changed', () => reported() > 0);
    views.update([{ op: 'put', entry: read(2, '/relay/n2.ts') }]);
    const page = await trajectory();
    assert.deepEqual(
      page.lines.map((line) => (line.type === 'step' ? [line.number, line.status] : line.type)),
      ['lane', ['1', 'success'], ['2', 'success'], ['3', 'success']],
    );
    assert.equal(reported(), 1);
    views.dispose();
  });

  it('end unfinished steps with the record if no run is active', async () => {
    const { trajectory } = viewsOf(
      [read(0, '/relay/a.ts'), read(5, '/relay/b.ts', 'running')].map((entry, index) => ({ ...entry, index })),
    );
    assert.equal((await trajectory()).axis.length, 5000);
  });

  it('list files by group, including unreported ones', async () => {
    const note: NormalizedEntry = {
      index: 1,
      timestamp: iso(1),
      type: { kind: 'system_message', subtype: 'unreported_changes' },
      content: '',
      metadata: { unreported: { how: 'git', changes: [{ path: 'x.ts', kind: 'changed' }], total: 3 } },
    };
    const { views, sent } = viewsOf([read(0, '/relay/a.ts'), note]);
    await views.answer({ type: 'getFiles', request: 1, from: 0, count: maxLines, query: '', sort: 'first' });
    const answer = sent.at(-1);
    assert.ok(answer?.type === 'files');
    assert.deepEqual(
      answer.page.lines.map((line) => (line.type === 'group' ? `${line.group} ${line.count}` : line.path)),
      ['unreported 1', 'x.ts', 'read 1', 'a.ts'],
    );
    assert.deepEqual([answer.page.sums.files, answer.page.sums.omitted], [2, 2]);
  });

  it('sort files within their groups', async () => {
    const { views, sent } = viewsOf([
      call(0, reads('/relay/c.ts')),
      call(1, edits('/relay/b.ts', 'x', 'y\nz')),
      call(2, edits('/relay/a.ts', 'x', 'y')),
      call(3, reads('/relay/b.ts')),
      call(4, { kind: 'search', query: 'x' }, { result: { text: 'Found 2 files\nd.ts\n/relay/a.ts:3:import e.ts' } }),
    ]);
    const paths = async (sort: FileSort): Promise<string[]> => {
      await views.answer({ type: 'getFiles', request: 1, from: 0, count: maxLines, query: '', sort });
      const answer = sent.at(-1);
      assert.ok(answer?.type === 'files');
      return answer.page.lines.flatMap((line) => (line.type === 'group' ? [`${line.group}:`] : [line.path]));
    };
    const rest = ['read:', 'c.ts', 'found:', 'd.ts'];
    assert.deepEqual(await paths('first'), ['changed:', 'b.ts', 'a.ts', ...rest]);
    assert.deepEqual(await paths('name'), ['changed:', 'a.ts', 'b.ts', ...rest]);
    assert.deepEqual(await paths('lines'), ['changed:', 'b.ts', 'a.ts', ...rest]);
    assert.deepEqual(await paths('touches'), ['changed:', 'b.ts', 'a.ts', ...rest]);
    assert.deepEqual(await paths('last'), ['changed:', 'b.ts', 'a.ts', ...rest]);
  });

  it('show which files differ from what the session left, as far as recorded', async () => {
    const write = (index: number, name: string): NormalizedEntry => call(index, writes(`/relay/${name}`, 'one\ntwo\n'));
    const unknown = call(3, edits('/relay/d.ts', 'x', 'y'));
    const gone = call(4, { kind: 'file_edit', changes: [{ path: 'e.ts', kind: 'delete' }] });
    const entries = [write(0, 'a.ts'), write(1, 'b.ts'), write(2, 'c.ts'), unknown, gone, write(5, '../out.ts')];
    const disk: Record<string, string> = { 'a.ts': 'one\r\ntwo', 'b.ts': 'one\n2\n', 'd.ts': 'y' };
    const { views, sent } = viewsOf(entries, false, (path) =>
      path.startsWith('..') ? undefined : { text: disk[path] ?? null, changedAt: path in disk ? start : null },
    );
    await views.answer({
      type: 'getSince',
      request: 7,
      paths: ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', '../out.ts', 'never.ts'],
    });
    const answer = sent.at(-1);
    assert.ok(answer?.type === 'since' && answer.request === 7);
    assert.deepEqual(
      answer.since.map(({ state }) => state),
      ['same', 'changed', 'gone', 'unknown', 'same', 'unknown', 'unknown'],
    );
    assert.deepEqual([answer.since[1]?.at, answer.since[2]?.at], [start, null]);
  });
});
