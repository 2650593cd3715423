import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { AgentAdapter } from '../../agents/adapter.ts';
import type { FoundProgram } from '../api.ts';
import { EngineFailure, failures } from '../failures/failures.ts';
import { loginShellPath } from './loginShell.ts';
import { pathFolders, pathVariable, searchFolders, defaultFolders, notExecutableReason } from './searchPath.ts';
import { runQuery } from '../process/spawn.ts';

const versionTimeoutMs = 10_000;
/** Short, because the user is waiting for a list. */
const loginTimeoutMs = 2000;

export interface ProgramRequest {
  /** Set by the user; disables the search. */
  readonly explicitPath?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** Finds agents' programs and their versions. Caches both; a version until its program file changes. */
export class ProgramFinder {
  readonly #versions = new Map<string, Promise<string | null>>();
  readonly #foundPrograms = new Map<string, FoundProgram>();
  readonly #mayAsk: () => boolean;
  #shellPath: Promise<string | null> | undefined;

  constructor(mayAsk: () => boolean = () => true) {
    this.#mayAsk = mayAsk;
  }

  /** Forgets programs, but not versions of files. */
  refresh(): void {
    this.#foundPrograms.clear();
    this.#shellPath = undefined;
  }

  async find(adapter: AgentAdapter, request: ProgramRequest): Promise<FoundProgram | EngineFailure> {
    const { type, programs, versionArgs } = adapter;
    const key = JSON.stringify([type, programs, versionArgs, request.explicitPath, pathVariable(request.env)]);
    const known = this.#foundPrograms.get(key);
    if (known !== undefined && (await notExecutableReason(known.path)) === null) return known;
    const located = await this.#locate(adapter, request);
    if (located instanceof EngineFailure) return located;
    if (!this.#mayAsk()) return { ...located, version: null };
    const version = await this.#findVersion(adapter, located.path, request.env);
    const found = { ...located, version };
    this.#foundPrograms.set(key, found);
    return found;
  }

  /** Starts no program but the login shell, which is asked once for its PATH. */
  async isInstalled(adapter: AgentAdapter, request: ProgramRequest): Promise<boolean> {
    return !EngineFailure.is(await this.#locate(adapter, request));
  }

  async #locate(
    adapter: AgentAdapter,
    { explicitPath, env }: ProgramRequest,
  ): Promise<Omit<FoundProgram, 'version'> | EngineFailure> {
    if (explicitPath !== undefined && explicitPath !== '') {
      const why = path.isAbsolute(explicitPath)
        ? await notExecutableReason(explicitPath)
        : 'It is not an absolute path.';
      if (why !== null) return failures.programNotExecutable(adapter.label, explicitPath, why);
      return { path: explicitPath, tried: [explicitPath] };
    }
    const triedPlaces: string[] = [];
    const places: readonly [string, () => Promise<readonly string[]>][] = [
      ['PATH', () => Promise.resolve(pathFolders(pathVariable(env)))],
      ["the login shell's PATH", async () => pathFolders((await this.#loginShellPath(env)) ?? undefined)],
      ['usual places', () => Promise.resolve(defaultFolders(env))],
    ];
    for (const [name, foldersOf] of places) {
      const folders = [...new Set(await foldersOf())];
      triedPlaces.push(`${name}: ${folders.join(path.delimiter) || '(empty)'}`);
      const file = await searchFolders(folders, adapter.programs, env);
      if (file !== undefined) return { path: file, tried: triedPlaces };
    }
    return failures.programMissing(adapter.label, adapter.programs, triedPlaces);
  }

  /** As reported by the program, if it may be started. */
  async isSignedIn(
    adapter: AgentAdapter,
    file: string,
    env: Readonly<Record<string, string>>,
  ): Promise<boolean | undefined> {
    return this.#mayAsk() ? await isSignedIn(adapter, file, env) : undefined;
  }

  #loginShellPath(env: Readonly<Record<string, string>>): Promise<string | null> {
    this.#shellPath ??= loginShellPath(env);
    return this.#shellPath;
  }

  async #findVersion(
    adapter: AgentAdapter,
    file: string,
    env: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    if (adapter.versionArgs.length === 0) return null;
    const { mtimeMs, size } = await stat(file);
    const key = `${file}\n${mtimeMs}\n${size}`;
    let version = this.#versions.get(key);
    if (version === undefined) {
      version = askVersion(adapter, file, env);
      this.#versions.set(key, version);
    }
    return version;
  }
}

/** `null` if the program does not answer in time. An agent can run without a known version. */
async function askVersion(
  adapter: AgentAdapter,
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  try {
    const { stdout, stderr } = await runQuery(file, adapter.versionArgs, { env, timeoutMs: versionTimeoutMs });
    return adapter.parseVersion(stdout) ?? adapter.parseVersion(stderr);
  } catch {
    return null;
  }
}

/** As reported by the program, which alone reads its credentials; `undefined` if it does not report it in time. */
async function isSignedIn(
  { login }: AgentAdapter,
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<boolean | undefined> {
  if (login === undefined) return undefined;
  try {
    const { stdout, stderr } = await runQuery(file, login.args, { env, timeoutMs: loginTimeoutMs });
    return login.parseSignedIn(`${stdout}\n${stderr}`);
  } catch {
    return undefined;
  }
}
