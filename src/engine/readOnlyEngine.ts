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
import { recognizeOutput } from './replay/outputFile.ts';
import type { ResumePlace } from '../insight/session/resumeCheck.ts';
import { resumePlace } from './sessions/resumePlace.ts';
import type { Sessions } from './sessions/sessions.ts';

/** Writes records in another process. */
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
    super({ openReader, decide, remove: (id) => remove(id, 'user'), liveStates: () => Promise.resolve([]) }, deps);
    this.import = owner.import;
    this.pack = owner.pack;
    this.unpack = owner.unpack;
    this.remove = remove;
  }
}

/** Reads the records of a store that another process writes, and finds installed agents. Starts no runs. */
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

  /** Newest first, including runs in progress. */
  list(): Promise<SessionSummary[]> {
    return this.#store.list();
  }

  rebuildIndex(): Promise<SessionSummary[]> {
    return this.#store.rebuild();
  }

  /** The session's record file; the raw output of its runs is in the same folder. */
  recordPath(sessionId: string): string {
    return this.#store.path(sessionId);
  }

  /** All agents that can be started, with their state; `fresh` ignores cached results. */
  agents(options: ReportOptions & { readonly fresh?: boolean } = {}): Promise<readonly AgentReport[]> {
    if (options.fresh === true) this.#sources.refresh();
    return this.#sources.reports(options);
  }

  /** Facts that decide whether the session can be resumed on this machine. Starts nothing. */
  async resumePlace(summary: SessionSummary): Promise<Omit<ResumePlace, 'isSupported' | 'isRemote'>> {
    const { sources, environment } = this.#deps;
    const [isInstalled, place] = await Promise.all([
      this.#sources.isInstalled(summary),
      resumePlace(summary, { sources, environment, recordPath: this.recordPath(summary.session_id) }),
    ]);
    return { ...place, program: isInstalled === undefined ? 'unknown' : isInstalled ? 'found' : 'missing' };
  }

  /** Agents that may have printed the file, best match first; none or several if unclear. @throws EngineFailure */
  recognizeOutput(file: string): Promise<readonly AgentAdapter[]> {
    return recognizeOutput(file, this.#deps.adapters);
  }

  async #openReader(id: string): Promise<RecordReader> {
    if (!sessionIdSchema.safeParse(id).success) throw failures.sessionMissing(id);
    return this.#store.openReader(id).catch((error: unknown) => {
      throw RecordNotFoundError.is(error) ? failures.recordNotFound(id, error) : error;
    });
  }
}
