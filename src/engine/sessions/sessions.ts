import path from 'node:path';
import type { LineOf } from '../../formats/record.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import { sessionIdSchema, type Session } from '../../model/session/session.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { AgentLauncher } from '../launch/agentLauncher.ts';
import type { Notice, SessionHandle } from '../api.ts';
import { failures } from '../failures/failures.ts';
import { sessionHandle } from './sessionHandle.ts';
import type { LadderStep } from '../process/stopProcessTree.ts';
import { watchRecord } from '../record/read/watchRecord.ts';
import type { RecordReader, RecordWriter } from '../record/contract.ts';
import { RecordBusyError, RecordNotFoundError } from '../record/errors.ts';
import { recoverRun } from '../run/recovery.ts';
import { SessionState, type StateDeps } from './sessionState.ts';

export interface SessionsDeps extends StateDeps {
  readonly clock: () => number;
  readonly prices: () => Promise<PriceTable>;
  /** Ends leftover processes of a crash, which could still write to a record during its recovery. */
  readonly endLeftovers: () => Promise<unknown>;
  readonly sourceOf: (session: Session) => Promise<AgentLauncher | null>;
}

type Changeable = 'title' | 'hidden' | 'follow_ups';
/** Exactly one of these. */
type SessionChange =
  { [K in Changeable]: Pick<SessionSummary, K> }[Changeable] | Pick<SessionSummary, 'project_dir' | 'project_identity'>;

/** Open sessions of this process. */
export class Sessions {
  readonly #deps: SessionsDeps;
  /** A promise while it is being read. */
  readonly #states = new Map<string, SessionState | Promise<SessionState>>();

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** Adds a new session, which stays open while it is in use. */
  add(state: SessionState): void {
    this.#states.set(state.id, state);
  }

  /** Keeps the session open until `until` settles. */
  hold(state: SessionState, until: Promise<unknown>): void {
    state.users += 1;
    void until.finally(() => this.#leave(state));
  }

  /** Keeps the session open during `work`. @throws EngineFailure */
  async withOpenSession<T>(id: string, work: (state: SessionState) => Promise<T>): Promise<T> {
    const known = this.#get(id);
    // Count the use before the next await, or the session could be closed.
    return this.#withSession(known instanceof SessionState ? known : await known, work);
  }

  async #withSession<T>(state: SessionState, work: (state: SessionState) => Promise<T>): Promise<T> {
    state.users += 1;
    try {
      return await work(state);
    } finally {
      this.#leave(state);
    }
  }

  /** @throws EngineFailure */
  open(id: string): Promise<SessionHandle> {
    return this.withOpenSession(id, async (state) => {
      await this.recover(state);
      await state.catchUp();
      await state.measure();
      return this.handle(state, this.#followOther(state));
    });
  }

  handle(state: SessionState, stopFollowing?: () => void): SessionHandle {
    state.users += 1;
    return sessionHandle(state, this.#deps.store.path(state.id), () => {
      stopFollowing?.();
      this.#leave(state);
    });
  }

  /** Follows a daemon of another version or machine that runs the session. */
  #followOther(state: SessionState): (() => void) | undefined {
    if (state.writer !== null || !isSessionLive(state.summary.status)) return undefined;
    return watchRecord(path.dirname(this.#deps.store.path(state.id)), () =>
      state.catchUp().catch((error: unknown) => this.#deps.log.warn(`${state.id}: ${String(error)}`)),
    );
  }

  /** Sessions that run here, or whose state here is newer than their record. */
  async liveStates(): Promise<SessionState[]> {
    return (await this.#openStates()).filter((state) => state.run !== null);
  }

  /** Ends the run of a session in this process, or one that is about to start. */
  async stop(id: string, steps?: readonly LadderStep[]): Promise<void> {
    const state = await this.#openState(id);
    if (state !== null) await this.#withSession(state, (sessionState) => sessionState.stop(steps));
  }

  async stopAll(steps: readonly LadderStep[], reason: string | undefined): Promise<void> {
    const states = await this.#openStates();
    await Promise.all(
      states.map((state) => this.#withSession(state, (sessionState) => sessionState.stop(steps, reason))),
    );
  }

  async #openStates(): Promise<SessionState[]> {
    const states = await Promise.all([...this.#states.keys()].map((id) => this.#openState(id)));
    return states.filter((state) => state !== null);
  }

  /** `null` if it is not open or cannot be read. */
  async #openState(id: string): Promise<SessionState | null> {
    try {
      return (await this.#states.get(id)) ?? null;
    } catch {
      return null;
    }
  }

  /** Newest first, with current figures of running sessions. */
  async list(stored: readonly SessionSummary[]): Promise<SessionSummary[]> {
    const live = new Map((await this.liveStates()).map((state) => [state.id, state.summary]));
    const known = stored.map((summary) => live.get(summary.session_id) ?? summary);
    const ids = new Set(stored.map((summary) => summary.session_id));
    return [...[...live.values()].filter((summary) => !ids.has(summary.session_id)), ...known];
  }

  /** Completes an interrupted run; returns whether there was one. Does nothing if another process has the record. */
  async recover(state: SessionState): Promise<boolean> {
    return state.runExclusive(async () => {
      if (state.run !== null) return false;
      const reader = await state.reader();
      if (reader?.interrupted !== true || reader.newerVersion !== null) return false;
      let writer: RecordWriter;
      try {
        writer = await this.takeWriter(state);
      } catch (error) {
        this.#deps.log.warn(`${state.id} stays interrupted: ${String(error)}`);
        return false;
      }
      try {
        await this.#deps.endLeftovers();
        const source = await this.#deps.sourceOf(state.session);
        const prices = await this.#deps.prices();
        await recoverRun(state, writer, reader, source, { clock: this.#deps.clock, prices });
      } finally {
        await state.returnWriter();
      }
      return true;
    });
  }

  /** Changes a session's properties, running or not. `by`: who changed its folder. @throws EngineFailure */
  change(id: string, change: SessionChange, by: 'user' | 'identity' = 'user'): Promise<void> {
    return this.#write(id, async (state) => {
      const from = state.session.project_dir;
      await state.changeSession({ ...state.session, ...change });
      const at = new Date(this.#deps.clock()).toISOString();
      const decide = (decision: LineOf<'decision'>['decision']) => state.append({ kind: 'decision', decision });
      if ('hidden' in change) await decide({ type: change.hidden === true ? 'hide' : 'unhide', at });
      if ('project_dir' in change) await decide({ type: 'relink', at, from, to: change.project_dir, by });
      await state.append(state.summaryLine());
    });
  }

  /** Records a decision about a session, running or not. `notice` is shown in open views. @throws EngineFailure */
  decide(id: string, decision: LineOf<'decision'>['decision'], notice?: Notice): Promise<void> {
    return this.#write(id, (state) => {
      if (notice !== undefined) state.notices.fire(notice);
      return state.append({ kind: 'decision', decision });
    });
  }

  /** Uses the writer of the active run, or a writer of its own. */
  #write(id: string, write: (state: SessionState) => Promise<void>): Promise<void> {
    return this.withOpenSession(id, async (state) => {
      if (hasWriter(state)) return write(state);
      await state.runExclusive(async () => {
        // A run may have started meanwhile; it has the writer then.
        if (hasWriter(state)) return write(state);
        // A run that is ending has given its writer back.
        await state.run?.done;
        await this.takeWriter(state);
        try {
          await write(state);
        } finally {
          await state.returnWriter();
        }
      });
    });
  }

  /** Reads the stored record, independent of open sessions. @throws EngineFailure */
  async openReader(id: string): Promise<RecordReader> {
    if (!sessionIdSchema.safeParse(id).success) throw failures.sessionMissing(id);
    return await this.#deps.store.openReader(id).catch((error: unknown) => {
      throw this.#translateError(id, error);
    });
  }

  /** @throws EngineFailure if another process is writing the record, or it is gone */
  async takeWriter(state: SessionState): Promise<RecordWriter> {
    const onProblem = state.reportWriteProblem;
    const writer = await this.#deps.store.openWriter(state.id, { onProblem }).catch((error: unknown) => {
      throw this.#translateError(state.id, error);
    });
    try {
      await state.follow();
      await state.measure();
    } catch (error) {
      await writer.close();
      throw error;
    }
    state.useWriter(writer);
    return writer;
  }

  /** `before` as in `RecordStore.remove`. @throws EngineFailure if the session is running or its record locked */
  async remove(id: string, before: () => Promise<void>): Promise<void> {
    const remove = () =>
      this.#deps.store.remove(id, before).catch((error: unknown) => {
        throw this.#translateError(id, error);
      });
    const state = await this.#openState(id);
    if (state === null) return remove();
    await state.runExclusive(async () => {
      if (state.run !== null) throw failures.sessionBusy(id);
      await state.release();
      // If deleting fails, open handles stay usable.
      await remove();
      this.#drop(id, state);
    });
  }

  async close(): Promise<void> {
    const states = await this.#openStates();
    this.#states.clear();
    for (const state of states) await state.release();
  }

  #get(id: string): SessionState | Promise<SessionState> {
    const known = this.#states.get(id);
    if (known !== undefined) return known;
    if (!sessionIdSchema.safeParse(id).success) return Promise.reject(failures.sessionMissing(id));
    const loading = SessionState.fromRecord(id, this.#deps).then(
      (state) => {
        if (this.#states.get(id) === loading) this.#states.set(id, state);
        return state;
      },
      (error: unknown) => {
        this.#drop(id, loading);
        throw this.#translateError(id, error);
      },
    );
    this.#states.set(id, loading);
    return loading;
  }

  #leave(state: SessionState): void {
    state.users -= 1;
    if (state.users > 0) return;
    this.#drop(state.id, state);
    void state.release();
  }

  /** Compares, because the session may have been opened again. */
  #drop(id: string, known: SessionState | Promise<SessionState>): void {
    if (this.#states.get(id) === known) this.#states.delete(id);
  }

  #translateError(id: string, error: unknown): unknown {
    if (RecordBusyError.is(error)) return failures.sessionBusy(id, error);
    return RecordNotFoundError.is(error) ? failures.recordNotFound(id, error) : error;
  }
}

/** Whether an active run can write to the record. */
function hasWriter({ run, writer }: SessionState): boolean {
  return run !== null && writer !== null;
}
