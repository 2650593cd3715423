import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { usdOf } from '../../insight/ledger/money.ts';
import type { Redactor } from '../../formats/redaction/redactor.ts';
import type { Log } from '../../engine/api.ts';
import { watchRecord } from '../../engine/record/read/watchRecord.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { Share } from '../../model/session/share.ts';
import type { Database } from '../../team/database/connection.ts';
import { TeamError } from '../../team/errors.ts';
import { maskLine, sealLine } from '../../team/records/maskedLines.ts';
import { appendLines, shareSession, withdrawSession, type RecordExtent } from '../../team/records/sharedSessions.ts';
import { newState, type OutboxFiles, type OutboxState } from './outboxFile.ts';
import { recordLines } from './recordLines.ts';

/** Lines and characters of one statement. */
const [maxLines, maxCharacters] = [500, 1 << 20];
/** Sessions that are sent at the same time. */
const maxParallelSends = 3;

/** Until what failed is sent again, in ms: doubled from the least to the most. */
const [leastRetryMs, mostRetryMs] = [1000, 16_000];

/** Sends to the database; `null` while there is no connection. */
export type UseDatabase = <T>(work: (database: Database) => Promise<T>) => Promise<T>;

export interface OutboxDeps {
  readonly files: OutboxFiles;
  readonly use: UseDatabase;
  readonly isConnected: () => boolean;
  readonly hostname: string;
  readonly recordPath: (id: string) => string;
  /** As it is now; `null`: the session is gone. */
  readonly summary: (id: string) => Promise<SessionSummary | null>;
  readonly redactor: () => Redactor;
  /** Stores a signature over the end of a record that is complete for now. */
  /** The team sees this much of the session now, or as soon as it can be reached. */
  readonly onShare?: (id: string, share: Share) => void;
  readonly sign?: (database: Database, id: string, at: RecordExtent) => Promise<void>;
  readonly log: Log;
}

/**
 * Sends shared sessions to the team: in order, each line once, and after any interruption from where the database is. The
 * local record is written first and is what is sent, so that nothing else has to be kept for days without a connection.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  /** Sessions that wait for their turn. */
  readonly #waitingSessionIds = new Set<string>();
  readonly #activeSends = new Map<string, Promise<void>>();
  readonly #watchStoppers = new Map<string, () => void>();
  readonly #activeDecisions = new Map<string, Promise<void>>();
  /** Sessions that could not be sent, and when they are tried again. */
  readonly #failedSends = new Map<string, { readonly ms: number; readonly timer: NodeJS.Timeout }>();
  #isClosed = false;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /** Decides what is shared of a session. @throws file system errors */
  share(id: string, share: Share, by: OutboxState['by']): Promise<void> {
    return this.#decide(id, () => this.#share(id, share, by));
  }

  /** Lets the member for whom the session runs read it. @throws file system errors */
  shareRun(id: string): Promise<void> {
    return this.#decide(id, async () => {
      const known = (await this.#deps.files.read(id)) ?? { ...newState, by: 'run' };
      await this.#deps.files.write(id, { ...known, forRun: true, sent: null, refused: null });
    });
  }

  async #share(id: string, share: Share, by: OutboxState['by']): Promise<void> {
    const known = await this.#deps.files.read(id);
    // A person's decision counts until a person changes it; a run for a member is theirs to see.
    if (known !== null && by !== 'person' && known.by !== 'folder') return;
    if (share === 'nothing') {
      if (known === null || (known.share === 'nothing' && (known.by === by || !known.forRun))) return;
      await this.#deps.files.write(id, { ...newState, by, remove: 'withdrawn' });
    } else {
      if (known?.share === share && known.by === by) return;
      const again = known?.share === 'nothing' && by === 'person';
      const { lines, offset, head, forRun } = known ?? newState;
      await this.#deps.files.write(id, { ...newState, lines, offset, head, forRun, share, by, again });
    }
    this.#deps.onShare?.(id, share);
  }

  /** The local session was deleted: its copy goes, too. */
  handleDeleted(id: string): Promise<void> {
    return this.#decide(id, async () => {
      const known = await this.#deps.files.read(id);
      if (known === null || (known.share === 'nothing' && !known.forRun)) return;
      await this.#deps.files.write(id, { ...newState, remove: 'deleted' });
    });
  }

  /** Ends what is being sent first, so that it does not save its progress over the decision. */
  async #decide(id: string, work: () => Promise<void>): Promise<void> {
    const before = this.#activeDecisions.get(id);
    const decided = (async () => {
      await before;
      await this.#activeSends.get(id);
      await work();
    })();
    const settled = decided.catch(() => undefined);
    this.#activeDecisions.set(id, settled);
    try {
      await decided;
    } finally {
      if (this.#activeDecisions.get(id) === settled) this.#activeDecisions.delete(id);
      this.enqueueSession(id);
    }
  }

  /** Looks at everything that is shared; after a connection was made. */
  async resume(): Promise<void> {
    for (const id of await this.#deps.files.ids()) this.enqueueSession(id);
  }

  /** Something of the session may have to be sent. */
  enqueueSession(id: string): void {
    if (this.#isClosed) return;
    this.#waitingSessionIds.add(id);
    this.#pump();
  }

  /** Sends as soon as the record grows, for as long as the session runs. */
  follow({ session_id: id, status }: SessionSummary): void {
    const isLive = isSessionLive(status);
    if (isLive && !this.#watchStoppers.has(id)) {
      const folder = path.dirname(this.#deps.recordPath(id));
      const look = (): Promise<void> => {
        this.enqueueSession(id);
        return Promise.resolve();
      };
      this.#watchStoppers.set(id, watchRecord(folder, look));
    } else if (!isLive) {
      this.#watchStoppers.get(id)?.();
      this.#watchStoppers.delete(id);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waitingSessionIds.clear();
    for (const end of this.#watchStoppers.values()) end();
    for (const { timer } of this.#failedSends.values()) clearTimeout(timer);
    await Promise.all(this.#activeSends.values());
  }

  #pump(): void {
    for (const id of this.#waitingSessionIds) {
      if (this.#activeSends.size >= maxParallelSends || !this.#deps.isConnected()) return;
      if (this.#activeSends.has(id) || this.#activeDecisions.has(id)) continue;
      this.#waitingSessionIds.delete(id);
      const sent = this.#send(id).finally(() => {
        this.#activeSends.delete(id);
        this.#pump();
      });
      this.#activeSends.set(id, sent);
    }
  }

  /** Never rejects. */
  async #send(id: string): Promise<void> {
    const { files } = this.#deps;
    try {
      const state = await files.read(id);
      if (state === null || state.refused !== null) return;
      await (state.remove === null ? this.#sendSession(id, state) : this.#withdraw(id, state, state.remove));
      this.#failedSends.delete(id);
    } catch (error) {
      if (TeamError.is(error) && (error.code === 'conflict' || error.code === 'refused'))
        await this.#handleRefusal(id, error).catch((reason: unknown) => this.#tryAgain(id, reason));
      else this.#tryAgain(id, error);
    }
  }

  /** Marks the session as refused, because another attempt would fail, too. @throws file system errors */
  async #handleRefusal(id: string, { code, message }: TeamError): Promise<void> {
    const { files, log } = this.#deps;
    log.warn(`Session ${id} could not be sent to the team: ${message}`);
    const state = await files.read(id);
    if (state === null) return;
    if (code === 'conflict' && state.sent !== null) {
      // The database was restored from a copy, or an answer got lost: it says again how far it is.
      await files.write(id, { ...state, sent: null });
      this.#waitingSessionIds.add(id);
    } else {
      await files.write(id, { ...state, refused: message });
      this.#deps.onShare?.(id, 'nothing');
    }
  }

  /** A server that does not answer or accepts no login now, or no space on disk, here or there: all of that can be temporary. */
  #tryAgain(id: string, error: unknown): void {
    if (!TeamError.is(error, 'unreachable') && !this.#failedSends.has(id))
      this.#deps.log.warn(`Session ${id} could not be sent to the team and will be retried: ${String(error)}`);
    this.#retry(id);
  }

  #retry(id: string): void {
    const before = this.#failedSends.get(id);
    clearTimeout(before?.timer);
    const ms = before === undefined ? leastRetryMs : Math.min(before.ms * 2, mostRetryMs);
    const timer = setTimeout(() => this.enqueueSession(id), ms);
    timer.unref();
    this.#failedSends.set(id, { ms, timer });
  }

  async #withdraw(id: string, state: OutboxState, reason: 'withdrawn' | 'deleted'): Promise<void> {
    await this.#deps.use((database) => withdrawSession(database, id, reason));
    if (reason === 'deleted') await this.#deps.files.remove(id);
    else await this.#deps.files.write(id, { ...state, remove: null });
  }

  async #sendSession(id: string, state: OutboxState): Promise<void> {
    const { files, use, hostname, redactor } = this.#deps;
    const { share } = state;
    const found = await this.#deps.summary(id);
    const sendsLines = share === 'records' || state.forRun;
    if (found === null || (share === 'nothing' && !sendsLines)) return;
    this.follow(found);
    const summary = redactor().redactJson(found, { path: ['session'] });
    const { updated_at: updatedAt, needs_you: needs, total_cost: cost } = found;
    // A request changes what lists show, but not when the session was updated. Nor does what a run has cost so far, which
    // counts in budgets of the machine that asked for it.
    const version = [
      updatedAt,
      ...(needs === undefined ? [] : [`waiting since ${needs.since}`]),
      ...(state.forRun && isSessionLive(found.status) ? [`${usdOf(cost) ?? 'unknown'} USD`] : []),
    ].join(', ');
    let current = state;
    if (current.sent !== version) {
      const { again: mustRepeat } = state;
      const extent = await use((database) =>
        shareSession(database, { id, share, hostname, summary, updatedAt, mustRepeat }),
      );
      current = { ...current, again: false, sent: version };
      if (sendsLines) current = await this.#sendLines(id, current, extent);
      await files.write(id, current);
    } else if (sendsLines) {
      current = await this.#sendLines(id, current, current);
      await files.write(id, current);
    }
    if (sendsLines && !isSessionLive(found.status)) await this.#sign(id, current);
  }

  /** @throws errors of the database, as a conflict if the record there ends with another line */
  async #sign(id: string, state: OutboxState): Promise<void> {
    const { files, use, sign } = this.#deps;
    const { lines, head } = state;
    if (sign === undefined || lines === 0 || state.signed === head || this.#isClosed || this.#activeDecisions.has(id))
      return;
    try {
      await use((database) => sign(database, id, { lines, head }));
    } catch (error) {
      // The owner has not updated the schema yet.
      if (TeamError.is(error, 'schema')) return;
      throw error;
    }
    await files.write(id, { ...state, signed: head });
  }

  /** `at`: where the database is. */
  async #sendLines(id: string, state: OutboxState, at: RecordExtent): Promise<OutboxState> {
    const { use, redactor, recordPath } = this.#deps;
    let { lines, offset } = at.lines === state.lines && at.head === state.head ? state : { lines: 0, offset: 0 };
    let { head } = at;
    const masks = redactor();
    let [from, batch, characters] = [lines, new Array<string>(), 0];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await use((database) => appendLines(database, id, from, batch));
      [from, batch, characters] = [lines, [], 0];
    };
    for await (const { text, next } of recordLines(recordPath(id), offset)) {
      const isSent = lines < at.lines;
      const masked = maskLine(text, masks);
      offset = next;
      if (masked === null) continue;
      lines += 1;
      if (isSent) {
        from = lines;
        continue;
      }
      const { line, hash } = sealLine(masked, head);
      head = hash;
      batch.push(line);
      characters += line.length;
      if (batch.length >= maxLines || characters >= maxCharacters) {
        await flush();
        await setImmediate();
      }
      if (this.#isClosed || this.#activeDecisions.has(id)) break;
    }
    await flush();
    return { ...state, lines, offset, head };
  }
}
