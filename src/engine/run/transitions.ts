import type { RecordedRun, RecordLine } from '../../formats/record.ts';
import type { MessageUsage } from '../../model/usage/facts.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import type { Session } from '../../model/session/session.ts';
import { moveRun, moveSession } from '../../model/session/status.ts';
import type { EngineFailure } from '../failures/failures.ts';
import type { RawStream } from '../record/contract.ts';
import type { RunSteps } from './runFigures.ts';
import type { LaunchedAgent, ReplacedIds, RunPlan } from './runPlan.ts';

/** `late`: the agent did not exit after its input was closed and was ended. `as_expected`: it never exits by itself. */
export type CloseOutcome = 'late' | 'as_expected';

/**
 * Phase of a run: `preparing` until its first process runs, `working` until its last one has exited, `ending` while its
 * result is computed, `ended` once that is recorded.
 */
export interface RunState {
  readonly phase: 'preparing' | 'working' | 'ending' | 'ended';
  readonly run: RecordedRun;
  /** The newest process. */
  readonly launched: LaunchedAgent | null;
  /** `hurried`: the caller only waits for the end, not for details. */
  readonly stop: 'none' | 'asked' | 'hurried';
  /** How the newest process was ended after its conversation. */
  readonly closed: CloseOutcome | null;
  /** Why the conversation failed. */
  readonly cause: EngineFailure | undefined;
}

/** A line, or a placeholder for the summary of all lines before it. */
export type BatchLine = RecordLine | 'summary';

/** The next state, with the lines that record it. They are written at once, in this order. */
export interface Transition {
  readonly state: RunState;
  readonly batch: readonly BatchLine[];
}

export function newRunState(run: RecordedRun): RunState {
  return { phase: 'preparing', run, launched: null, stop: 'none', closed: null, cause: undefined };
}

/** Accepts the prompt. `session`: pending. `transcript`: the prompt with its notes. `at`: ISO 8601. */
export function beginRun(
  state: RunState,
  start: {
    readonly session: Session;
    readonly runnerId: string;
    readonly replacedIds: ReplacedIds | undefined;
    readonly transcript: readonly RecordLine[];
    readonly at: string;
  },
): Transition {
  const { session, runnerId, replacedIds, transcript, at } = start;
  const run = { ...moveRun(state.run, 'claimed', at), runner_id: runnerId };
  return {
    state: { ...state, run },
    batch: [
      ...(replacedIds === undefined ? [] : [decisionOf({ type: 'start_afresh', at, ...replacedIds })]),
      { kind: 'session', session },
      { kind: 'run', run: state.run },
      ...transcript,
      { kind: 'run', run },
      'summary',
    ],
  };
}

/**
 * A process has started. `offsets` and `firstIndex`: start of its output in the raw logs and the transcript, for
 * recovery.
 */
export function launchRun(
  state: RunState,
  launch: {
    readonly launched: LaunchedAgent;
    readonly resume: string | null;
    readonly figures: Pick<RunPlan['figures'], 'isNewConversation' | 'askedModel'>;
    readonly offsets: Readonly<Record<RawStream, number>>;
    readonly firstIndex: number;
    readonly session: Session;
    readonly at: string;
  },
): Transition {
  const { launched, resume, figures, offsets, firstIndex, session, at } = launch;
  const { program, version, sessionId: conversation } = launched;
  const named = conversation !== null && resume === null ? withIds(session, [conversation]) : undefined;
  const attempt = {
    type: 'attempt',
    at,
    run_id: state.run.run_id,
    resume,
    afresh: figures.isNewConversation,
    asked_model: figures.askedModel,
    program,
    version,
    conversation,
    first_index: firstIndex,
    stdout_offset: offsets.stdout,
    stderr_offset: offsets.stderr,
    client_offset: offsets.client,
  };
  return {
    state: { ...state, phase: 'working', launched, closed: null },
    batch: [decisionOf(attempt), ...(named === undefined ? [] : [{ kind: 'session', session: named } as const])],
  };
}

/** The agent is running. Does nothing if the run was stopped before. */
export function markRunning(state: RunState, session: Session, at: string): Transition {
  return state.run.status === 'claimed' ? move(state, session, 'running', at) : { state, batch: [] };
}

/** The user, a limit or shutdown stops the run. Does nothing if it was stopped before or has nothing to stop. */
export function stopRun(state: RunState, session: Session, isHurried: boolean, at: string): Transition {
  const stopping: RunState = { ...state, stop: isHurried ? 'hurried' : 'asked' };
  const { status } = state.run;
  if (state.stop !== 'none' || (status !== 'claimed' && status !== 'running')) return { state: stopping, batch: [] };
  return move(stopping, session, 'stopping', at);
}

export interface RunEnd {
  readonly outcome: 'completed' | 'failed' | 'stopped';
  readonly at: string;
  /** Index after its last entry, including `transcript`. */
  readonly endIndex: number;
  readonly counted: RunSteps & { readonly responses: number; readonly active_ms: number };
  readonly error: string | undefined;
  readonly usage: readonly MessageUsage[];
  readonly result: ResultMetadata | undefined;
  /** Entries about the end. */
  readonly transcript: readonly RecordLine[];
  readonly event: RecordLine;
  /** Current session, with the ids from the run. */
  readonly session: Session;
  /** Ids that these replace if the new conversation responded. */
  readonly replacedIds: ReplacedIds | undefined;
}

/** Ends the run. Does nothing if it has ended. */
export function endRun(state: RunState, end: RunEnd): Transition {
  const { outcome, at, endIndex, counted, error, usage, result, transcript, event, session, replacedIds } = end;
  // The earlier conversation can still be resumed.
  const ids = outcome !== 'completed' && counted.responses === 0 ? replacedIds : undefined;
  const run: RecordedRun = {
    ...moveRun(state.run, outcome, at),
    end_index: endIndex,
    ...counted,
    ...(error !== undefined && { error }),
  };
  const { run_id } = run;
  return {
    state: { ...state, phase: 'ended', run },
    batch: [
      ...transcript,
      ...usage.map((message): RecordLine => ({ kind: 'usage', run_id, usage: message })),
      ...(result === undefined ? [] : [{ kind: 'result', run_id, result } as const]),
      { kind: 'run', run },
      event,
      { kind: 'session', session: { ...moveSession(session, outcome === 'stopped' ? 'stopped' : 'finished'), ...ids } },
      'summary',
    ],
  };
}

/** The conversation failed; the first reason counts. */
export function failConversation(state: RunState, cause: EngineFailure): RunState {
  return { ...state, cause: state.cause ?? cause };
}

/** The newest process was ended after its last message. */
export function markClosed(state: RunState, how: CloseOutcome): RunState {
  return { ...state, closed: how };
}

/** The result is being computed, so it is too late to stop. */
export function beginEnding(state: RunState): RunState {
  return { ...state, phase: 'ending' };
}

/** Whether the run can still be stopped. */
export function isOpen({ phase }: RunState): boolean {
  return phase === 'preparing' || phase === 'working';
}

/**
 * Whether the run counts as stopped. `isStopRequested`: by the user or a limit, unless it was `wasDoneBefore`.
 * `isEndedByAnswer`: by an answer that ends it. `hasReachedLimit`: by a limit.
 */
export function wasStopped(end: {
  readonly isStopRequested: boolean;
  readonly isEndedByAnswer: boolean;
  readonly hasReachedLimit: boolean;
  readonly wasDoneBefore: boolean;
}): boolean {
  return end.hasReachedLimit || end.isEndedByAnswer || (end.isStopRequested && !end.wasDoneBefore);
}

/** The session's chain of ids with new ones; `undefined` if there are none. */
export function withIds(session: Session, ids: readonly string[]): Session | undefined {
  const known = session.executor_session_ids;
  const fresh = ids.filter((id, at) => !known.includes(id) && ids.indexOf(id) === at);
  const newest = ids.at(-1);
  if (newest === undefined || (fresh.length === 0 && newest === session.executor_session_id)) return undefined;
  return { ...session, executor_session_ids: [...known, ...fresh], executor_session_id: newest };
}

function move(state: RunState, session: Session, to: 'running' | 'stopping', at: string): Transition {
  const moved = moveRun(state.run, to, at);
  return {
    state: { ...state, run: moved },
    batch: [
      { kind: 'run', run: moved },
      { kind: 'session', session: moveSession(session, to) },
    ],
  };
}

function decisionOf(decision: { readonly type: string; readonly at: string }): RecordLine {
  return { kind: 'decision', decision: { ...decision } };
}
