import type { SessionSummary } from '../model/summary.ts';
import type {
  AgentReport,
  Disposable,
  EngineDeps,
  EventListener,
  ResumeRequest,
  SessionHandle,
  StartRequest,
  SummaryListener,
  SweepReport,
} from './api.ts';

const unavailable = (...asked: readonly unknown[]): Promise<never> =>
  Promise.reject(new Error(`This build has no engine yet: ${asked.map(String).join(' ')}`));

/** Runs agents and keeps their records. One per window. Failures a person sees are `EngineFailure`s. */
export class Engine {
  protected readonly deps: EngineDeps;

  constructor(deps: EngineDeps) {
    this.deps = deps;
  }

  /** Resolves when the agent was started; rejects with why it could not be. */
  start(request: StartRequest): Promise<SessionHandle> {
    return unavailable(request);
  }

  resume(sessionId: string, request: ResumeRequest): Promise<SessionHandle> {
    return unavailable(sessionId, request);
  }

  /** A new conversation of the agent in the same session, told what the record knows of the earlier ones. */
  startAfresh(sessionId: string, request: ResumeRequest): Promise<SessionHandle> {
    return unavailable(sessionId, request);
  }

  /** Resolves when nothing of the agent's process tree lives; at once where nothing runs. */
  stop(sessionId: string): Promise<void> {
    return unavailable(sessionId);
  }

  open(sessionId: string): Promise<SessionHandle> {
    return unavailable(sessionId);
  }

  list(): Promise<SessionSummary[]> {
    return unavailable();
  }

  rename(sessionId: string, title: string): Promise<void> {
    return unavailable(sessionId, title);
  }

  setHidden(sessionId: string, hidden: boolean): Promise<void> {
    return unavailable(sessionId, hidden);
  }

  /** Deletes the record for good. */
  remove(sessionId: string): Promise<void> {
    return unavailable(sessionId);
  }

  rebuildIndex(): Promise<SessionSummary[]> {
    return unavailable();
  }

  /** Folder of the session's record. */
  recordPath(sessionId: string): string {
    return `${this.deps.storeDir}/sessions/${sessionId}`;
  }

  /** Every kind of agent, with what was found of it; `fresh` looks again instead of remembering. */
  agents(options?: { readonly fresh?: boolean }): Promise<readonly AgentReport[]> {
    return unavailable(options);
  }

  onSummary(listener: SummaryListener): Disposable {
    return { dispose: () => listener };
  }

  onEvent(listener: EventListener): Disposable {
    return { dispose: () => listener };
  }

  /** Ends what a crash left running, and brings sessions without a living owner to an end. */
  sweep(): Promise<SweepReport> {
    return unavailable();
  }

  /** Stops everything it started, within 5 seconds, and closes the records. */
  dispose(): Promise<void> {
    return Promise.resolve();
  }
}
