import { pathFolders, pathVariable, searchFolders } from '../searchPath.ts';
import { runBriefly } from '../spawn.ts';
import { SnapshotProblem, type Deadline } from './snapshot.ts';

const filterSetting = String.raw`^filter\..*\.(clean|smudge|process|required)$`;
const mostOutput = 64 << 20;

/**
 * Asks git about one folder, and never lets it write: no locks, no refreshed index, nothing fetched, no programs of the
 * repository's settings that watch files.
 */
export class Git {
  readonly #program: string;
  readonly #cwd: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #settings = ['core.fsmonitor=false', 'core.untrackedCache=false', 'core.quotePath=false'];

  private constructor(program: string, cwd: string, env: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#cwd = cwd;
    this.#env = env;
  }

  /** `null` where there is no git on the PATH. A relative folder of the PATH would run what the workspace holds. */
  static async find(cwd: string, environment: Readonly<Record<string, string | undefined>>): Promise<Git | null> {
    const env: Record<string, string> = {};
    for (const [name, value] of Object.entries(environment)) {
      // Ours may be that of a hook, and name another repository or index.
      if (value !== undefined && !/^GIT_/i.test(name)) env[name] = value;
    }
    const program = await searchFolders(pathFolders(pathVariable(env)), ['git'], env);
    if (program === undefined) return null;
    const own = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
    return new Git(program, cwd, { ...env, ...own });
  }

  /** Filters are programs too, and some write: Git LFS copies what it is to compare into the repository. */
  async withoutFilters(deadline: Deadline): Promise<void> {
    const names = await this.ask(['config', '--null', '--name-only', '--get-regexp', filterSetting], deadline);
    for (const name of (names ?? '').split('\0')) {
      if (name !== '' && !name.includes('='))
        this.#settings.push(name.endsWith('.required') ? `${name}=false` : `${name}=`);
    }
  }

  /** What it prints; `null` where it ends with a code other than 0. @throws SnapshotProblem */
  async ask(args: readonly string[], deadline: Deadline): Promise<string | null> {
    const quiet = this.#settings.flatMap((setting) => ['-c', setting]);
    const { exitCode, stdout, timedOut, cut } = await runBriefly(this.#program, [...quiet, ...args], {
      cwd: this.#cwd,
      env: this.#env,
      timeoutMs: deadline.leftMs,
      maxBytes: mostOutput,
      exact: true,
    });
    if (timedOut) throw new SnapshotProblem('It took too long.');
    if (cut) throw new SnapshotProblem('It is too large.');
    return exitCode === 0 ? stdout : null;
  }
}
