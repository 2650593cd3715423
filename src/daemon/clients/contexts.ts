import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import type { AgentOptions } from '../../agents/adapter.ts';
import type { RunChoice } from '../../agents/withChoice.ts';
import type { Disposable, EngineSettings } from '../../engine/api.ts';
import { parseBudgets } from '../../insight/budgets/limits.ts';
import { parseFollowUps } from '../../insight/followUps/rules.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import type { Share } from '../../model/session/share.ts';
import type { ClientDescription } from '../../protocol/daemon/calls.ts';
import type { ClientContext } from '../../protocol/daemon/context.ts';

/** Folders with a context; the least recently used is dropped first. */
const maxFolders = 1000;

interface StoredContext {
  readonly context: ClientContext;
  readonly isFromWindow: boolean;
}

/**
 * The newest client context of each folder, which also applies to folders below it without their own. In memory only,
 * because contexts contain secrets.
 */
export class ClientContexts {
  readonly #byFolder = new Map<string, StoredContext>();
  readonly #listeners = new Set<() => void>();
  /**
   * Context of the run that is starting: two clients may start runs in one folder at once, each with its own
   * environment.
   */
  readonly #startingContext = new AsyncLocalStorage<{ context: ClientContext | undefined }>();

  /** Calls the listener when a client has sent a context. */
  onChange(listener: () => void): Disposable {
    const own = (): void => listener();
    this.#listeners.add(own);
    return { dispose: () => this.#listeners.delete(own) };
  }

  /**
   * A window knows more about its folders than other clients: its context stays when another client starts a run
   * there.
   */
  add(context: ClientContext, by: ClientDescription['kind']): void {
    const isFromWindow = by === 'window';
    const { folder } = context;
    if (!isFromWindow && this.#nearestContext(folder)?.isFromWindow === true) return;
    this.#byFolder.delete(folder);
    this.#byFolder.set(folder, { context, isFromWindow });
    const [oldest] = this.#byFolder.keys();
    if (this.#byFolder.size > maxFolders && oldest !== undefined) this.#byFolder.delete(oldest);
    for (const listener of [...this.#listeners]) listener();
  }

  /** Starts a run with this context instead of another one for its folder. */
  withContext<T>(context: ClientContext, work: () => Promise<T>): Promise<T> {
    const starting: { context: ClientContext | undefined } = { context };
    return this.#startingContext.run(starting, async () => {
      try {
        return await work();
      } finally {
        // A server or anything else that outlives the run must not keep the context.
        starting.context = undefined;
      }
    });
  }

  isTrusted(folder: string): boolean {
    return this.#contextOf(folder)?.trusted === true;
  }

  /** Only windows know a person's follow-up settings. */
  isTrustedByWindow(folder: string): boolean {
    const known = this.#nearestContext(folder);
    return known?.isFromWindow === true && known.context.trusted;
  }

  /** For a folder that no client has opened since the daemon started: an empty environment. */
  environment(folder: string): Readonly<Record<string, string>> {
    return this.#contextOf(folder)?.environment ?? {};
  }

  /** Environment for the folder of a file, otherwise the newest one. */
  environmentNear(file: string): Readonly<Record<string, string>> {
    return (this.#contextOf(path.dirname(file)) ?? this.#newestContext())?.environment ?? {};
  }

  /** Agent options from the settings of the folder. */
  options(folder: string, executor: ExecutorType): AgentOptions {
    return this.#contextOf(folder)?.options?.[executor] ?? {};
  }

  /** The sharing setting of the folder; `undefined` if no window has it open. */
  share(folder: string): Share | undefined {
    return this.#contextOf(folder)?.settings.share;
  }

  /** The user's options for later runs of a session. */
  choice(folder: string, sessionId: string): RunChoice {
    return this.#contextOf(folder)?.choices?.[sessionId] ?? {};
  }

  tags(): readonly string[] {
    return this.#newestContext()?.tags ?? [];
  }

  mayUseWorkspaceAgents(folder: string): boolean {
    const { trusted = false, workspaceAgents = false } = this.#contextOf(folder) ?? {};
    return trusted && workspaceAgents;
  }

  /**
   * Without a folder: the newest context of a window, else of another client. Settings that apply everywhere are the
   * user's, and the same in each.
   */
  settings(folder: string | undefined): EngineSettings {
    const context = folder === undefined ? this.#newestContext() : this.#contextOf(folder);
    if (context === undefined) return {};
    const { acpHttpTokens = {}, followUps, ...settings } = context.settings;
    const { politeGrace: politeGraceMs, request: requestMs } = context.timing ?? {};
    const tokens = new Map(Object.entries(acpHttpTokens));
    return {
      ...settings,
      environment: context.environment,
      timing: {
        ...(politeGraceMs !== undefined && { politeGraceMs }),
        ...(requestMs !== undefined && { requestMs }),
      },
      acpHttpToken: (profile) => Promise.resolve(tokens.get(profile)),
      followUps: parseFollowUps(followUps).value,
      budgets: (where) => {
        const budgets = this.#contextOf(where)?.settings.budgets;
        const { limits, ...others } = budgets ?? {};
        return { limits: parseBudgets(limits).value, ...others };
      },
    };
  }

  #newestContext(): ClientContext | undefined {
    const all = [...this.#byFolder.values()];
    return (all.findLast(({ isFromWindow }) => isFromWindow) ?? all.at(-1))?.context;
  }

  #contextOf(folder: string): ClientContext | undefined {
    const starting = this.#startingContext.getStore()?.context;
    return starting?.folder === folder ? starting : this.#nearestContext(folder)?.context;
  }

  /** Context of the folder, or of its nearest ancestor. */
  #nearestContext(folder: string): StoredContext | undefined {
    for (let place = folder; ; place = path.dirname(place)) {
      const known = this.#byFolder.get(place);
      if (known !== undefined || place === path.dirname(place)) return known;
    }
  }
}
