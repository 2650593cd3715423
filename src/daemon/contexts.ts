import type { AgentOptions } from '../agents/adapter.ts';
import type { RunChoice } from '../agents/withChoice.ts';
import type { EngineSettings } from '../engine/api.ts';
import { parseBudgets } from '../insight/budgets/limits.ts';
import { parseFollowUps } from '../insight/followUps/rules.ts';
import type { ExecutorType } from '../model/session.ts';
import type { ClientContext } from '../protocol/daemon/context.ts';

/** Folders whose context is kept; the least recently used goes first. */
const maxFolders = 1000;

/** The newest client context of each folder. In memory only: contexts hold secrets. */
export class ClientContexts {
  readonly #byFolder = new Map<string, ClientContext>();

  set(context: ClientContext): void {
    this.#byFolder.delete(context.folder);
    this.#byFolder.set(context.folder, context);
    const [oldest] = this.#byFolder.keys();
    if (this.#byFolder.size > maxFolders && oldest !== undefined) this.#byFolder.delete(oldest);
  }

  isTrusted(folder: string): boolean {
    return this.#byFolder.get(folder)?.trusted === true;
  }

  /** Of a folder that no client has opened since the daemon started: an empty environment. */
  environment(folder: string): Readonly<Record<string, string>> {
    return this.#byFolder.get(folder)?.environment ?? {};
  }

  /** As the settings of the folder say. */
  options(folder: string, executor: ExecutorType): AgentOptions {
    return this.#byFolder.get(folder)?.options?.[executor] ?? {};
  }

  /** What a person chose for later runs of a session. */
  choice(folder: string, sessionId: string): RunChoice {
    return this.#byFolder.get(folder)?.choices?.[sessionId] ?? {};
  }

  tags(): readonly string[] {
    return this.#of(undefined)?.tags ?? [];
  }

  mayUseWorkspaceAgents(folder: string): boolean {
    const { trusted = false, workspaceAgents = false } = this.#byFolder.get(folder) ?? {};
    return trusted && workspaceAgents;
  }

  /** Without a folder, the newest: what holds everywhere is the user's, and the same in each. */
  settings(folder: string | undefined): EngineSettings {
    const context = this.#of(folder);
    if (context === undefined) return {};
    const { acpHttpTokens = {}, followUps, ...settings } = context.settings;
    const tokens = new Map(Object.entries(acpHttpTokens));
    return {
      ...settings,
      environment: context.environment,
      timing: context.timing ?? {},
      acpHttpToken: (profile) => Promise.resolve(tokens.get(profile)),
      followUps: parseFollowUps(followUps).value,
      budgets: (where) => {
        const budgets = this.#byFolder.get(where)?.settings.budgets;
        const place = budgets?.folder === undefined ? {} : { folder: budgets.folder };
        return { limits: parseBudgets(budgets?.limits).value, ...place };
      },
    };
  }

  #of(folder: string | undefined): ClientContext | undefined {
    return folder === undefined ? [...this.#byFolder.values()].at(-1) : this.#byFolder.get(folder);
  }
}
