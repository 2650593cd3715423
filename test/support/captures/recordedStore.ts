/** A store with a record of every recorded run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { adapters } from '../../../src/agents/registry.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { randomHex } from '../../../src/engine/ids.ts';
import { ReadOnlyEngine, type RecordOwner } from '../../../src/engine/readOnlyEngine.ts';
import { RecordStore } from '../../../src/engine/record/recordStore.ts';
import type { RecordLine } from '../../../src/formats/record.ts';
import { aRun, aSession } from '../sessions/records.ts';
import { silentLog } from '../silentLog.ts';
import { recordedSessions, type RecordedSession } from './recordedSession.ts';

/** Each session has its own id and belongs to `project`. */
export async function recordedStore(project: string) {
  const dir = await mkdtemp(path.join(tmpdir(), 'vitrine-recorded-'));
  const store = new RecordStore(dir, { clock: Date.now, log: silentLog });
  const sessions = (await recordedSessions()).map((session, at) => withId(session, at, project));
  for (const session of sessions) {
    const { summary } = session;
    const { session_id, created_at, executor_type, agent_label: agent_name } = summary;
    const about = { session_id, created_at, executor_type, agent_name, project_dir: project };
    const writer = await store.create(aSession({ ...about, status: 'finished' }));
    await writer.appendAll(linesOf(session));
    await writer.close();
  }
  const deps = {
    storeDir: dir,
    clock: Date.now,
    randomHex,
    environment: { PATH: '', HOME: dir },
    settings: () => ({ agents: {}, replaySpeed: 0 }),
    log: silentLog,
    demoDir: path.resolve('test/fixtures/replay'),
    adapters,
  };
  const engine = new Engine(deps);
  const { archive } = engine;
  const owner: RecordOwner = {
    import: (...args) => archive.import(...args),
    pack: (...args) => archive.pack(...args),
    unpack: (...args) => archive.unpack(...args),
    remove: (...args) => archive.remove(...args),
    decide: () => Promise.resolve(),
  };
  const reader = new ReadOnlyEngine(deps, owner);
  /** As a window reads them. */
  const reading = Object.assign(reader, {
    followUpReader: reader.followUps,
    open: (id: string) => engine.open(id),
  });
  const remove = async (): Promise<void> => {
    await engine.dispose();
    await rm(dir, { recursive: true, force: true });
  };
  const times = sessions.map(({ summary }) => summary.updated_at).sort();
  return { dir, sessions, reading, last: times.at(-1) ?? '', remove };
}

function withId(session: RecordedSession, at: number, project_dir: string): RecordedSession {
  const digits = at.toString(16).padStart(12, '0');
  const { summary, turn, entries } = session;
  const last = entries.at(-1)?.timestamp ?? turn.startedAt;
  return {
    ...session,
    summary: { ...summary, session_id: `ses_${digits}`, project_dir, created_at: turn.startedAt, updated_at: last },
    turn: { ...turn, runId: `run_${digits}` },
  };
}

function linesOf({ summary, turn, entries, messages, result }: RecordedSession): RecordLine[] {
  const { runId: run_id, startedAt: started_at, steps, durationMs: duration } = turn;
  const status = turn.status === 'completed' ? 'completed' : 'failed';
  const times = { created_at: started_at, started_at, completed_at: summary.updated_at };
  const run = aRun({ run_id, session_id: summary.session_id, status, ...times, end_index: entries.length });
  return [
    { kind: 'run', run },
    ...entries.map((entry): RecordLine => ({ kind: 'entry', entry })),
    ...messages.map((usage): RecordLine => ({ kind: 'usage', run_id, usage: { ...usage, entries: undefined } })),
    ...(result === undefined ? [] : [{ kind: 'result', run_id, result } as const]),
    {
      kind: 'summary',
      summary,
      turns: [
        {
          ...{ run_id, status, steps, duration, started_at, first_index: 0, end_index: entries.length },
          completed_at: summary.updated_at,
          cost: summary.cost,
          ...(result !== undefined && { models: [...result.models] }),
        },
      ],
      turns_omitted: 0,
    },
  ];
}
