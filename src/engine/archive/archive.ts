import { stat } from 'node:fs/promises';
import path from 'node:path';
import { auditText, type AuditFormat } from '../../formats/audit/formats.ts';
import type { AuditRow } from '../../formats/audit/rows.ts';
import { Redactor } from '../../formats/redaction/redactor.ts';
import type { AgentAdapter } from '../../agents/adapter.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { RunSpending } from '../../insight/usage/spending.ts';
import { loadPrices } from '../../insight/prices/prices.ts';
import {
  exportDecision,
  type ExportDecision,
  exportSession,
  type ExportReport,
  type ExportRequest,
  type SessionExport,
  secretTag,
} from './exportSession.ts';
import type { ReviewDecision } from '../../model/files/review.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import { auditSessions, sessionsWithin, type Period } from '../audit/auditSessions.ts';
import { Deletions, type Deletion, type DeletionReason } from '../audit/deletions.ts';
import { signHead } from '../audit/signature.ts';
import { verify, type VerificationReport } from '../audit/verify.ts';
import type { EngineSettings, Log } from '../api.ts';
import { Catalogue } from '../catalogue/catalogue.ts';
import type { CatalogueOwner } from '../catalogue/refresh.ts';
import { failures, type EngineFailure } from '../failures/failures.ts';
import { movedSessions, type MovedSessions } from '../folders/moved.ts';
import { importFile, type ImportReport, type ImportRequest } from '../import/importFile.ts';
import { logInvalidMetadata } from '../log/metadataLog.ts';
import { Recall } from '../recall/recall.ts';
import { checkCompleteness, type Completeness } from '../record/chain/completeness.ts';
import { RecordBusyError } from '../record/errors.ts';
import { runsWithOutput } from '../record/outputs.ts';
import type { PackedFile } from '../record/pack/packFile.ts';
import type { RecordStore, StoreListing } from '../record/recordStore.ts';
import { hasWriter } from '../record/write/writerLease.ts';
import { SessionSearch } from '../search/sessionSearch.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SessionSources } from '../sources/sources.ts';
import { readReviews } from '../review/readReviews.ts';
import { SpanReports } from '../telemetry/spanReports.ts';
import { spendingOf, usageCsv, type Spending, type UsagePeriod } from '../usage/spending.ts';
import { writeWhole } from '../files/writeFiles.ts';
import type { ForkPlace } from '../../agents/shared/forking.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { ChildRecords } from './childRecords.ts';
import { forkRecorded } from '../import/forkRecorded.ts';
import { forkObserved, importObserved, updateObserved, type ObservedHistory } from '../import/importObserved.ts';

export interface ArchiveDeps {
  /** Folder of the session records. */
  readonly storeDir: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
  readonly log: Log;
  /** Version of Vitrine. */
  readonly version?: string;
  readonly adapters: readonly AgentAdapter[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: () => Pick<EngineSettings, 'signingKey' | 'otlp' | 'prices'>;
  readonly store: RecordStore;
  readonly sources?: SessionSources;
  readonly catalogue?: Catalogue;
  readonly catalogueOwner?: CatalogueOwner;
}

type ArchiveSessions = Pick<Sessions, 'openReader' | 'decide' | 'liveStates' | 'remove'>;

/** Reads, searches, exports, verifies and deletes records. Starts no program. */
export class Archive {
  readonly search: SessionSearch;
  /** Stores of other programs' sessions. */
  readonly sources: SessionSources | undefined;
  readonly recall: Recall;
  readonly #catalogue: Catalogue;
  readonly #deletions: Deletions;
  readonly #spans: SpanReports;
  readonly #sessions: ArchiveSessions;
  readonly #deps: ArchiveDeps;

  constructor(sessions: ArchiveSessions, deps: ArchiveDeps) {
    this.#sessions = sessions;
    this.#deps = deps;
    const { storeDir, store, log, sources } = deps;
    this.#catalogue = deps.catalogue ?? new Catalogue(storeDir);
    this.sources = sources;
    const prices = () => loadPrices(deps.settings().prices);
    const { catalogueOwner: owner } = deps;
    const indexed = owner === undefined ? sources : undefined;
    this.search = new SessionSearch(this.#catalogue, { store, log, sources: indexed, owner, prices });
    this.recall = new Recall({ ...deps, search: this.search, openReader: (id) => sessions.openReader(id) });
    this.#spans = new SpanReports({ version: '', ...deps, openReader: (id) => sessions.openReader(id) });
    this.#deletions = new Deletions(deps.storeDir, deps);
  }

  /** Exports a session with secrets masked, a running one up to its current end. @throws EngineFailure */
  async export(sessionId: string, request: ExportRequest): Promise<SessionExport> {
    const { clock, randomHex, log, settings, store, version = '' } = this.#deps;
    const reader = await this.#sessions.openReader(sessionId);
    return await exportSession(reader, request, {
      clock,
      randomHex,
      version,
      prices: () => loadPrices(settings().prices),
      children: new ChildRecords(
        () => store.list(),
        (id) => this.#sessions.openReader(id),
      ),
      note: (report, id) =>
        this.noteExport(id, exportDecision(report, new Date(clock()).toISOString())).catch((error: unknown) =>
          log.warn(`The record of ${id} does not include the export: ${String(error)}`),
        ),
    });
  }

  /** Closes the catalogue. */
  dispose(): void {
    this.#catalogue.close();
  }

  /** Records that the session was exported. @throws EngineFailure */
  noteExport(sessionId: string, decision: ExportDecision): Promise<void> {
    return this.#sessions.decide(sessionId, decision);
  }

  /** Records a decision about changes of the session. @throws EngineFailure */
  noteReview(sessionId: string, decision: ReviewDecision): Promise<void> {
    return this.#sessions.decide(sessionId, decision);
  }

  /** What was decided about changes of the session, oldest first. @throws EngineFailure */
  async reviews(sessionId: string): Promise<readonly ReviewDecision[]> {
    const reader = await this.#sessions.openReader(sessionId);
    try {
      return await readReviews(reader);
    } finally {
      await reader.close();
    }
  }

  /**
   * Writes the whole file or nothing: an existing file stays until the new one is complete.
   * @throws EngineFailure, AbortError
   */
  async exportToFile(
    sessionId: string,
    request: ExportRequest,
    file: string,
    signal?: AbortSignal,
  ): Promise<ExportReport | null> {
    const exported = await this.export(sessionId, request);
    await writeWhole(file, exported.chunks, signal);
    return exported.report();
  }

  /** One entry as in the markdown export, with secrets masked; `undefined` if there is none. @throws EngineFailure */
  async entryMarkdown(
    sessionId: string,
    index: number,
  ): Promise<{ readonly text: string; readonly masked: number } | undefined> {
    const reader = await this.#sessions.openReader(sessionId);
    try {
      const [entry] = await reader.read(index, index + 1);
      if (entry === undefined) return undefined;
      const { entryText } = await import('../../formats/export/markdown.ts');
      const redactor = this.#createRedactor();
      const text = `${entryText(redactor.entry(entry))}\n`;
      return { text, masked: redactor.report().total };
    } finally {
      await reader.close();
    }
  }

  /** Masks secrets in a text, as exports do. */
  maskSecrets(text: string): { readonly text: string; readonly masked: number } {
    const redactor = this.#createRedactor();
    return { text: redactor.redactText(text, { path: ['content'] }), masked: redactor.report().total };
  }

  #createRedactor(): Redactor {
    const key = this.#deps.randomHex(32);
    return new Redactor((secret) => secretTag(key, secret));
  }

  /** Imports a file as a session that can be read but not resumed. @throws EngineFailure */
  async import(request: ImportRequest): Promise<ImportReport> {
    const { clock, randomHex, adapters, store, log } = this.#deps;
    const prices = await loadPrices(this.#deps.settings().prices);
    const report = await importFile(request, { clock, randomHex, adapters, store, prices });
    if (report.mistyped !== undefined) logInvalidMetadata(log, report.sessionId, report.mistyped);
    return report;
  }

  /** Copies a session from another program into a record of its own, with the same id. @throws file system errors */
  importObserved(history: ObservedHistory): Promise<SessionSummary> {
    return importObserved(history, this.#deps);
  }

  /** Updates such a copy with new entries. @throws file system errors */
  updateObserved(history: ObservedHistory): Promise<SessionSummary> {
    return updateObserved(history, this.#deps);
  }

  /** Creates a session that forks the conversation of `origin`. @throws file system errors */
  forkObserved(history: ObservedHistory, origin: SessionSummary, place?: ForkPlace): Promise<SessionSummary> {
    return forkObserved(history, origin, this.#deps, place);
  }

  /** The same with the transcript `entries`. `forkOf`: the agent's id of the conversation, if it can fork that. */
  forkRecorded(entries: readonly NormalizedEntry[], origin: SessionSummary, forkOf?: string): Promise<SessionSummary> {
    return forkRecorded(entries, origin, this.#deps, forkOf);
  }

  /** Agents whose output can be imported. */
  importable(): readonly { readonly type: ExecutorType; readonly label: string }[] {
    return this.#deps.adapters.map(({ type, label }) => ({ type, label }));
  }

  /** Verifies the hash chain and the signature of a session's record. @throws EngineFailure */
  async verify(sessionId: string): Promise<VerificationReport> {
    await (await this.#sessions.openReader(sessionId)).close();
    return await this.#verify(this.#deps.store.path(sessionId), sessionId);
  }

  /** Verifies any `record.jsonl`, with the files beside it. @throws EngineFailure */
  async verifyFile(file: string): Promise<VerificationReport> {
    return await this.#verify(file);
  }

  /** Finds what is missing from a session's record. Reads the whole record. @throws EngineFailure */
  async checkCompleteness(sessionId: string): Promise<Completeness> {
    const reader = await this.#sessions.openReader(sessionId);
    try {
      const file = this.#deps.store.path(sessionId);
      const chain = await this.#verify(file, sessionId);
      const folder = path.dirname(file);
      // Without a writer, "running" or "pending" means that the record was cut off.
      const isLive = isSessionLive(reader.summary.status) && (await hasWriter(folder, this.#deps.clock));
      return await checkCompleteness(reader, { chain, outputs: await runsWithOutput(folder), isLive });
    } finally {
      await reader.close();
    }
  }

  async #verify(file: string, session?: string): Promise<VerificationReport> {
    return await verify(file, this.#deps.environment, session).catch((error: unknown) => {
      throw failures.importUnreadable(file, error instanceof Error ? error.message : String(error));
    });
  }

  /**
   * Call after a run: signs the record and exports the run to OpenTelemetry, if the user enabled them. Resolves when
   * the record is signed. Failures go to `tell`. Never rejects.
   */
  async finishRun(sessionId: string, runId: string, tell: (failure: EngineFailure) => void): Promise<void> {
    void this.#spans.send(sessionId, runId).then((failure) => failure && tell(failure));
    const failure = await this.sign(sessionId);
    if (failure !== null) tell(failure);
  }

  /** Signs the record if the user set a key. Returns the failure. Never rejects. */
  async sign(sessionId: string): Promise<EngineFailure | null> {
    const { settings, environment, store, log } = this.#deps;
    const key = settings().signingKey;
    if (key === undefined) return null;
    try {
      await signHead(path.dirname(store.path(sessionId)), key, environment);
      return null;
    } catch (error) {
      log.warn(`The record of ${sessionId} was not signed with ${key}: ${String(error)}`);
      return failures.notSigned(key, error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * Compresses records and output of these sessions. They stay readable, and a record is unpacked before it is written.
   * Skips running and packed sessions.
   * @throws EngineFailure, file system errors
   */
  async pack(ids: readonly string[]): Promise<PackedFile> {
    let all: PackedFile = { files: 0, bytes: 0, packed: 0 };
    for (const id of ids) {
      const result = await this.#deps.store.pack(id).catch((error: unknown) => {
        if (RecordBusyError.is(error)) return null;
        throw error;
      });
      if (result === null) continue;
      const at = new Date(this.#deps.clock()).toISOString();
      if (result.files > 0) await this.#sessions.decide(id, { type: 'pack', at, ...result });
      const record = await this.#deps.store.archive(id);
      for (const { files, bytes, packed } of [result, record]) {
        all = { files: all.files + files, bytes: all.bytes + bytes, packed: all.packed + packed };
      }
    }
    return all;
  }

  /** Unpacks a session's files, for users who open them directly. @throws file system errors */
  async unpack(sessionId: string): Promise<void> {
    await this.#deps.store.unpack(sessionId).catch((error: unknown) => {
      // A record with a writer is not packed.
      if (!RecordBusyError.is(error)) throw error;
    });
  }

  /** Finds sessions whose folder is gone and matches one of these, renamed or moved. */
  async findMovedSessions(folders: readonly string[]): Promise<readonly MovedSessions[]> {
    return movedSessions(await this.#deps.store.list(), folders);
  }

  /** Records that could not be read when the store was last listed. */
  get unreadable(): StoreListing['unreadable'] {
    return this.#deps.store.unreadable;
  }

  /** Ids of sessions that lacked something when the store was last listed; see `checkCompleteness`. */
  get damaged(): StoreListing['damaged'] {
    return this.#deps.store.damaged;
  }

  /** Sessions that lists cannot show: unreadable or permanently deleted. */
  async missing(): Promise<{ unreadable: StoreListing['unreadable']; deleted: readonly string[] }> {
    const [{ unreadable }, deletions] = await Promise.all([this.#deps.store.listRecords(), this.#deletions.list()]);
    const failed = new Set(unreadable.map(({ id }) => id));
    const deleted = deletions.filter(({ type }) => type === 'deletion').map((row) => String(row['session_id']));
    return { unreadable, deleted: [...new Set(deleted)].filter((id) => !failed.has(id)) };
  }

  /** Permanently deletes a session, and notes the deletion in a log. @throws EngineFailure */
  async remove(sessionId: string, reason: DeletionReason): Promise<void> {
    const deletion = await this.#deletionOf(sessionId, reason);
    await this.#deletions.logDeletion(deletion, (before) => this.#sessions.remove(sessionId, before));
    await this.search.forget(sessionId);
  }

  /** Usage of every run. Rereads only records that have grown. */
  async spending(): Promise<Spending> {
    return await spendingOf(this.#deps.store, await this.#sessions.liveStates());
  }

  /** Usage of other programs' sessions per day. @throws SQLite errors if the catalogue cannot be created */
  async observedSpending(within: (session: ObservedSummary) => boolean = () => true): Promise<readonly RunSpending[]> {
    const observed = await this.search.listObserved(await this.#deps.store.list());
    return observed.filter(({ summary }) => within(summary)).flatMap(({ spent }) => spent);
  }

  /** Writes the usage of a period as CSV, the whole file or nothing. @throws EngineFailure */
  async usageToFile(period: UsagePeriod, file: string, { observed }: { readonly observed: boolean }): Promise<void> {
    const own = await this.#deps.store.list();
    const others = observed ? await this.observedSpending() : [];
    await writeWhole(
      file,
      usageCsv(own, others, period, (id) => this.#sessions.openReader(id)),
    );
  }

  /** Audit log: runs, files, commands and decisions. `key`: for masking; `null`: unmasked. @throws EngineFailure */
  async audit(which: string | Period, key: string | null): Promise<AsyncIterable<AuditRow>> {
    const period = typeof which === 'string' ? null : which;
    const ids = typeof which === 'string' ? [which] : sessionsWithin(await this.#deps.store.list(), which);
    return auditSessions(ids, period, {
      open: (id) => this.#sessions.openReader(id),
      verify: (id) => this.verify(id),
      redactor: key === null ? null : new Redactor((secret) => secretTag(key, secret)),
      at: new Date(this.#deps.clock()).toISOString(),
      deletions: this.#deletions,
    });
  }

  /** Writes the audit log with secrets masked. Writes the whole file or nothing. @throws EngineFailure */
  async auditToFile(which: string | Period, format: AuditFormat, file: string): Promise<void> {
    await writeWhole(file, auditText(format, await this.audit(which, this.#deps.randomHex(32))));
  }

  /** Fields are `null` if the record cannot be read. */
  async #deletionOf(id: string, reason: DeletionReason): Promise<Deletion> {
    const reader = await this.#sessions.openReader(id).catch(() => null);
    const { size: bytes = null } = (await stat(this.#deps.store.path(id)).catch(() => null)) ?? {};
    const head = (await reader?.head().catch(() => null)) ?? null;
    const { summary } = reader ?? {};
    await reader?.close();
    return {
      session_id: id,
      reason,
      agent: summary?.agent_label ?? null,
      host: summary?.hostname ?? null,
      created_at: summary?.created_at ?? null,
      updated_at: summary?.updated_at ?? null,
      runs: summary?.runs ?? null,
      entries: summary?.entries ?? null,
      bytes,
      head,
    };
  }
}
