import { storeFormats } from '../../agents/stores/formats.ts';
import type { Disposable, Log, SessionHandle } from '../../engine/api.ts';
import { Emitter } from '../../engine/emitter.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { AgentLink, type LinkUse } from './agentLink.ts';
import { joinedSummary } from './joinedSummary.ts';
import { WaitWatches } from './waitWatches.ts';
import { JoinedHandle } from './joinedHandle.ts';

interface SharedLink {
  readonly link: Promise<AgentLink | undefined>;
  open: AgentLink | undefined;
  users: number;
}

/** Sessions from other programs that clients of this daemon have joined, with one connection each. */
export class JoinedSessions {
  readonly #log: Log;
  readonly #links = new Map<string, SharedLink>();
  readonly #changes: Emitter<[sessionId: string]>;
  readonly #waitWatches: WaitWatches;
  readonly #listeners = new Set<Disposable>();

  constructor(log: Log) {
    this.#log = log;
    this.#changes = new Emitter(log);
    this.#waitWatches = new WaitWatches((id) => this.#changes.fire(id), log);
  }

  /** The requests of a session, or whether its agent is running a turn, changed. */
  onChange(listener: (sessionId: string) => void): Disposable {
    const registration = this.#changes.on(listener);
    this.#listeners.add(registration);
    return {
      dispose: () => {
        registration.dispose();
        if (this.#listeners.delete(registration) && this.#listeners.size === 0) this.#waitWatches.close();
      },
    };
  }

  /** The session as its agent's server describes it. If no client has joined it, that is only whether it waits. */
  describeSession(summary: SessionSummary): SessionSummary {
    const link = this.get(summary.session_id);
    if (link !== undefined) return joinedSummary(summary, link);
    const join = formatOf(summary)?.join;
    return join === undefined ? summary : this.#waitWatches.addWaitState(summary, join);
  }

  /** The handle itself, or one that takes part in the session whenever the agent has it open in its own server. Takes over the handle. */
  async follow(base: SessionHandle): Promise<SessionHandle> {
    if (formatOf(base.summary())?.join === undefined) return base;
    return JoinedHandle.open(base, { join: (summary) => this.#useLink(summary), log: this.#log });
  }

  /** The open link of a session that a client of this daemon follows. */
  get(sessionId: string): AgentLink | undefined {
    const link = this.#links.get(sessionId)?.open;
    return link?.isOpen === true ? link : undefined;
  }

  /** `undefined`: the session can only be watched now. Never rejects. */
  async #useLink(summary: SessionSummary): Promise<LinkUse | undefined> {
    const {
      session_id: id,
      observed,
      executor_session_id: nativeId,
      agent_label: label,
      project_dir: folder,
    } = summary;
    const join = formatOf(summary)?.join;
    const socket = observed === undefined ? undefined : join?.socket(observed.path);
    if (join === undefined || socket === undefined || nativeId === undefined) return undefined;
    const known = this.#links.get(id);
    const deps = { join, socket, nativeId, label, folder: folder ?? '', log: this.#log };
    const shared: SharedLink =
      known !== undefined && known.open?.isOpen !== false
        ? known
        : { link: AgentLink.open(deps), open: undefined, users: 0 };
    this.#links.set(id, shared);
    shared.users += 1;
    const link = await shared.link;
    if (link !== undefined && shared.open === undefined) {
      shared.open = link;
      link.onChange(() => this.#changes.fire(id));
      this.#changes.fire(id);
    }
    let isUsed = true;
    const dispose = (): void => {
      if (!isUsed) return;
      isUsed = false;
      shared.users -= 1;
      if (shared.users > 0) return;
      if (this.#links.get(id) === shared) this.#links.delete(id);
      link?.close();
      if (link !== undefined) this.#changes.fire(id);
    };
    if (link !== undefined) return { link, dispose };
    dispose();
    return undefined;
  }
}

function formatOf({ observed }: SessionSummary): (typeof storeFormats)[number] | undefined {
  return storeFormats.find(({ agent }) => agent === observed?.agent);
}
