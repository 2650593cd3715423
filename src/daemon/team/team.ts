import { hostname } from 'node:os';
import path from 'node:path';
import { secretTag } from '../../engine/archive/exportSession.ts';
import type { Disposable, Log, SessionHandle } from '../../engine/api.ts';
import type { Engine } from '../../engine/engine.ts';
import { failures } from '../../engine/failures/failures.ts';
import { Redactor } from '../../formats/redaction/redactor.ts';
import type { Share } from '../../model/session/share.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { TeamState } from '../../protocol/daemon/team.ts';
import { formatAddress } from '../../team/database/address.ts';
import type { Login } from '../../team/database/connection.ts';
import { TeamError } from '../../team/errors.ts';
import { TeamLink, type ChangeHint } from '../../team/database/link.ts';
import { loginOfStore } from '../../team/login.ts';
import { mirrorFolder } from '../../team/records/mirror.ts';
import { readSigningKey, storeSignature, type SigningKey } from '../../team/records/signedHeads.ts';
import { teamFolder } from '../../team/teamFile.ts';
import type { ClientContexts } from '../clients/contexts.ts';
import { FolderShares } from './folderShares.ts';
import { readMaskKey } from './maskKey.ts';
import { TeamMirror } from './mirror.ts';
import { SharedList } from './sharedSessions.ts';
import { Outbox, type UseDatabase } from './outbox.ts';
import { OutboxFiles } from './outboxFile.ts';
import { OwnShares } from './ownShares.ts';

export interface TeamDeps {
  readonly storeDir: string;
  readonly engine: Engine;
  /** An engine of the store of copies. */
  readonly openMirror: (storeDir: string) => Engine;
  readonly contexts: ClientContexts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onHint: (hint: ChangeHint) => void;
  readonly onConnected: () => void;
  /** A session of another member changed in lists, or can no longer be seen. */
  readonly onShared: (summary: SessionSummary) => void;
  readonly onSharedRemoved: (sessionId: string) => void;
  /** The team sees this much of an own session now. */
  readonly onOwnShare: (sessionId: string, share: Share) => void;
  readonly log: Log;
}

/** The connection of this store to its team; loaded and made only where the store has joined one. */
export class DaemonTeam {
  readonly #deps: TeamDeps;
  readonly #login: Login;
  readonly #link: TeamLink;
  readonly #maskKey: string;
  readonly #files: OutboxFiles;
  readonly #outbox: Outbox;
  readonly #ownShares: OwnShares;
  readonly #mirrorEngine: Engine;
  readonly #mirror: TeamMirror;
  readonly #shares: FolderShares;
  readonly #sharedList: SharedList;
  readonly #summaries: Disposable;
  /** Key of this machine. */
  #signingKey: Promise<SigningKey> | undefined;
  /** What running sessions share, as set for their folders. */
  readonly #decidedShares = new Map<string, Share>();

  private constructor(deps: TeamDeps, login: Login, link: TeamLink, maskKey: string) {
    const { storeDir, engine, log } = deps;
    this.#deps = deps;
    this.#login = login;
    this.#link = link;
    this.#maskKey = maskKey;
    const { use } = this;
    const folder = teamFolder(storeDir);
    this.#shares = new FolderShares(path.join(folder, 'folders.json'));
    const files = new OutboxFiles(path.join(folder, 'outbox'));
    this.#files = files;
    this.#ownShares = new OwnShares(files, deps.onOwnShare);
    this.#outbox = new Outbox({
      files,
      use,
      isConnected: () => link.isConnected,
      hostname: hostname(),
      recordPath: (id) => engine.recordPath(id),
      summary: (id) => summaryOf(engine, id),
      redactor: () => this.redactor(),
      sign: async (database, id, at) => {
        this.#signingKey ??= readSigningKey(path.join(folder, 'signing.key'));
        await storeSignature(database, await this.#signingKey, id, at);
      },
      onShare: this.#ownShares.changed,
      log,
    });
    this.#sharedList = new SharedList({
      user: login.address.user,
      use,
      isConnected: () => link.isConnected,
      onChanged: deps.onShared,
      onRemoved: deps.onSharedRemoved,
      log,
    });
    this.#mirrorEngine = deps.openMirror(mirrorFolder(storeDir));
    this.#mirror = new TeamMirror({
      engine: this.#mirrorEngine,
      folder: mirrorFolder(storeDir),
      user: login.address.user,
      use,
      log,
    });
    this.#summaries = engine.onSummary((summary) => void this.#shareByFolderSetting(summary));
  }

  /** `null`: the store belongs to no team. `password` replaces that of the environment. @throws TeamError `url` */
  static async open(deps: TeamDeps, password?: string): Promise<DaemonTeam | null> {
    const found = await loginOfStore(deps.storeDir, deps.environment);
    if (found === null) return null;
    const login = password === undefined ? found : { ...found, password };
    const key = await readMaskKey(path.join(teamFolder(deps.storeDir), 'mask.key'));
    const opened: { team?: DaemonTeam } = {};
    const link = await TeamLink.open(login, {
      log: deps.log,
      onHint: (hint) => opened.team?.hint(hint),
      onConnected: () => opened.team?.resume(),
    });
    opened.team = new DaemonTeam(deps, login, link, key);
    return opened.team;
  }

  hint(hint: ChangeHint): void {
    if (hint.kind === 'lines' || hint.kind === 'session' || hint.kind === 'withdrawn')
      this.#mirror.handleChange(hint.id);
    if (hint.kind === 'request' || hint.kind === 'answer') this.#mirror.requestsChanged(hint.id);
    this.#sharedList.handleHint(hint);
    this.#deps.onHint(hint);
  }

  resume(): void {
    this.#mirror.resume();
    void this.#outbox.resume();
    void this.#sharedList.resume();
    this.#deps.onConnected();
  }

  async sharedSessions(): Promise<ResultOf<'sharedSessions'>> {
    return { ...(await this.#sharedList.watch()), own: await this.#ownShares.list() };
  }

  /** The store has left this team. */
  forgetShares(): void {
    this.#ownShares.forget();
  }

  /** `null`: the team cannot be reached. */
  async pullShared(): Promise<ResultOf<'pullShared'>['copies']> {
    try {
      const { isComplete, ...pulled } = await this.#mirror.pullAll();
      return { ...pulled, sessions: [...pulled.sessions], problems: [...pulled.problems], is_complete: isComplete };
    } catch (error) {
      if (!TeamError.is(error)) throw error;
      this.#deps.log.warn(`Copies of the team's sessions: ${error.message}`);
      return null;
    }
  }

  /** A session of another member; `null`: none that can be read. */
  async open(id: string): Promise<SessionHandle | null> {
    try {
      return await this.#mirror.open(id);
    } catch (error) {
      if (!TeamError.is(error)) throw error;
      this.#deps.log.warn(`Team session ${id}: ${error.message}`);
      return null;
    }
  }

  /** @throws EngineFailure if there is no such session of this store */
  async share(id: string, share: Share): Promise<void> {
    const handle = await this.#deps.engine.open(id);
    const { remote } = handle.summary();
    handle.dispose();
    if (remote !== undefined) throw failures.sessionRemote(id, remote.hostname);
    await this.#outbox.share(id, share, 'person');
  }

  /** What the team sees of a session of this store. */
  async shareOf(id: string): Promise<Share> {
    const known = await this.#files.read(id);
    if (known !== null && known.by !== 'folder') return known.share;
    const folder = (await summaryOf(this.#deps.engine, id))?.project_dir;
    return (folder === undefined ? undefined : await this.#shareOfFolder(folder)) ?? 'nothing';
  }

  /** As `TeamMirror.copy` */
  copy(id: string): Promise<string | null> {
    return this.#mirror.copy(id);
  }

  async shareFolder(folder: string, share: Share): Promise<void> {
    await this.#shares.set(folder, share);
  }

  get login(): Login {
    return this.#login;
  }

  state(): TeamState {
    const { address, password } = this.#login;
    return {
      url: formatAddress(address),
      user: address.user,
      is_connected: this.#link.isConnected,
      has_password: password !== undefined,
    };
  }

  get isConnected(): boolean {
    return this.#link.isConnected;
  }

  /** @throws TeamError */
  readonly use: UseDatabase = (work) => this.#link.withDatabase(work);

  redactor(): Redactor {
    return new Redactor((secret) => secretTag(this.#maskKey, secret));
  }

  /** The session runs for a team member. */
  shareRun(id: string): Promise<void> {
    return this.#outbox.shareRun(id);
  }

  /** The local session was deleted. */
  deleted(id: string): Promise<void> {
    return this.#outbox.handleDeleted(id);
  }

  async close(): Promise<void> {
    this.#summaries.dispose();
    this.#sharedList.close();
    await this.#outbox.close();
    await this.#mirror.close();
    await this.#link.close();
    await this.#mirrorEngine.dispose();
  }

  async #shareOfFolder(folder: string): Promise<Share | undefined> {
    return (await this.#shares.shareOf(folder)) ?? this.#deps.contexts.share(folder);
  }

  /** Shares a session according to the setting of its folder. Never rejects. */
  async #shareByFolderSetting(summary: SessionSummary): Promise<void> {
    const { session_id: id, project_dir: folder, remote } = summary;
    // Its own machine shares it.
    if (remote !== undefined) return;
    try {
      if (folder !== undefined) {
        const share = await this.#shareOfFolder(folder);
        if (share !== undefined && this.#decidedShares.get(id) !== share) {
          this.#decidedShares.set(id, share);
          await this.#outbox.share(id, share, 'folder');
        }
      }
      if (!isSessionLive(summary.status)) this.#decidedShares.delete(id);
      this.#outbox.enqueueSession(id);
    } catch (error) {
      this.#deps.log.warn(`Session ${id} could not be shared: ${String(error)}`);
    }
  }
}

async function summaryOf(engine: Pick<Engine, 'open'>, id: string): Promise<SessionSummary | null> {
  try {
    const handle = await engine.open(id);
    const summary = handle.summary();
    handle.dispose();
    return summary;
  } catch {
    return null;
  }
}
