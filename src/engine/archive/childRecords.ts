import { descendantsOf } from '../../insight/session/descendants.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { EngineFailure } from '../failures/failures.ts';
import type { RecordReader } from '../record/contract.ts';

/** Sessions of one export beside the exported one. */
const maxChildren = 100;

/** The child sessions of one session, their children, and so on, as an export reads them. */
export class ChildRecords {
  readonly #listSessions: () => Promise<readonly SessionSummary[]>;
  readonly #open: (sessionId: string) => Promise<RecordReader>;
  #omitted = 0;

  constructor(list: () => Promise<readonly SessionSummary[]>, open: (sessionId: string) => Promise<RecordReader>) {
    this.#listSessions = list;
    this.#open = open;
  }

  /** Those beyond the limit, and those whose records cannot be read. */
  get omitted(): number {
    return this.#omitted;
  }

  /** Oldest first. Each is closed when the next one is asked for. */
  async *readersOf(sessionId: string): AsyncGenerator<RecordReader> {
    const all = descendantsOf(await this.#listSessions(), sessionId).sort((a, b) =>
      a.created_at < b.created_at ? -1 : 1,
    );
    this.#omitted = Math.max(0, all.length - maxChildren);
    for (const { session_id } of all.slice(0, maxChildren)) {
      const reader = await this.#open(session_id).catch((error: unknown) => {
        if (!EngineFailure.is(error)) throw error;
        this.#omitted += 1;
        return undefined;
      });
      if (reader === undefined) continue;
      try {
        yield reader;
      } finally {
        await reader.close();
      }
    }
  }
}
