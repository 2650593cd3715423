import { createHash } from 'node:crypto';
import type { DaemonConnection } from '../../client/connection.ts';
import { requestMetadataSchema } from '../../model/agent/request.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { SessionSnapshot, SessionUpdate } from '../../protocol/daemon/session.ts';

/** Maximum number of remembered entries, to avoid printing the same state twice. */
const maxRemembered = 1000;

/**
 * Prints the entries of a followed session in the order in which they settle. Prints an entry again when what a
 * reader sees of it has changed, and requests before their answers.
 */
export class FollowedTranscript {
  readonly #connection: Pick<DaemonConnection, 'call'>;
  readonly #sessionId: string;
  readonly #print: (entry: NormalizedEntry) => Promise<void>;
  readonly #visibleText: (entry: NormalizedEntry) => string;
  readonly #printedDigests = new Map<number, string>();
  #open: ReadonlySet<number> = new Set();
  /** All entries below this index are printed or open. */
  #nextIndex = 0;

  /** `visible`: what a reader sees of an entry. */
  constructor(
    connection: Pick<DaemonConnection, 'call'>,
    sessionId: string,
    print: (entry: NormalizedEntry) => Promise<void>,
    visible: (entry: NormalizedEntry) => string = JSON.stringify,
  ) {
    this.#connection = connection;
    this.#sessionId = sessionId;
    this.#print = print;
    this.#visibleText = visible;
  }

  /** Prints the existing entries when following starts. */
  async begin(state: SessionSnapshot): Promise<void> {
    this.#open = new Set(state.open);
    await this.#readTo(state.total);
  }

  async update({ updates, gap, state }: SessionUpdate): Promise<void> {
    const opened = this.#open;
    this.#open = new Set(state.open);
    if (gap) {
      this.#nextIndex = Math.min(this.#nextIndex, ...opened);
      await this.#readTo(state.total);
      return;
    }
    for (const update of updates) {
      if (update.op === 'put') await this.#settle(update.entry, update.open === true);
    }
    this.#nextIndex = Math.max(this.#nextIndex, state.total);
  }

  async #readTo(total: number): Promise<void> {
    let from: number | null = this.#nextIndex;
    while (from !== null && from < total) {
      const page: { entries: NormalizedEntry[]; next: number | null } = await this.#connection.call('read', {
        session_id: this.#sessionId,
        from,
        to: total,
      });
      for (const entry of page.entries) await this.#settle(entry, this.#open.has(entry.index));
      from = page.next;
    }
    this.#nextIndex = total;
  }

  async #settle(entry: NormalizedEntry, isOpen: boolean): Promise<void> {
    if (isOpen && !isWaitingRequest(entry)) return;
    // A hash, because entries may be megabytes long.
    const digest = createHash('sha256').update(this.#visibleText(entry)).digest('base64');
    if (this.#printedDigests.get(entry.index) === digest) return;
    this.#printedDigests.delete(entry.index);
    this.#printedDigests.set(entry.index, digest);
    const [oldest] = this.#printedDigests.keys();
    if (this.#printedDigests.size > maxRemembered && oldest !== undefined) this.#printedDigests.delete(oldest);
    await this.#print(entry);
  }
}

export function isWaitingRequest({ metadata }: NormalizedEntry): boolean {
  const found = requestMetadataSchema.safeParse(metadata);
  return found.success && found.data.decision === undefined;
}
