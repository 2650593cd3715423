import path from 'node:path';
import type { AgentAdapter } from '../agents/adapter.ts';
import { sessionIdSchema } from '../model/session/session.ts';
import type { SessionSummary } from '../model/session/summary.ts';
import type { ReportOptions } from './launch/agentLauncher.ts';
import { AgentLaunchers } from './launch/agentLaunchers.ts';
import type { AgentReport } from './api.ts';
import type { EngineDeps } from './engineDeps.ts';
import { Archive, type ArchiveDeps } from './archive/archive.ts';
import { FollowUpReader } from './followUps/followUpReader.ts';
import { failures } from './failures/failures.ts';
import { ProcessLeases } from './process/leases.ts';
import type { RecordReader } from './record/contract.ts';
import { RecordNotFoundError } from './record/errors.ts';
import { RecordStore } from './record/recordStore.ts';
import { recogniseOutput } from './replay/outputFile.ts';
import type { ResumePlace } from '../insight/session/resumeCheck.ts';
import { resumePlace } from './sessions/resumePlace.ts';
import type { Sessions } from './sessions/sessions.ts';

/** Writes records, in another process. */
export interface RecordOwner extends Pick<Archive, 'import' | 'pack' | 'unpack' | 'remove'> {
  readonly decide: Sessions['decide'];
}

class ReadOnlyArchive extends Archive {
  override readonly import: Archive['import'];
  override readonly pack: Archive['pack'];
  override readonly unpack: Archive['unpack'];
  override readonly remove: Archive['remove'];

  constructor(openReader: Sessions['openReader'], owner: RecordOwner, deps: ArchiveDeps) {
    const { decide, remove } = owner;
    super({ openReader, decide, remove: (id) => remove(id, 'user'), live: () => Promise.resolve([]) }, deps);
    this.import = owner.import;
    this.pack = owner.pack;
    this.unpack = owner.unpack;
    this.remove = remove;
  }
}

/** Reads the records of a store that another process writes, and knows which agents are on this machine. Starts no run. */
export class ReadOnlyEngine {
  readonly archive: Archive;
  readonly followUps: FollowUpReader;
  readonly #deps: EngineDeps;
  readonly #store: RecordStore;
  readonly #sources: AgentLaunchers;

  constructor(deps: EngineDeps, owner: RecordOwner) {
    this.#deps = deps;
    this.#store = new RecordStore(deps.storeDir, deps);
    this.#sources = new AgentLaunchers(deps, new ProcessLeases(path.join(deps.storeDir, 'leases'), deps.log));
    const openReader = (id: string): Promise<RecordReader> => this.#openReader(id);
    this.followUps = new FollowUpReader({ ...deps, openReader });
    this.archive = new ReadOnlyArchive(openReader, owner, { ...deps, store: this.#store });
  }

  /** Newest first; as far as the records have come. */
  list(): Promise<SessionSummary[]> {
    return this.#store.list();
  }

  rebuildIndex(): Promise<SessionSummary[]> {
    return this.#store.rebuild();
  }

  /** File of the session's record; the raw output of its runs is beside it. */
  recordPath(sessionId: string): string {
    return this.#store.path(sessionId);
  }

  /** Every agent that can be started, with what was found of it; `fresh` looks again instead of remembering. */
  agents(options: ReportOptions & { readonly fresh?: boolean } = {}): Promise<readonly AgentReport[]> {
    if (options.fresh === true) this.#sources.refresh();
    return this.#sources.reports(options);
  }

  /** What tells whether the session would resume on this machine. Starts nothing. */
  async resumePlace(summary: SessionSummary): Promise<Omit<ResumePlace, 'isSupported' | 'isRemote'>> {
    const { sources, environment } = this.#deps;
    const [isInstalled, place] = await Promise.all([
      this.#sources.isInstalled(summary),
      resumePlace(summary, { sources, environment, recordPath: this.recordPath(summary.session_id) }),
    ]);
    return { ...place, program: isInstalled === undefined ? 'unknown' : isInstalled ? 'found' : 'missing' };
  }

  /** Whose output the file may hold, best first; several or none where it does not tell. @throws EngineFailure */
  recogniseOutput(file: string): Promise<readonly AgentAdapter[]> {
    return recogniseOutput(file, this.#deps.adapters);
  }

  async #openReader(id: string): Promise<RecordReader> {
    if (!sessionIdSchema.safeParse(id).success) throw failures.sessionMissing(id);
    return this.#store.openReader(id).catch((error: unknown) => {
      throw RecordNotFoundError.is(error) ? failures.recordNotFound(id, error) : error;
    });
  }
}
