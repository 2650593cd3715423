import type { EngineSettings } from '../engine/api.ts';
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

  /** Of a folder that no client has opened since the daemon started: defaults, and an empty environment. */
  environment(folder: string): Readonly<Record<string, string>> {
    return this.#byFolder.get(folder)?.environment ?? {};
  }

  settings(folder: string | undefined): EngineSettings {
    const context = folder === undefined ? undefined : this.#byFolder.get(folder);
    if (context === undefined) return {};
    const { acpHttpTokens = {}, ...settings } = context.settings;
    const tokens = new Map(Object.entries(acpHttpTokens));
    return {
      ...settings,
      environment: context.environment,
      acpHttpToken: (profile) => Promise.resolve(tokens.get(profile)),
    };
  }
}
