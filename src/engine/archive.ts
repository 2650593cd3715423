import {
  exportDecision,
  exportSession,
  type ExportReport,
  type ExportRequest,
  type SessionExport,
} from './exportSession.ts';
import type { Log } from './api.ts';
import type { Sessions } from './sessions.ts';
import { writeWhole } from './wholeFile.ts';

export interface ArchiveDeps {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
  readonly log: Log;
  /** Of Vitrine. */
  readonly version?: string;
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
}
