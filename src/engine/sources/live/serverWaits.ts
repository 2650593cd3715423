import { storeFormats } from '../../../agents/stores/formats.ts';
import type { StoreJoin, WaitingState } from '../../../agents/stores/storeFormat.ts';
import type { ObservedSummary } from '../../../insight/observed/summary.ts';
import { openWebSocket } from './webSocket.ts';

/** Time in which a server has to answer, in ms. */
const answerMs = 2000;

/** By the agent's own id. */
type Waits = ReadonlyMap<string, WaitingState>;

/**
 * The sessions, with those that wait for their user. The stores of some agents do not say so; their servers are asked once.
 * Joins no session, and starts no server.
 */
export async function withServerWaits(sessions: readonly ObservedSummary[]): Promise<ObservedSummary[]> {
  const servers = new Map<string, Promise<Waits>>();
  return Promise.all(
    sessions.map(async (session) => {
      const { executor_type: agent, executor_session_id: nativeId, source, live } = session;
      const join = storeFormats.find((format) => format.agent === agent)?.join;
      const socket = live.state === 'ended' ? undefined : join?.socket(source.path);
      if (join === undefined || socket === undefined || nativeId === undefined) return session;
      const asked = servers.get(socket) ?? readWaits(socket, join);
      servers.set(socket, asked);
      const state = (await asked).get(nativeId);
      return state === undefined ? session : { ...session, live: { ...live, state, source: 'process' } };
    }),
  );
}

/** Empty if there is no server, or as far as it answered in time. */
async function readWaits(socket: string, join: StoreJoin): Promise<Waits> {
  const waits = new Map<string, WaitingState>();
  const deadline = AbortSignal.timeout(answerMs);
  let end = (): void => undefined;
  let send: (line: string) => void = end;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
    deadline.addEventListener('abort', () => resolve(), { once: true });
  });
  const watch = join.watch({
    write: (line) => send(line),
    onState: (nativeId, state) => {
      if (state !== undefined) waits.set(nativeId, state);
    },
    onAllReported: () => end(),
  });
  try {
    const link = await openWebSocket(socket, { onText: watch.line, onClose: () => end() }, deadline);
    send = (line) => link.send(line);
    watch.begin();
    await ended;
    link.close();
  } catch {
    // Nothing runs in a server.
  }
  return waits;
}
