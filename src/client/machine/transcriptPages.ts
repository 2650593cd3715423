import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { DaemonConnection } from '../connection.ts';

/** A daemon without news answers after this time at the latest, in ms. */
const quietMs = 10_000;

/**
 * Follows a session in a daemon of any protocol version: settled entries from `from` on, and waiting requests. The first page
 * comes at once, the last one when the run has ended. @throws DaemonError
 */
export async function* transcriptPages(
  connection: DaemonConnection,
  session_id: string,
  from: number,
): AsyncGenerator<ResultOf<'transcript'>, void> {
  let page: ResultOf<'transcript'> | undefined;
  while (page?.live !== false) {
    const waiting: string[] = page?.requests.map(({ id }) => id) ?? [];
    const wait_ms = page === undefined ? 0 : quietMs;
    page = await connection.call('transcript', { session_id, from: page?.next ?? from, wait_ms, waiting });
    yield page;
  }
}
