import { exportDecision, exportSession, type ExportRequest, type SessionExport } from './exportSession.ts';
import type { Log } from './api.ts';
import type { Sessions } from './sessions.ts';

export interface ArchiveDeps {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
  readonly log: Log;
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
    const { clock, randomHex, log } = this.#deps;
    const reader = await this.#sessions.openReader(sessionId);
    return await exportSession(reader, request, {
      clock,
      randomHex,
      note: (report) =>
        this.#sessions
          .decide(sessionId, exportDecision(report, new Date(clock()).toISOString()))
          .catch((error: unknown) => log.info(`That ${sessionId} was exported is not in its record: ${String(error)}`)),
    });
  }
}
