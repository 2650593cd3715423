import type { Conversation, Log, SessionHandle } from '../../engine/api.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AgentRequest } from '../../model/agent/request.ts';
import { failures } from '../../engine/failures/failures.ts';
import { asShared } from '../../insight/session/asShared.ts';
import { isSessionLive } from '../../model/session/status.ts';
import {
  copiedRecord,
  pullSession,
  pullShared,
  type PulledLines,
  type PulledSessions,
} from '../../team/records/mirror.ts';
import { sharedState } from '../../team/records/sharedSessions.ts';
import { readRequests } from '../../team/runs/requests.ts';
import { TeamError } from '../../team/errors.ts';
import { WaitingRequests } from '../requests/waitingRequests.ts';
import type { UseDatabase } from './outbox.ts';

export interface MirrorDeps {
  /** Engine of the store of copies. Starts nothing. */
  readonly engine: Pick<Engine, 'open'>;
  readonly folder: string;
  /** Login of this store. */
  readonly user: string;
  readonly use: UseDatabase;
  readonly log: Log;
}

/** Copies of sessions of other members, brought up to date for as long as someone looks at them. */
export class TeamMirror {
  readonly #deps: MirrorDeps;
  /** How many look at each. */
  readonly #users = new Map<string, number>();
  readonly #pulls = new Map<string, Promise<unknown>>();
  readonly #idsToPullAgain = new Set<string>();
  readonly #lastWork = new Map<string, Promise<void>>();
  readonly #requests = new Map<string, readonly AgentRequest[]>();
  readonly #pullListeners = new Map<string, Set<() => void>>();

  constructor(deps: MirrorDeps) {
    this.#deps = deps;
  }

  /** `null`: the team has no record of such a session that this login may read. @throws TeamError without a connection */
  async open(id: string): Promise<SessionHandle | null> {
    const { engine, log } = this.#deps;
    this.#users.set(id, (this.#users.get(id) ?? 0) + 1);
    try {
      const pulled = await this.#refreshCopy(id);
      if (pulled === null || pulled.session.lines === 0) {
        this.#leave(id);
        return null;
      }
      await this.#readRequests(id);
      const handle = await engine.open(id);
      const shared = sharedState(pulled.session, this.#deps.user);
      const problems = pulled.problem === null ? [] : [pulled.problem];
      const pending = () => (isSessionLive(handle.summary().status) ? (this.#requests.get(id) ?? []) : []);
      const transcript = new WaitingRequests({ base: handle, pending, log });
      const listeners = this.#pullListeners.get(id) ?? new Set();
      this.#pullListeners.set(id, listeners);
      const arrange = () => void transcript.arrange();
      listeners.add(arrange);
      handle.onSummary(arrange);
      await transcript.arrange();
      let isOpen = true;
      return {
        ...handle,
        entryCount: () => transcript.entryCount(),
        openIndexes: () => transcript.openIndexes(),
        openEntries: () => transcript.openEntries(),
        read: (from, to) => transcript.read(from, to),
        onUpdates: (listener) => transcript.onUpdates(listener),
        summary: () => asShared(handle.summary(), shared),
        get done() {
          return handle.done;
        },
        isLive: () => isSessionLive(handle.summary().status),
        conversation: () => (isSessionLive(handle.summary().status) ? this.#createConversation(id) : null),
        onConversation: (listener) => {
          listeners.add(listener);
          return { dispose: () => listeners.delete(listener) };
        },
        problems: () => [...problems, ...handle.problems()],
        dispose: () => {
          listeners.delete(arrange);
          transcript.dispose();
          handle.dispose();
          if (isOpen) this.#leave(id);
          isOpen = false;
        },
      };
    } catch (error) {
      this.#leave(id);
      throw error;
    }
  }

  /** Updates the copy. Returns its record; `null` if there is none. @throws TeamError without a connection */
  async copy(id: string): Promise<string | null> {
    const pulled = await this.#refreshCopy(id);
    return pulled === null || pulled.session.lines === 0 ? null : copiedRecord(this.#deps.folder, id);
  }

  /** Brings all copies up to date, for a search. @throws TeamError without a connection */
  async pullAll(): Promise<PulledSessions & { readonly folder: string }> {
    const { folder, user, use } = this.#deps;
    const pulled = await use((database) => pullShared(database, folder, user, (id) => this.#refreshCopy(id)));
    return { folder, ...pulled };
  }

  /** The team's copy has more lines. */
  handleChange(id: string): void {
    if (!this.#users.has(id)) return;
    if (this.#pulls.has(id)) {
      this.#idsToPullAgain.add(id);
      return;
    }
    const pulled = this.#pull(id).finally(() => {
      this.#pulls.delete(id);
      if (this.#idsToPullAgain.delete(id)) this.handleChange(id);
    });
    this.#pulls.set(id, pulled);
  }

  /** An agent asks, or was answered. */
  requestsChanged(id: string): void {
    if (this.#users.has(id)) void this.#readRequests(id);
  }

  /** After a connection was made: hints may have been lost. */
  resume(): void {
    for (const id of this.#users.keys()) {
      this.handleChange(id);
      this.requestsChanged(id);
    }
  }

  async close(): Promise<void> {
    this.#users.clear();
    await Promise.all(this.#pulls.values());
  }

  async #pull(id: string): Promise<void> {
    try {
      await this.#refreshCopy(id);
    } catch (error) {
      if (!TeamError.is(error, 'unreachable')) this.#deps.log.warn(`Team session ${id}: ${String(error)}`);
    }
  }

  /** Runs one at a time per session, because two would write to the same file. @throws TeamError */
  #refreshCopy(id: string): Promise<PulledLines | null> {
    const { folder, use } = this.#deps;
    const before = this.#lastWork.get(id) ?? Promise.resolve();
    const pulled = before.then(() => use((database) => pullSession(database, folder, id)));
    const settled = pulled.then(
      () => undefined,
      () => undefined,
    );
    this.#lastWork.set(id, settled);
    void settled.then(() => {
      if (this.#lastWork.get(id) === settled) this.#lastWork.delete(id);
    });
    return pulled;
  }

  /** Answers go through the team. The agent of another machine takes no messages. */
  #createConversation(id: string): Conversation {
    return {
      takesMessages: false,
      pendingRequests: () => this.#requests.get(id) ?? [],
      queuedMessages: () => [],
      answer: () => false,
      sendMessage: () => {
        throw failures.takesNoMessage('An agent on another machine');
      },
      changeOptions: () => [],
      unsend: () => undefined,
    };
  }

  async #readRequests(id: string): Promise<void> {
    try {
      const found = await this.#deps.use((database) => readRequests(database, id));
      this.#requests.set(
        id,
        found.filter(({ answer }) => answer === null).map(({ request }) => request),
      );
      for (const listener of this.#pullListeners.get(id) ?? []) listener();
    } catch (error) {
      if (!TeamError.is(error, 'unreachable')) this.#deps.log.warn(`Requests of ${id}: ${String(error)}`);
    }
  }

  #leave(id: string): void {
    const remaining = (this.#users.get(id) ?? 1) - 1;
    if (remaining > 0) {
      this.#users.set(id, remaining);
      return;
    }
    this.#users.delete(id);
    this.#requests.delete(id);
    this.#pullListeners.delete(id);
  }
}
