import { EventBuilder } from '../../formats/events.ts';
import type { RecordedRun, RecordLine } from '../../formats/record.ts';
import type { Remote, Run, Session } from '../../model/session/session.ts';
import { isRunOver, isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { promptEntry } from '../prompt/promptEntry.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SessionState } from '../sessions/sessionState.ts';

/** What lists show of a session is taken from its machine; the rest is what this store knows about it. */
const figureNames = [
  'agent_label',
  'agent_version',
  'model',
  'permission_mode',
  'turns',
  'synthetic',
  'cost',
  'total_cost',
  'usage',
  'total_usage',
  'duration',
  'api_duration',
  'context_window',
  'context_tokens',
  'unknown_lines',
  'malformed_lines',
  'needs_you',
  'updated_at',
] as const satisfies readonly (keyof SessionSummary)[];

/** Lines that are written together. */
const maxLines = 500;

/** The record of a session on its own machine, as far as this one has it. */
export interface RecordCopy {
  readonly lines: AsyncIterable<RecordLine>;
  /** As the other machine lists it. */
  readonly summary: SessionSummary;
}

interface RemoteRecordsDeps {
  readonly sessions: Sessions;
  readonly clock: () => number;
}

/**
 * Records of sessions that another machine runs. While it does, the summary follows that of the other machine, and no one
 * has the writer; at the end, the record gets a copy of the lines.
 */
export class RemoteRecords {
  readonly #deps: RemoteRecordsDeps;

  constructor(deps: RemoteRecordsDeps) {
    this.#deps = deps;
  }

  /** `undefined`: the session runs or ran here. @throws EngineFailure */
  async remoteOf(id: string): Promise<Remote | undefined> {
    return this.#deps.sessions.withOpenSession(id, (state) => Promise.resolve(state.session.remote));
  }

  /** The run is on its way on the other machine. @throws EngineFailure */
  async update(
    id: string,
    status: 'pending' | 'running' | 'stopping',
    remote: Remote,
    summary: SessionSummary | null,
  ): Promise<void> {
    await this.#withWriter(id, async (state, takeWriter) => {
      const change = { ...(summary === null ? {} : figuresOf(summary)), status, remote };
      if (isSame(state.summary, change)) {
        state.change(change);
        return;
      }
      await takeWriter();
      await state.commit(['summary'], change);
    });
  }

  /**
   * The run has ended. `copy` may be incomplete, or absent if no agent was started. `by`: who asked for the run.
   * @throws EngineFailure
   */
  async end(
    id: string,
    run: Run,
    remote: Remote,
    copy: RecordCopy | null,
    by: 'human' | 'subagent' = 'subagent',
  ): Promise<void> {
    await this.#withWriter(id, async (state, takeWriter) => {
      await takeWriter();
      const entries = copy === null ? 0 : await this.#copyLines(state, copy.lines);
      // Its last report may not have arrived.
      if (!state.turns.some(({ status }) => isRunOver(status))) await this.#endRun(state, run, entries, by);
      const status = run.status === 'stopped' ? 'stopped' : 'finished';
      const outcome = run.status === 'completed' || run.status === 'stopped' ? run.status : 'failed';
      const known = copy?.summary;
      const session: Session = {
        ...state.session,
        status,
        remote,
        ...(known !== undefined && { executor_session_ids: known.executor_session_ids }),
      };
      await state.commit([{ kind: 'session', session }, 'summary'], {
        ...(known === undefined ? { updated_at: this.#now() } : figuresOf(known)),
        needs_you: undefined,
        outcome,
        reason: run.error ?? known?.reason,
        runs: state.turns.length,
        entries: state.total,
      });
    });
    // Clients that have the session open see the transcript.
    await this.#deps.sessions.withOpenSession(id, (state) => state.follow());
  }

  /** Returns the number of entries. The first one replaces the note that the session waits. */
  async #copyLines(state: SessionState, lines: AsyncIterable<RecordLine>): Promise<number> {
    let entries = 0;
    let batch: RecordLine[] = [];
    const flush = async (): Promise<void> => {
      await state.writer?.appendAll(batch);
      batch = [];
    };
    for await (const line of lines) {
      if (line.kind === 'entry') entries = Math.max(entries, line.entry.index + 1);
      if (line.kind === 'run' || line.kind === 'result') {
        await flush();
        await state.commit([line]);
      } else if (line.kind !== 'header' && line.kind !== 'session' && line.kind !== 'summary') batch.push(line);
      if (batch.length >= maxLines) await flush();
    }
    await flush();
    state.total = Math.max(state.total, entries);
    return entries;
  }

  async #endRun(state: SessionState, run: Run, entries: number, by: 'human' | 'subagent'): Promise<void> {
    const at = this.#now();
    const first = entries === 0 ? state.total : 0;
    const recorded: RecordedRun = {
      ...run,
      completed_at: run.completed_at ?? at,
      first_index: first,
      events_from: 'entries',
    };
    const prompts = entries === 0 ? [promptEntry(recorded, state.summary, by, at)] : [];
    const index = state.total + prompts.length;
    const reason = run.error ?? 'The transcript of the other machine has not arrived.';
    const type =
      run.status === 'failed'
        ? { kind: 'error' as const, error: { message: reason, code: 'remote' } }
        : { kind: 'system_message' as const, subtype: 'remote' };
    const note = { index, timestamp: at, type, content: reason, origin: 'system' as const };
    await state.commit([
      ...[...prompts, note].map((entry): RecordLine => ({ kind: 'entry', entry, received_at: at })),
      { kind: 'run', run: { ...recorded, end_index: index + 1 } },
      { kind: 'event', event: new EventBuilder(state.id).stop(at, run.status, null) },
    ]);
  }

  /** Does nothing if the session has ended. `takeWriter`: `work` has the writer until it ends. */
  #withWriter(
    id: string,
    work: (state: SessionState, takeWriter: () => Promise<unknown>) => Promise<void>,
  ): Promise<void> {
    const { sessions } = this.#deps;
    return sessions.withOpenSession(id, (state) =>
      state.runExclusive(async () => {
        if (state.session.remote === undefined || !isSessionLive(state.session.status)) return;
        try {
          await work(state, () => sessions.takeWriter(state));
        } finally {
          await state.returnWriter();
        }
      }),
    );
  }

  #now(): string {
    return new Date(this.#deps.clock()).toISOString();
  }
}

function figuresOf(summary: SessionSummary): Partial<SessionSummary> {
  return Object.fromEntries(figureNames.map((name) => [name, summary[name]]));
}

/** Requests are not recorded. */
function isSame(summary: SessionSummary, change: Partial<SessionSummary>): boolean {
  const after = { ...summary, ...change };
  return JSON.stringify({ ...after, needs_you: 0 }) === JSON.stringify({ ...summary, needs_you: 0 });
}
