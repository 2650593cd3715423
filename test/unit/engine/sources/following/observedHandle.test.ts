import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { storeFormats } from '../../../../../src/agents/stores/formats.ts';
import type { ProcessProbe } from '../../../../../src/engine/sources/live/processes.ts';
import { ObservedSessions } from '../../../../../src/engine/sources/following/observedSessions.ts';
import { openObserved } from '../../../../../src/engine/sources/following/openObserved.ts';
import { SessionSources } from '../../../../../src/engine/sources/sources.ts';
import type { ObservedSummary } from '../../../../../src/insight/observed/summary.ts';
import { loadPrices } from '../../../../../src/insight/prices/prices.ts';
import { silentLog } from '../../../../support/silentLog.ts';
import { noProcesses } from '../../../../support/stores/homes.ts';
import { WorkedHome } from '../../../../support/stores/workedHome.ts';
import { until } from '../../../../support/until.ts';

describe('observed sessions with listeners', () => {
  let worked: WorkedHome;
  let sessions: ObservedSessions;
  const rows = new Map<string, ObservedSummary>();

  function look(capture: string, processes: ProcessProbe = noProcesses): void {
    worked = new WorkedHome(capture);
    const place = { env: {}, home: worked.home, platform: process.platform };
    const sources = new SessionSources({ formats: storeFormats, place, processes, clock: Date.now });
    sessions = new ObservedSessions({ sources, prices: loadPrices, clock: Date.now, log: silentLog });
  }

  function open(id: string): ReturnType<typeof openObserved> {
    return openObserved(sessions, id, { prices: loadPrices, clock: Date.now, log: silentLog });
  }

  async function begin(): Promise<void> {
    rows.clear();
    sessions.subscribe(({ changed, removed }) => {
      for (const row of changed) rows.set(row.session_id, row);
      for (const id of removed) rows.delete(id);
    });
    for (const row of await sessions.list()) rows.set(row.session_id, row);
  }

  afterEach(() => {
    sessions.dispose();
    worked.dispose();
  });

  for (const capture of [
    'claude-code-2.1.330/tty-tools',
    'codex-0.169.0/tty-tools',
    'copilot-1.0.102/tty-permission',
    'gemini-0.61.0/tty-permission',
    'qwen-0.24.4/tty-permission',
  ]) {
    it(`reads ${capture} as it grows, line by line, to the same end`, async () => {
      look(capture);
      const whole = new WorkedHome(capture).copy();
      const place = { env: {}, home: whole.home, platform: process.platform };
      const all = new SessionSources({ formats: storeFormats, place, processes: noProcesses, clock: Date.now });
      const [expected] = await all.list(await loadPrices());
      assert(expected !== undefined);
      const read = await all.read(expected.session_id);
      whole.dispose();

      worked.copy();
      const [grows = ''] = worked
        .files('.jsonl')
        .filter((name) => /(?:projects|sessions|session-state|chats|tmp)/.test(name));
      const [first = '', ...rest] = worked.lines(grows);
      worked.write(grows, first);
      await begin();
      const handle = await open(expected.session_id);
      assert(handle !== undefined);
      for (const line of rest) {
        // A line in two parts, as a slow writer leaves it.
        worked.append(grows, line.slice(0, line.length / 2));
        worked.append(grows, line.slice(line.length / 2));
      }
      await until(
        'all entries',
        async () => {
          const entries = await handle.read(0, handle.entryCount());
          return (
            JSON.stringify(entries.map(({ content }) => content)) ===
            JSON.stringify(read?.entries.map(({ content }) => content))
          );
        },
        10_000,
      );
      await until(
        'the row',
        () => {
          const row = rows.get(expected.session_id);
          return (
            JSON.stringify(row?.total_usage) === JSON.stringify(expected.total_usage) &&
            row?.prompts === expected.prompts
          );
        },
        10_000,
      );
      handle.dispose();
    });
  }

  it('shows changes in the write-ahead log of OpenCode at once', async () => {
    const { DatabaseSync } = await import('node:sqlite');
    look('opencode-1.18.33/run-tools');
    worked.copy();
    const [name = ''] = worked.files('opencode.db');
    const database = new DatabaseSync(worked.path(name));
    try {
      database.exec('PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0');
      await begin();
      database.exec("UPDATE session SET title = 'Renamed', time_updated = time_updated + 1");
      await until('the new title', () => [...rows.values()].some(({ title }) => title === 'Renamed'), 10_000);
    } finally {
      database.close();
    }
  });

  it('lists a new session, and removes one that the agent deletes', async () => {
    look('claude-code-2.1.330/tty-tools');
    await begin();
    assert.equal(rows.size, 0);
    const [name = ''] = worked.files('.jsonl').filter((file) => file.includes('projects'));
    worked.write(name, worked.lines(name).join(''));
    const [row] = await until('the session', () => (rows.size > 0 ? [...rows.values()] : undefined));
    const handle = await open(row?.session_id ?? '');
    worked.remove(name);
    await until('its end', () => rows.size === 0);
    await until('its mark', () => handle?.problems().some((problem) => problem.includes('deleted')));
    assert.ok((handle?.entryCount() ?? 0) > 0);
    handle?.dispose();
  });

  it('shows that an agent waits for a permission, and its end', async () => {
    let isAlive = true;
    look('claude-code-2.1.330/tty-permission', { ...noProcesses, isAlive: () => Promise.resolve(isAlive) });
    worked.copy();
    await begin();
    const waiting = new WorkedHome('claude-code-2.1.330/tty-permission', 'home@waiting-for-approval');
    const [registry = ''] = waiting.files('.json').filter((name) => /\.claude\/sessions\/\d+\.json$/.test(name));
    worked.write(registry, waiting.lines(registry).join(''));
    waiting.dispose();
    const state = (): string | undefined => [...rows.values()][0]?.live.state;
    await until('the request', () => state() === 'waiting_for_permission');
    isAlive = false;
    await until('the end of the process', () => state() === 'ended');
  });

  it('scans everything a minute after an event, and otherwise every ten minutes', async () => {
    look('claude-code-2.1.330/tty-tools');
    worked.copy();
    const timers = mock.method(globalThis, 'setTimeout');
    const hasTimer = (atLeast: number, atMost: number): boolean =>
      timers.mock.calls.some(({ arguments: [, ms = 0] }) => ms >= atLeast && ms <= atMost);
    try {
      await begin();
      await until('the timer of the next scan', () => hasTimer(300_000, 600_000));
      assert.ok(!hasTimer(20_000, 299_999));
      const [name = ''] = worked.files('.jsonl').filter((file) => file.includes('projects'));
      worked.append(name, '\n');
      await until('a timer for the next minute', () => hasTimer(20_000, 60_000));
    } finally {
      timers.mock.restore();
    }
  });

  it('restarts when a file was rewritten', async () => {
    look('claude-code-2.1.330/tty-tools');
    worked.copy();
    await begin();
    const [row] = rows.values();
    const handle = await open(row?.session_id ?? '');
    assert(handle !== undefined);
    const total = handle.entryCount();
    const [name = ''] = worked.files('.jsonl').filter((file) => file.includes('projects'));
    const lines = worked.lines(name);
    const last = lines.findLastIndex((line) => line.includes('"type":"assistant"'));
    worked.write(name, lines.slice(0, last).join(''));
    await until('the mark of what is gone', async () =>
      (await handle.read(0, total)).some(({ type }) => type.kind === 'system_message' && type.subtype === 'removed'),
    );
    assert.equal(handle.entryCount(), total);
    handle.dispose();
  });
});
