import { memoryUsage } from 'node:process';
import type { Log, SessionHandle } from '../engine/api.ts';
import type { Engine } from '../engine/engine.ts';
import { failures } from '../engine/failures.ts';
import type { NormalizedEntry } from '../model/entry.ts';
import { isSessionLive } from '../model/status.ts';
import {
  type ClientDescription,
  type DaemonStatus,
  type ParamsOf,
  type ResultOf,
  type RunningSession,
} from '../protocol/daemon/calls.ts';
import type { ClientConnection } from './connection.ts';
import type { ClientContexts } from './contexts.ts';
import { daemonProtocol } from '../protocol/daemon/version.ts';
import { daemonRetiring, folderUntrusted } from './failures.ts';
import type { Lifetime } from './lifetime.ts';

/** Entries of one answer to `read`, and characters of their JSON. */
const maxPage = 500;
const maxPageCharacters = 4 << 20;

export interface ServiceDeps {
  readonly engine: Engine;
  readonly contexts: ClientContexts;
  readonly lifetime: Lifetime;
  readonly log: Log;
  readonly version: string;
  /** ISO 8601. */
  readonly since: string;
}

/** What clients can ask of the daemon. Failures that a person sees are `EngineFailure`s. */
export class DaemonService {
  readonly log: Log;
  readonly #deps: ServiceDeps;
  readonly #clients = new Map<ClientConnection, ClientDescription>();
  /** Sessions with a run, each held open while it lasts. */
  readonly #running = new Map<string, SessionHandle>();

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.log = deps.log;
    // Runs that nobody asked for here, such as those of child sessions, count too.
    deps.engine.onSummary((summary) => {
      if (isSessionLive(summary.status) && !this.#running.has(summary.session_id)) void this.#hold(summary.session_id);
    });
  }

  hello(connection: ClientConnection, client: ClientDescription): DaemonStatus {
    this.#clients.set(connection, client);
    this.#deps.lifetime.setClients(this.#clients.size);
    return this.status();
  }

  leave(connection: ClientConnection): void {
    this.#clients.delete(connection);
    this.#deps.lifetime.setClients(this.#clients.size);
  }

  status(): DaemonStatus {
    const { version, since } = this.#deps;
    return {
      pid: process.pid,
      version,
      protocol: daemonProtocol,
      since,
      clients: this.#clients.size,
      runs: this.#running.size,
      rss: memoryUsage.rss(),
    };
  }

  retire(when: 'idle' | 'now'): { runs: number } {
    const runs = this.#running.size;
    this.#deps.lifetime.retire(when);
    return { runs };
  }

  running(): RunningSession[] {
    return [...this.#running.values()].map((handle) => {
      const { session_id, title, project_dir } = handle.summary();
      const requests = [...(handle.conversation()?.pending() ?? [])];
      return { session_id, title, project_dir, requests };
    });
  }

  answer({ session_id, request_id, answer }: ParamsOf<'answer'>): ResultOf<'answer'> {
    const conversation = this.#live(session_id)?.conversation();
    return { accepted: conversation?.answer(request_id, answer) ?? false };
  }

  say({ session_id, text, how }: ParamsOf<'say'>): ResultOf<'say'> {
    const handle = this.#live(session_id);
    const conversation = handle?.conversation();
    if (conversation === undefined || conversation === null)
      throw failures.takesNoMessage(handle?.summary().agent_label ?? 'The agent');
    conversation.say(text, how);
    return {};
  }

  async stop({ session_id, kill }: ParamsOf<'stop'>): Promise<ResultOf<'stop'>> {
    await this.#deps.engine.stop(session_id, { kill });
    return {};
  }

  async start({ context, request }: ParamsOf<'start'>): Promise<ResultOf<'start'>> {
    this.#accept(context.folder === request.cwd && context.trusted, request.cwd);
    this.#deps.contexts.set(context);
    return this.#begun(await this.#deps.engine.start(request));
  }

  async resume({ context, session_id, request }: ParamsOf<'resume'>): Promise<ResultOf<'resume'>> {
    const opened = await this.#deps.engine.open(session_id);
    const { project_dir: folder = '' } = opened.summary();
    opened.dispose();
    this.#accept(context.folder === folder && context.trusted, folder);
    this.#deps.contexts.set(context);
    return this.#begun(await this.#deps.engine.resume(session_id, request));
  }

  async open(sessionId: string): Promise<SessionHandle> {
    return this.#deps.engine.open(sessionId);
  }

  async read({ session_id, from, to }: ParamsOf<'read'>): Promise<ResultOf<'read'>> {
    const held = this.#running.get(session_id);
    const handle = held ?? (await this.open(session_id));
    try {
      const end = Math.min(to, handle.total(), from + maxPage);
      const found = await handle.read(from, end);
      const entries: NormalizedEntry[] = [];
      let characters = 0;
      for (const entry of found) {
        characters += JSON.stringify(entry).length;
        if (entries.length > 0 && characters > maxPageCharacters) return { entries, next: entry.index };
        entries.push(entry);
      }
      return { entries, next: end < Math.min(to, handle.total()) ? end : null };
    } finally {
      if (held === undefined) handle.dispose();
    }
  }

  #live(sessionId: string): SessionHandle | undefined {
    return this.#running.get(sessionId);
  }

  #accept(isTrusted: boolean, folder: string): void {
    if (this.#deps.lifetime.isRetiring) throw daemonRetiring();
    if (!isTrusted) throw folderUntrusted(folder);
  }

  #begun(handle: SessionHandle): ResultOf<'start'> {
    const run_id = handle.turns().at(-1)?.runId;
    if (run_id === undefined) throw failures.internal('A run began without an id.');
    this.#holdHandle(handle);
    return { session_id: handle.id, run_id };
  }

  async #hold(sessionId: string): Promise<void> {
    try {
      const handle = await this.#deps.engine.open(sessionId);
      if (this.#running.has(sessionId) || !handle.live()) handle.dispose();
      else this.#holdHandle(handle);
    } catch (error) {
      this.log.warn(`${sessionId} cannot be followed: ${String(error)}`);
    }
  }

  #holdHandle(handle: SessionHandle): void {
    const before = this.#running.get(handle.id);
    this.#running.set(handle.id, handle);
    before?.dispose();
    this.#deps.lifetime.setRuns(this.#running.size);
    void handle.done.then(() => {
      if (this.#running.get(handle.id) === handle && !handle.live()) {
        this.#running.delete(handle.id);
        handle.dispose();
      }
      this.#deps.lifetime.setRuns(this.#running.size);
    });
  }
}
