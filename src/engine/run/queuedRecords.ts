import { hostname } from 'node:os';
import type { Job } from '../../coordinator/api.ts';
import { EventBuilder } from '../../formats/events.ts';
import type { RecordedRun, RecordLine } from '../../formats/record.ts';
import { executorTypeSchema, type Run, type Session } from '../../model/session/session.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { Log } from '../api.ts';
import { EngineFailure } from '../failures/failures.ts';
import { identityOf } from '../folders/identity.ts';
import type { AgentLaunchers } from '../launch/agentLaunchers.ts';
import { promptEntry } from '../prompt/promptEntry.ts';
import type { RecordStore } from '../record/recordStore.ts';
import { newSummary, titleOf } from '../sessions/newSession.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { SessionState, type StateDeps } from '../sessions/sessionState.ts';
import { RemoteRecords } from './remoteRecords.ts';

export interface QueuedRecordsDeps {
  readonly store: RecordStore;
  readonly sessions: Sessions;
  readonly sources: Pick<AgentLaunchers, 'launcherFor'>;
  readonly state: StateDeps;
  readonly clock: () => number;
  readonly log: Log;
}

/**
 * Sessions that wait in the queue, and queued runs that ended before an agent was started: each has a record that opens and
 * says why. A waiting session is `pending`, and no one has its writer.
 */
export class QueuedRecords {
  /** Those whose runs another machine has. */
  readonly remote: RemoteRecords;
  readonly #deps: QueuedRecordsDeps;

  constructor(deps: QueuedRecordsDeps) {
    this.#deps = deps;
    this.remote = new RemoteRecords(deps);
  }

  /**
   * Makes the record of a new session whose first run waits. `why`: the end of a sentence. `place`: what its run does not say.
   * @throws EngineFailure
   */
  async keepWaiting(job: Job, why: string, place: Pick<Session, 'project_dir' | 'remote'> = {}): Promise<void> {
    const { run } = job;
    const at = new Date(this.#deps.clock()).toISOString();
    const until = run.timeout_at === undefined ? '' : ` The run fails at ${run.timeout_at} unless a runner takes it.`;
    const waits = noticeEntry(0, at, `Queued as ${run.run_id}. Waiting: ${why}.${until}`);
    await this.#create(job, [{ kind: 'entry', entry: waits, received_at: at }], place);
  }

  /** Whether a session waits in the queue for its first run. */
  async isWaiting(id: string): Promise<boolean> {
    try {
      return await this.#deps.sessions.withOpenSession(id, (state) => Promise.resolve(isWaiting(state)));
    } catch (error) {
      if (EngineFailure.is(error, 'session_missing')) return false;
      throw error;
    }
  }

  /** Records the end of a run if no agent was started for it. Never rejects. */
  async end(job: Job): Promise<void> {
    const { run } = job;
    try {
      await this.#end(run).catch(async (error: unknown) => {
        if (!EngineFailure.is(error, 'session_missing') || run.type !== 'start_session') throw error;
        await this.#create(job, []);
        await this.#end(run);
      });
    } catch (error) {
      this.#deps.log.warn(`${run.run_id}: its end could not be recorded: ${String(error)}`);
    }
  }

  async #create(
    job: Job,
    lines: readonly RecordLine[],
    place: Pick<Session, 'project_dir' | 'remote'> = {},
  ): Promise<void> {
    const { store, sessions, sources, state: deps } = this.#deps;
    const { run, title, executor_profile } = job;
    const executor_type = executorTypeSchema.parse(job.executor_type);
    const folder = place.project_dir ?? run.project_dir;
    const session: Session = {
      session_id: run.session_id,
      status: 'pending',
      created_at: run.created_at,
      ...(folder !== undefined && { project_dir: folder, project_identity: await identityOf(folder) }),
      execution_mode: run.execution_mode,
      executor_session_ids: [],
      executor_type,
      ...(executor_profile !== undefined && { executor_profile }),
      hostname: hostname(),
      title: title ?? titleOf(run.prompt),
      ...(run.agent_name !== undefined && { agent_name: run.agent_name }),
      ...(run.parent_session_id !== undefined && { parent_session_id: run.parent_session_id }),
      ...(place.remote !== undefined && { remote: place.remote }),
    };
    const state = new SessionState(newSummary(session, run.prompt, sources.launcherFor(session)), deps);
    state.useWriter(await store.create(session, { onProblem: state.reportWriteProblem }));
    sessions.add(state);
    await sessions.withOpenSession(state.id, () =>
      state.runExclusive(async () => {
        try {
          await state.commit([...lines, 'summary'], { entries: lines.length });
        } finally {
          await state.returnWriter();
        }
      }),
    );
  }

  /** @throws EngineFailure */
  #end(run: Run): Promise<void> {
    const { sessions, clock } = this.#deps;
    return sessions.withOpenSession(run.session_id, (state) =>
      state.runExclusive(async () => {
        // The process that ran it has recorded its end.
        if (state.isRunning() || state.turns.some(({ run_id }) => run_id === run.run_id)) return;
        const hasWaited = isWaiting(state);
        await sessions.takeWriter(state);
        try {
          await this.#write(state, run, { hasWaited, at: new Date(clock()).toISOString() });
        } finally {
          await state.returnWriter();
        }
      }),
    );
  }

  async #write(state: SessionState, run: Run, { hasWaited, at }: { readonly hasWaited: boolean; readonly at: string }) {
    const { session, summary, total } = state;
    const stopped = run.status === 'stopped';
    const reason = run.error ?? (stopped ? 'Stopped before an agent was started.' : 'No agent was started.');
    const recorded: RecordedRun = {
      ...run,
      status: stopped ? 'stopped' : 'failed',
      completed_at: run.completed_at ?? at,
      first_index: total,
      end_index: total + 2,
      events_from: 'entries',
    };
    const added: readonly NormalizedEntry[] = [
      promptEntry(recorded, summary, 'human', at),
      stopped ? noticeEntry(total + 1, at, reason) : { ...noticeEntry(total + 1, at, reason), type: errorType(reason) },
    ];
    const ended = stopped ? 'stopped' : 'finished';
    const event = new EventBuilder(state.id).stop(at, recorded.status, null);
    await state.commit(
      [
        ...added.map((entry): RecordLine => ({ kind: 'entry', entry, received_at: at })),
        { kind: 'run', run: recorded },
        { kind: 'event', event },
        { kind: 'session', session: hasWaited ? { ...session, status: ended } : session },
        'summary',
      ],
      { outcome: stopped ? 'stopped' : 'failed', reason, runs: summary.runs + 1, entries: total + 2, updated_at: at },
    );
  }
}

/** No run of it has begun, and none is starting. */
export function isWaiting(state: SessionState): boolean {
  return state.session.status === 'pending' && !state.isRunning() && state.turns.length === 0;
}

const errorType = (message: string) => ({ kind: 'error' as const, error: { message, code: 'not_started' } });

function noticeEntry(index: number, at: string, content: string): NormalizedEntry {
  return { index, timestamp: at, type: { kind: 'system_message', subtype: 'queued' }, content, origin: 'system' };
}
