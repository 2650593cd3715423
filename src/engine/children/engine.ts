import type { SessionSummary } from '../../model/session/summary.ts';
import type { ChildServer, ResumeRequest, SessionHandle, StartRequest } from '../api.ts';
import type { Recall } from '../recall/recall.ts';

/** The part of the engine that callbacks use. */
export interface CallbackEngine {
  readonly children: ChildServer | undefined;
  list(): Promise<readonly SessionSummary[]>;
  open(sessionId: string): Promise<SessionHandle>;
  resume(sessionId: string, request: ResumeRequest): Promise<SessionHandle>;
  recordPath(sessionId: string): string;
}

/** The part of the engine that child sessions use. */
export interface ChildEngine extends CallbackEngine {
  readonly archive: { readonly recall: Pick<Recall, 'find'> };
  start(request: StartRequest): Promise<SessionHandle>;
  stop(sessionId: string): Promise<void>;
}
