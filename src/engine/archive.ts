import type { AgentAdapter } from '../agents/adapter.ts';
import { loadPrices } from '../insight/prices.ts';
import {
  exportDecision,
  exportSession,
  type ExportReport,
  type ExportRequest,
  type SessionExport,
} from './exportSession.ts';
import type { ExecutorType } from '../model/session.ts';
import type { Log } from './api.ts';
import { importFile, type ImportReport, type ImportRequest } from './import/importFile.ts';
import type { RecordStore } from './record/store.ts';
import type { Sessions } from './sessions.ts';
import { writeWhole } from './wholeFile.ts';

export interface ArchiveDeps {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
  readonly log: Log;
  /** Of Vitrine. */
  readonly version?: string;
  readonly adapters: readonly AgentAdapter[];
  readonly store: RecordStore;
}

/** Records as things to take along, check and account for. Starts no program. */
export class Archive {
  readonly #sessions: Sessions;
  readonly #deps: ArchiveDeps;

  constructor(sessions: Sessions, deps: ArchiveDeps) {
    this.#sessions = sessions;
    this.#deps = deps;
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
        this.#sessions
          .decide(sessionId, exportDecision(report, new Date(clock()).toISOString()))
          .catch((error: unknown) => log.info(`That ${sessionId} was exported is not in its record: ${String(error)}`)),
    });
  }

  /** All of it or nothing: a file that is there stays until the new one is whole. @throws EngineFailure */
  async exportToFile(sessionId: string, request: ExportRequest, file: string): Promise<ExportReport | null> {
    const exported = await this.export(sessionId, request);
    await writeWhole(file, exported.chunks);
    return exported.report();
  }

  /** Keeps what a file holds as a session that can be read and not gone on with. @throws EngineFailure */
  async import(request: ImportRequest): Promise<ImportReport> {
    const { clock, randomHex, adapters, store } = this.#deps;
    return await importFile(request, { clock, randomHex, adapters, store, prices: await loadPrices() });
  }

  /** Whose output can be imported. */
  importable(): readonly { readonly type: ExecutorType; readonly label: string }[] {
    return this.#deps.adapters.map(({ type, label }) => ({ type, label }));
  }
}
