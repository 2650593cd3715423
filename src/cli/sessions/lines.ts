import type { DaemonConnection } from '../../client/connection.ts';
import type { Engine } from '../../engine/engine.ts';
import { EngineFailure } from '../../engine/failures.ts';
import type { NormalizedEntry } from '../../model/entry.ts';
import type { SessionSummary } from '../../model/summary.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { CliContext } from '../command.ts';
import { runningDaemon, translated } from '../daemon.ts';

/** Entries that are read at once. */
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
  /** Of subagents too; null where the record cannot be read. */
  readonly tool_calls: number | null;
  /** Those that the daemon can pass an answer to. */
  readonly pending_requests: readonly PendingRequest[];
};

/** Each session as `vitrine sessions --json` prints it. Reads the entries of each. */
export async function* sessionLines(
  summaries: readonly SessionSummary[],
  engine: Engine,
  context: CliContext,
  store: string | undefined,
): AsyncGenerator<SessionLine> {
  const connection = await runningDaemon(context, { store });
  try {
    const running = connection === null ? [] : await translated(() => connection.call('running', {}));
    for (const summary of summaries) {
      const { session_id } = summary;
      const live = running.find((each) => each.session_id === session_id);
      const waiting = live?.requests ?? [];
      yield {
        ...summary,
        // What still runs is not in the record yet.
        tool_calls:
          live === undefined || connection === null
            ? await countRecorded(engine, session_id)
            : await translated(() => countRunning(connection, session_id)),
        pending_requests: waiting.map(({ id, kind, asked_at, title }) => ({ id, kind, since: asked_at, text: title })),
      };
    }
  } finally {
    connection?.close();
  }
}

async function countRunning(connection: DaemonConnection, session_id: string): Promise<number> {
  let calls = 0;
  for (let from: number | null = 0; from !== null;) {
    const { entries, next }: ResultOf<'read'> = await connection.call('read', { session_id, from, to: everything });
    calls += countCalls(entries);
    from = next;
  }
  return calls;
}

async function countRecorded(engine: Engine, id: string): Promise<number | null> {
  try {
    const handle = await engine.open(id);
    try {
      let calls = 0;
      for (let from = 0; from < handle.total(); from += page) {
        calls += countCalls(await handle.read(from, Math.min(from + page, handle.total())));
      }
      return calls;
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
