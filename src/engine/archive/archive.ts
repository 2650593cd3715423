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
  tag,
} from './exportSession.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import { auditSessions, within, type Period } from '../audit/auditSessions.ts';
import { Deletions, type Deletion, type DeletionReason } from '../audit/deletions.ts';
import { signHead } from '../audit/signature.ts';
import { verify, type Verified } from '../audit/verify.ts';
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
import type { Packed } from '../record/pack/packFile.ts';
import type { RecordStore, StoreListing } from '../record/recordStore.ts';
import { hasWriter } from '../record/write/writerLease.ts';
import { SessionSearch } from '../search/sessionSearch.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SessionSources } from '../sources/sources.ts';
import { SpanReports } from '../telemetry/spanReports.ts';
import { spendingOf, usageCsv, type Spending, type UsagePeriod } from '../usage/spending.ts';
import { writeWhole } from '../files/writeFiles.ts';
import { forkObserved, importObserved, updateObserved, type ObservedHistory } from '../import/importObserved.ts';

export interface ArchiveDeps {
  /** Folder of the records. */
  readonly storeDir: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
  readonly log: Log;
  /** Of Vitrine. */
  readonly version?: string;
  readonly adapters: readonly AgentAdapter[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: () => Pick<EngineSettings, 'signingKey' | 'otlp' | 'prices'>;
  readonly store: RecordStore;
  readonly sources?: SessionSources;
  readonly catalogue?: Catalogue;
  readonly catalogueOwner?: CatalogueOwner;
}

type ArchiveSessions = Pick<Sessions, 'openReader' | 'decide' | 'live' | 'remove'>;

/** Records as things to search, take along, check and account for. Starts no program. */
export class Archive {
  readonly search: SessionSearch;
  /** Sessions of other programs, where they are looked for. */
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

  /** The session in another format, with secrets masked; running ones as far as they have come. @throws EngineFailure */
  async export(sessionId: string, request: ExportRequest): Promise<SessionExport> {
    const { clock, randomHex, log, version = '' } = this.#deps;
    const reader = await this.#sessions.openReader(sessionId);
    return await exportSession(reader, request, {
      clock,
      randomHex,
      version,
      note: (report) =>
        this.noteExport(sessionId, exportDecision(report, new Date(clock()).toISOString())).catch((error: unknown) =>
          log.warn(`The record of ${sessionId} does not include the export: ${String(error)}`),
        ),
    });
  }

  /** Closes the catalogue. */
  dispose(): void {
    this.#catalogue.close();
  }

  /** Keeps in the record that someone exported the session. @throws EngineFailure */
  noteExport(sessionId: string, decision: ExportDecision): Promise<void> {
    return this.#sessions.decide(sessionId, decision);
  }

  /**
   * All of it or nothing: a file that is there stays until the new one is whole.
   * @throws EngineFailure, an AbortError where the signal ends it
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

  /** One entry as the export to markdown writes it, with secrets masked; `undefined` where there is none. @throws EngineFailure */
  async entryMarkdown(
    sessionId: string,
    index: number,
  ): Promise<{ readonly text: string; readonly masked: number } | undefined> {
    const reader = await this.#sessions.openReader(sessionId);
    try {
      const [entry] = await reader.read(index, index + 1);
      if (entry === undefined) return undefined;
      const { entryText } = await import('../../formats/export/markdown.ts');
      const redactor = this.#redactor();
      const text = `${entryText(redactor.entry(entry))}\n`;
      return { text, masked: redactor.report().total };
    } finally {
      await reader.close();
    }
  }

  /** A text with its secrets masked, as exports mask them. */
  masked(text: string): { readonly text: string; readonly masked: number } {
    const redactor = this.#redactor();
    return { text: redactor.text(text, { path: ['content'] }), masked: redactor.report().total };
  }

  #redactor(): Redactor {
    const key = this.#deps.randomHex(32);
    return new Redactor((secret) => tag(key, secret));
  }

  /** Keeps what a file holds as a session that can be read and not resumed. @throws EngineFailure */
  async import(request: ImportRequest): Promise<ImportReport> {
    const { clock, randomHex, adapters, store, log } = this.#deps;
    const report = await importFile(request, {
      clock,
      randomHex,
      adapters,
      store,
      prices: await loadPrices(this.#deps.settings().prices),
    });
    if (report.mistyped !== undefined) logInvalidMetadata(log, report.sessionId, report.mistyped);
    return report;
  }

  /** Copies a session of another program into a record under its own id. @throws file system errors */
  importObserved(history: ObservedHistory): Promise<SessionSummary> {
    return importObserved(history, this.#deps);
  }

  /** Adds to such a copy what its session has got since. @throws file system errors */
  updateObserved(history: ObservedHistory): Promise<SessionSummary> {
    return updateObserved(history, this.#deps);
  }

  /** Begins a session that continues the conversation of `origin` apart from it. @throws file system errors */
  forkObserved(history: ObservedHistory, origin: SessionSummary): Promise<SessionSummary> {
    return forkObserved(history, origin, this.#deps);
  }

  /** Whose output can be imported. */
  importable(): readonly { readonly type: ExecutorType; readonly label: string }[] {
    return this.#deps.adapters.map(({ type, label }) => ({ type, label }));
  }

  /** The chain of a session's record and its signature. @throws EngineFailure */
  async verify(sessionId: string): Promise<Verified> {
    await (await this.#sessions.openReader(sessionId)).close();
    return await this.#verify(this.#deps.store.path(sessionId), sessionId);
  }

  /** The same of any `record.jsonl`; what was kept beside it counts. @throws EngineFailure */
  async verifyFile(file: string): Promise<Verified> {
    return await this.#verify(file);
  }

  /** What is missing from the record of a session. Reads all of it. @throws EngineFailure */
  async checkCompleteness(sessionId: string): Promise<Completeness> {
    const reader = await this.#sessions.openReader(sessionId);
    try {
      const file = this.#deps.store.path(sessionId);
      const chain = await this.#verify(file, sessionId);
      const folder = path.dirname(file);
      // Without a writer, a status of "running" or "pending" is only where the record was cut.
      const isLive = isSessionLive(reader.summary.status) && (await hasWriter(folder, this.#deps.clock));
      return await checkCompleteness(reader, { chain, outputs: await runsWithOutput(folder), isLive });
    } finally {
      await reader.close();
    }
  }

  async #verify(file: string, session?: string): Promise<Verified> {
    return await verify(file, this.#deps.environment, session).catch((error: unknown) => {
      throw failures.importUnreadable(file, error instanceof Error ? error.message : String(error));
    });
  }

  /**
   * A run has ended: signs the record, and reports the run where the user wants that. Resolves when it is signed; what could
   * not be done is told. Never rejects.
   */
  async runOver(sessionId: string, runId: string, tell: (failure: EngineFailure) => void): Promise<void> {
    void this.#spans.send(sessionId, runId).then((failure) => failure && tell(failure));
    const failure = await this.sign(sessionId);
    if (failure !== null) tell(failure);
  }

  /** Signs how far the record has come, where the user has set a key; says why it could not. Never rejects. */
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
   * Zips what the agents of these sessions printed, and their records; all of it can be read as before, and a record is put
   * back when someone writes it. Sessions that are running, or were packed already, stay as they are. @throws EngineFailure, file system errors
   */
  async pack(ids: readonly string[]): Promise<Packed> {
    let all: Packed = { files: 0, bytes: 0, packed: 0 };
    for (const id of ids) {
      const made = await this.#deps.store.pack(id).catch((error: unknown) => {
        if (RecordBusyError.is(error)) return null;
        throw error;
      });
      if (made === null) continue;
      const at = new Date(this.#deps.clock()).toISOString();
      if (made.files > 0) await this.#sessions.decide(id, { type: 'pack', at, ...made });
      const record = await this.#deps.store.archive(id);
      for (const { files, bytes, packed } of [made, record]) {
        all = { files: all.files + files, bytes: all.bytes + bytes, packed: all.packed + packed };
      }
    }
    return all;
  }

  /** Puts what was printed back as it was, for who opens the files themselves. @throws file system errors */
  async unpack(sessionId: string): Promise<void> {
    await this.#deps.store.unpack(sessionId).catch((error: unknown) => {
      // Nothing is packed while someone writes.
      if (!RecordBusyError.is(error)) throw error;
    });
  }

  /** Sessions that were run in folders that are gone, and are these under another name or in another place. */
  async moved(folders: readonly string[]): Promise<readonly MovedSessions[]> {
    return movedSessions(await this.#deps.store.list(), folders);
  }

  /** Records that the last listing could not read. */
  get unreadable(): StoreListing['unreadable'] {
    return this.#deps.store.unreadable;
  }

  /** Ids of sessions whose record lacks something, as the last listing saw at its end; `checkCompleteness` says what. */
  get damaged(): StoreListing['damaged'] {
    return this.#deps.store.damaged;
  }

  /** What lists cannot show: unreadable records and permanently deleted sessions. */
  async missing(): Promise<{ unreadable: StoreListing['unreadable']; deleted: readonly string[] }> {
    const [{ unreadable }, deletions] = await Promise.all([this.#deps.store.survey(), this.#deletions.list()]);
    const failed = new Set(unreadable.map(({ id }) => id));
    const deleted = deletions.filter(({ type }) => type === 'deletion').map((each) => String(each['session_id']));
    return { unreadable, deleted: [...new Set(deleted)].filter((id) => !failed.has(id)) };
  }

  /** Deletes all that is kept of a session, but for a line that says so. @throws EngineFailure */
  async remove(sessionId: string, reason: DeletionReason): Promise<void> {
    const deletion = await this.#deletion(sessionId, reason);
    await this.#deletions.around(deletion, (before) => this.#sessions.remove(sessionId, before));
    await this.search.forget(sessionId);
  }

  /** What every run used, for sums; from the ends of records, which are read again only where they have grown. */
  async spending(): Promise<Spending> {
    return await spendingOf(this.#deps.store, await this.#sessions.live());
  }

  /** What sessions of other programs used, day by day. @throws as SQLite does, where the catalogue cannot be made */
  async observedSpending(within: (session: ObservedSummary) => boolean = () => true): Promise<readonly RunSpending[]> {
    const observed = await this.search.observed(await this.#deps.store.list());
    return observed.filter(({ summary }) => within(summary)).flatMap(({ spent }) => spent);
  }

  /** The ledger of a period, with sessions of other programs where asked. All of it or nothing. @throws EngineFailure */
  async usageToFile(period: UsagePeriod, file: string, { observed }: { readonly observed: boolean }): Promise<void> {
    const own = await this.#deps.store.list();
    const others = observed ? await this.observedSpending() : [];
    await writeWhole(
      file,
      usageCsv(own, others, period, (id) => this.#sessions.openReader(id)),
    );
  }

  /** Who ran what, which files and commands, which decisions. `key` of the masks; `null` masks nothing. @throws EngineFailure */
  async audit(which: string | Period, key: string | null): Promise<AsyncIterable<AuditRow>> {
    const period = typeof which === 'string' ? null : which;
    const ids = typeof which === 'string' ? [which] : within(await this.#deps.store.list(), which);
    return auditSessions(ids, period, {
      open: (id) => this.#sessions.openReader(id),
      verify: (id) => this.verify(id),
      redactor: key === null ? null : new Redactor((secret) => tag(key, secret)),
      at: new Date(this.#deps.clock()).toISOString(),
      deletions: this.#deletions,
    });
  }

  /** The same as a file, with secrets masked. All of it or nothing. @throws EngineFailure */
  async auditToFile(which: string | Period, format: AuditFormat, file: string): Promise<void> {
    await writeWhole(file, auditText(format, await this.audit(which, this.#deps.randomHex(32))));
  }

  /** `null` for what a record that cannot be read does not tell. */
  async #deletion(id: string, reason: DeletionReason): Promise<Deletion> {
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
