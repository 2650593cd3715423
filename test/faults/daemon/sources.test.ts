import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { claudeCodeStore } from '../../../src/agents/claude-code/store.ts';
import type { News } from '../../../src/protocol/daemon/calls.ts';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import type { SessionUpdate } from '../../../src/protocol/daemon/session.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { captureFile } from '../../support/stores/homes.ts';
import { readHome } from '../../support/stores/readHome.ts';
import { WorkedHome } from '../../support/stores/workedHome.ts';
import { until } from '../../support/until.ts';

describe('sessions from other programs through a daemon', () => {
  let place: DaemonBench;
  let worked: WorkedHome;
  const rows = new Map<string, SessionSummary>();

  beforeEach(() => {
    place = new DaemonBench();
    worked = new WorkedHome('claude-code-2.1.330/tty-tools');
    rows.clear();
  });
  afterEach(async () => {
    worked.dispose();
    await place.close();
  });

  const onNews = ({ summaries, removed }: News): Promise<void> => {
    for (const id of removed) rows.delete(id);
    for (const summary of summaries) rows.set(summary.session_id, summary);
    return Promise.resolve();
  };
  const params = (change: { readonly scope?: 'folder' | 'everything'; readonly folders?: string[] } = {}) => ({
    home: worked.home,
    variables: {},
    scope: 'everything' as const,
    folders: [],
    limit: 100,
    ...change,
  });

  it('are listed, updated while they grow, and can be followed', async () => {
    const [name = ''] = worked.files('.jsonl').filter((file) => file.includes('projects'));
    const lines = worked.lines(name);
    const half = Math.floor(lines.length / 2);
    worked.write(name, lines.slice(0, half).join(''));
    const client = await place.connect({ onNews });
    const { sessions, looked_in } = await client.call('watchSources', params());
    const [row] = sessions;
    assert(row !== undefined);
    assert.equal(row.observed?.agent, 'claude-code');
    assert.ok(looked_in.some((folder) => folder.startsWith(worked.home)));

    let total = 0;
    const take = ({ state }: SessionUpdate): Promise<void> => {
      total = state.total;
      return Promise.resolve();
    };
    const followed = await client.follow(row.session_id, take);
    const before = followed.state.total;
    worked.append(name, lines.slice(half).join(''));
    await until('more entries', () => total > before);
    await until('the row', () => (rows.get(row.session_id)?.turns ?? 0) > (row.turns ?? 0));
    const { entries } = await client.call('read', { session_id: row.session_id, from: 0, to: total });
    assert.equal(entries.length, total);
    assert.equal(
      (await client.call('find', { session_id: row.session_id, query: 'tool', limit: 5, from: 0 })).truncated,
      false,
    );
    assert.notEqual((await client.call('ledger', { session_id: row.session_id })).totalModels, null);
    worked.remove(name);
    await until('its removal', () => !rows.has(row.session_id));
  });

  it('are limited to the folders in scope', async () => {
    worked.copy();
    const client = await place.connect({ onNews });
    const there = await client.call('watchSources', params({ scope: 'folder', folders: ['/home/dev'] }));
    assert.deepEqual([there.sessions.length, there.out_of_scope], [1, 0]);
    const others = await client.call('watchSources', params({ scope: 'folder', folders: ['/home/other'] }));
    assert.deepEqual([others.sessions.length, others.out_of_scope], [0, 1]);
    await client.call('unwatchSources', {});
  });

  it('become Vitrine’s own, with their history, when they are resumed', async () => {
    const name = 'claude-code-2.1.330/print-resume-twice';
    const capture = new WorkedHome(name);
    const [file = ''] = capture.files('.jsonl');
    const lines = capture.lines(file).map((line) => line.replaceAll('/home/dev/project', place.bench.cwd));
    capture.dispose();
    // Each process ends with what the session has cost so far.
    const ends = lines.flatMap((line, at) => (line.includes('"type":"cost-state"') ? [at] : []));
    const [, second = 0] = ends;
    worked.write(file, lines.slice(0, second + 1).join(''));
    const cost = (line = ''): number => Number(/"totalCostUSD":([\d.]+)/.exec(line)?.[1]);
    const client = await place.connect({ onNews });
    await client.call('watch', { events: false });
    const { sessions } = await client.call('watchSources', params());
    const [row] = sessions;
    assert(row !== undefined);
    assert.deepEqual(row.total_cost, { provenance: 'reported', usd: cost(lines[second]) });
    const { session_id } = row;
    const { entries: before } = await client.call('read', { session_id, from: 0, to: 1000 });

    const { context, request } = place.startParams([
      { args: {} },
      { file: { path: captureFile(name, '3.stdout.jsonl') } },
    ]);
    await client.call('resume', { context, session_id, request: { prompt: request.prompt } });
    const ended = await place.stateOf(
      session_id,
      ({ summary }) => summary.runs === 2 && summary.outcome === 'completed',
    );

    assert.equal(ended.summary.observed, undefined);
    assert.equal(ended.summary.imported?.format, 'store');
    assert.deepEqual(ended.summary.total_cost, { provenance: 'reported', usd: cost(lines[ends[2] ?? -1]) });
    const { entries } = await client.call('read', { session_id, from: 0, to: 1000 });
    assert.deepEqual(entries.slice(0, before.length), before);
    assert.ok(
      entries.some(
        (entry) =>
          JSON.stringify(entry).includes(row.executor_session_ids[0] ?? '-') &&
          JSON.stringify(entry).includes('--resume'),
      ),
      'resumed by the id of the agent',
    );
    assert.equal((await client.call('watchSources', params())).sessions.length, 0);
    const verified = await place.vitrine('verify', session_id).ended;
    assert.equal(verified.code, 0, verified.stderr);
  });

  it('are forked with their history, which is not counted again', async () => {
    const name = 'claude-code-2.1.330/print-fork';
    const capture = new WorkedHome(name);
    const file =
      capture
        .files('.jsonl')
        .sort()
        .find((storedFile) => path.basename(storedFile).startsWith('1804cb77')) ?? '';
    const lines = capture.lines(file).map((line) => line.replaceAll('/home/dev/project', place.bench.cwd));
    capture.dispose();
    const end = lines.findIndex((line) => line.includes('"cost-state"'));
    worked.write(file, lines.slice(0, end + 1).join(''));
    const client = await place.connect({ onNews });
    await client.call('watch', { events: false });
    const { sessions } = await client.call('watchSources', params());
    const [row] = sessions;
    assert(row !== undefined);
    const { session_id: origin } = row;
    const { entries: before } = await client.call('read', { session_id: origin, from: 0, to: 1000 });

    const steps = [{ args: {} }, { file: { path: captureFile(name, '2.stdout.jsonl') } }];
    const { context, request } = place.startParams(steps);
    const asked = { context, session_id: origin, request: { prompt: request.prompt } };
    const { session_id } = await client.call('fork', asked);
    const ended = await place.stateOf(session_id, ({ summary }) => summary.runs === 2 && summary.status === 'finished');

    assert.notEqual(session_id, origin);
    const { summary } = ended;
    assert.equal(summary.forked_from?.session_id, origin);
    const { input, cacheWrite, cacheRead, output } = summary.total_usage;
    assert.deepEqual(
      { input, cacheWrite, cacheRead, output },
      { input: 12, cacheWrite: 1020, cacheRead: 2000, output: 46 },
    );
    const { entries } = await client.call('read', { session_id, from: 0, to: 1000 });
    assert.deepEqual(entries.slice(0, before.length), before);
    assert.match(JSON.stringify(entries), /--fork-session/);
    // The first session is still there, and another program's.
    const again = await client.call('watchSources', params());
    assert.deepEqual(
      again.sessions.map((session) => session.session_id),
      [origin],
    );
    assert.deepEqual(again.sessions[0]?.total_usage, row.total_usage);
  });

  it('are kept without a run, once', async () => {
    worked.copy();
    const client = await place.connect({ onNews });
    const { sessions } = await client.call('watchSources', params());
    const session_id = sessions[0]?.session_id ?? '';
    await client.call('keep', { session_id });
    await client.call('keep', { session_id });
    const imported = await client.follow(session_id, () => Promise.resolve());
    assert.equal(imported.state.summary.imported?.format, 'store');
    assert.deepEqual(imported.state.summary.total_cost, sessions[0]?.total_cost);
    assert.equal((await client.call('watchSources', params())).sessions.length, 0);
  });

  it('that were kept get later additions, and are shown as running while they run', async () => {
    const [name = ''] = worked.files('.jsonl').filter((file) => file.includes('projects'));
    const lines = worked.lines(name);
    const half = lines.findIndex((line, at) => at > lines.length / 2 && line.includes('"type":"user"'));
    worked.write(name, lines.slice(0, half).join(''));
    worked.write(path.join('.claude', 'sessions', 'made'), '');
    const client = await place.connect({ onNews });
    await client.call('watch', { events: false });
    const { sessions } = await client.call('watchSources', params());
    const [row] = sessions;
    assert(row !== undefined);
    const { session_id } = row;
    await client.call('keep', { session_id });
    const { kept: copies } = await client.call('watchSources', params());
    assert.deepEqual(copies, [session_id]);
    const followed = await client.follow(session_id, () => Promise.resolve());
    assert.equal(followed.state.summary.imported?.format, 'store');
    const before = followed.state.total;
    await until('the copy in the list', () => rows.get(session_id)?.imported !== undefined);

    // The agent runs again: this process stands for it.
    const [native = ''] = row.executor_session_ids;
    const registry = path.join('.claude', 'sessions', `${process.pid}.json`);
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const entry = { pid: process.pid, sessionId: native, procStart, status: 'busy', statusUpdatedAt: 1 };
    worked.write(registry, JSON.stringify(entry));
    await until('the running session', () => rows.get(session_id)?.observed?.live.state === 'running');
    worked.append(name, lines.slice(half).join(''));
    worked.remove(registry);

    await until('its copy', () => {
      const now = rows.get(session_id);
      return now?.imported !== undefined && (now.turns ?? 0) > (row.turns ?? 0);
    });
    const now = await place.stateOf(session_id, ({ total }) => total > before);
    assert.equal(now.summary.runs, 1);
    const { entries } = await client.call('read', { session_id, from: 0, to: 1000 });
    const [store] = await readHome(claudeCodeStore, worked.home);
    assert.deepEqual(entries, store?.entries);
    const verified = await place.vitrine('verify', session_id).ended;
    assert.equal(verified.code, 0, verified.stderr);
  });

  it('are all kept if the setting says so', async () => {
    worked.copy();
    const client = await place.connect({ onNews });
    await client.call('watch', { events: false });
    const { sessions } = await client.call('watchSources', { ...params(), keep_all: true });
    const [row] = sessions;
    assert(row !== undefined);
    await until('its copy', () => rows.get(row.session_id)?.imported?.format === 'store');
    const again = await client.call('watchSources', { ...params(), keep_all: true });
    assert.deepEqual([again.sessions.length, again.kept], [0, [row.session_id]]);
  });

  it('exclude those recorded by Vitrine', async () => {
    worked.copy();
    const client = await place.connect({ onNews });
    const { sessions } = await client.call('watchSources', params());
    const [row] = sessions;
    assert(row !== undefined);
    rows.set(row.session_id, row);
    const [session = ''] = row.executor_session_ids;
    await client.call('start', place.startParams([{ session }, { init: {} }, { say: 'Hello' }, { result: {} }]));
    await until('its removal', () => rows.size === 0);
    const again = await client.call('watchSources', params());
    assert.equal(again.sessions.length, 0);
  });
});
