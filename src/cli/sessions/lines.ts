import * as z from 'zod';
import type { DaemonConnection } from '../../client/connection.ts';
import type { Engine } from '../../engine/engine.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { LiveState } from '../../model/observedState.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { AgentRequest } from '../../model/agent/request.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { originOf } from '../../model/transcript/synthetic.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { CliContext } from '../command.ts';
import { isSameProtocol, runningDaemons, withDaemonErrors } from '../run/daemon.ts';

/** Entries per read. */
const page = 500;
const everything = Number.MAX_SAFE_INTEGER;

interface PendingRequest {
  readonly id: string;
  readonly kind: 'permission' | 'question' | 'plan';
  /** ISO 8601. */
  readonly since: string;
  /** The agent's own words, one line. */
  readonly text: string;
}

type SessionLine = SessionSummary & {
  /** Includes subagents; null if the record cannot be read. */
  readonly tool_calls: number | null;
  /** Requests that the daemon can answer. */
  readonly pending_requests: readonly PendingRequest[];
  /** The record is incomplete or unreadable. */
  readonly record_damaged: boolean;
  /** Number of the user's messages; null if the record cannot be read or is being written. */
  readonly prompts: number | null;
  readonly source: { readonly kind: 'own'; readonly path: string };
  readonly live: LiveState;
};

/** Sessions as printed by `vitrine sessions --json`. Reads the entries of each, and adds damaged ones to `damaged`. */
export async function* sessionLines(
  summaries: readonly SessionSummary[],
  engine: Engine,
  context: CliContext,
  store: string | undefined,
  damaged: Set<string>,
): AsyncGenerator<SessionLine> {
  const daemons = await runningDaemons(context, { store });
  try {
    const running = new Map<
      string,
      { readonly requests: readonly AgentRequest[]; readonly daemon: DaemonConnection }
    >();
    for (const daemon of daemons) {
      for (const { session_id, requests } of await withDaemonErrors(() => daemon.call('running', {})))
        running.set(session_id, { requests, daemon });
    }
    for (const summary of summaries) {
      const { session_id } = summary;
      const live = running.get(session_id);
      const waiting = live?.requests ?? [];
      // The record of a running session is incomplete.
      const counted = live === undefined ? await countRecorded(engine, session_id) : null;
      const isMissing = counted === null || (counted.isGappy && !isSessionLive(summary.status));
      if (live === undefined && isMissing) damaged.add(session_id);
      yield {
        ...summary,
        tool_calls:
          live === undefined
            ? (counted?.toolCalls ?? null)
            : await withDaemonErrors(() => countRunning(live.daemon, session_id)),
        pending_requests: waiting.map(({ id, kind, asked_at, title }) => ({ id, kind, since: asked_at, text: title })),
        record_damaged: damaged.has(session_id),
        prompts: counted?.prompts ?? null,
        source: { kind: 'own', path: engine.recordPath(session_id) },
        live: ownState(summary, waiting[0]?.kind),
      };
    }
  } finally {
    for (const daemon of daemons) daemon.close();
  }
}

/** A session from another program, as printed by `vitrine sessions --all --json`. */
export function observedLine(
  observed: ObservedSummary,
): ObservedSummary & Pick<SessionLine, 'pending_requests' | 'record_damaged'> {
  return { ...observed, pending_requests: [], record_damaged: observed.problem !== null };
}

function ownState({ status, updated_at }: SessionSummary, pendingKind: PendingRequest['kind'] | undefined): LiveState {
  const about = { since: updated_at, source: 'own' } as const;
  if (!isSessionLive(status)) return { state: 'ended', ...about };
  if (pendingKind === undefined) return { state: 'running', ...about };
  return { state: pendingKind === 'permission' ? 'waiting_for_permission' : 'waiting_for_you', ...about };
}

async function countRunning(daemon: DaemonConnection, session_id: string): Promise<number> {
  let calls = 0;
  if (!isSameProtocol(daemon)) {
    for (let from = 0; ;) {
      const page = await daemon.call('transcript', { session_id, from, wait_ms: 0, waiting: [] });
      calls += page.entries.filter((entry) => toolCallSchema.safeParse(entry).success).length;
      if (page.entries.length === 0) return calls;
      from = page.next;
    }
  }
  for (let from: number | null = 0; from !== null;) {
    const { entries, next }: ResultOf<'read'> = await daemon.call('read', { session_id, from, to: everything });
    calls += countCalls(entries);
    from = next;
  }
  return calls;
}

const toolCallSchema = z.object({ type: z.object({ kind: z.literal('tool_use') }) });

interface EntryCounts {
  readonly toolCalls: number;
  readonly prompts: number;
  /** Entries are missing in between. */
  readonly isGappy: boolean;
}

/** `null` if the record cannot be read. */
async function countRecorded(engine: Engine, id: string): Promise<EntryCounts | null> {
  try {
    const handle = await engine.open(id);
    try {
      let [toolCalls, prompts, read] = [0, 0, 0];
      for (let from = 0; from < handle.entryCount(); from += page) {
        const entries = await handle.read(from, Math.min(from + page, handle.entryCount()));
        toolCalls += countCalls(entries);
        prompts += entries.filter((entry) => entry.type.kind === 'user_message' && originOf(entry) === 'human').length;
        read += entries.length;
      }
      return { toolCalls, prompts, isGappy: read < handle.entryCount() };
    } finally {
      handle.dispose();
    }
  } catch (error) {
    if (EngineFailure.is(error)) return null;
    throw error;
  }
}

function countCalls(entries: readonly NormalizedEntry[]): number {
  return entries.filter(({ type }) => type.kind === 'tool_use').length;
}
