import { findOnPath } from '../programs/searchPath.ts';
import { runQuery } from '../process/spawn.ts';
import { SnapshotProblem, type Deadline } from './snapshot.ts';

const filterSetting = String.raw`^filter\..*\.(clean|smudge|process|required)$`;
const fixedSettings = ['core.fsmonitor=false', 'core.untrackedCache=false', 'core.quotePath=false'];
const maxOutput = 64 << 20;
/** Maximum characters of file names per command line. */
const maxArguments = 20_000;

/**
 * Queries git about one folder, read-only: no locks, no index refresh, no fetch, no file system monitor of the
 * repository.
 */
export class Git {
  readonly #program: string;
  readonly #cwd: string;
  readonly #env: Readonly<Record<string, string>>;
  #filters: readonly string[] = [];

  private constructor(program: string, cwd: string, env: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#cwd = cwd;
    this.#env = env;
  }

  /** `null` if git is not on the PATH. Skips relative folders, which could run a file of the workspace. */
  static async find(cwd: string, environment: Readonly<Record<string, string | undefined>>): Promise<Git | null> {
    // Inside a git hook, these variables name another repository or index.
    const variables = Object.entries(environment).filter(([name]) => !/^GIT_/i.test(name));
    const env = Object.fromEntries(
      variables.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    );
    const program = await findOnPath('git', env);
    if (program === undefined) return null;
    const own = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
    return new Git(program, cwd, { ...env, ...own });
  }

  /** Git in a nested repository, which has its own filters. */
  at(cwd: string): Git {
    return new Git(this.#program, cwd, this.#env);
  }

  /**
   * Disables filters, because they are programs that may write: Git LFS adds files to the repository. Call before every
   * snapshot, since filters can be added at any time.
   * @throws SnapshotProblem if that is not possible
   */
  async withoutFilters(deadline: Deadline): Promise<void> {
    const found = await this.#activeFilters(deadline);
    if (found.length === 0) return;
    this.#filters = [...this.#filters, ...found];
    // Before version 2.31, git cannot override names that contain `=`.
    if ((await this.#activeFilters(deadline)).length > 0)
      throw new SnapshotProblem('This version of git cannot disable its filters.');
  }

  /** Names of configured filters, such as `filter.lfs`. */
  get filters(): ReadonlySet<string> {
    return new Set(this.#filters.map((name) => name.slice(0, name.lastIndexOf('.'))));
  }

  get #settings(): string[] {
    const filters = this.#filters.filter((name) => !name.includes('=')).map((name) => `${name}=${withoutOutput(name)}`);
    return [...fixedSettings, ...filters].flatMap((setting) => ['-c', setting]);
  }

  /** Configuration variables for names that contain `=`, which `-c` does not support. */
  get #variables(): Record<string, string> {
    const filters = this.#filters.filter((name) => name.includes('='));
    const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(filters.length) };
    for (const [at, name] of filters.entries()) {
      variables[`GIT_CONFIG_KEY_${at}`] = name;
      variables[`GIT_CONFIG_VALUE_${at}`] = withoutOutput(name);
    }
    return variables;
  }

  async #activeFilters(deadline: Deadline): Promise<string[]> {
    const found = await this.ask(['config', '--null', '--get-regexp', filterSetting], deadline);
    const values = new Map<string, string | null>();
    for (const line of (found ?? '').split('\0')) {
      const [name = ''] = line.split('\n', 1);
      // The last value counts.
      if (name !== '') values.set(name, line === name ? null : line.slice(name.length + 1));
    }
    return [...values].flatMap(([name, value]) => (value === withoutOutput(name) ? [] : [name]));
  }

  /** Object names that git would give to these files. */
  async objectNames(files: readonly string[], deadline: Deadline): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    let some: string[] = [];
    let characters = 0;
    for (const [at, file] of files.entries()) {
      some.push(file);
      characters += file.length;
      if (characters < maxArguments && at < files.length - 1) continue;
      const lines = ((await this.ask(['hash-object', '--', ...some], deadline)) ?? '').split('\n');
      for (const [line, name] of some.entries()) names.set(name, lines[line] ?? '');
      [some, characters] = [[], 0];
    }
    return names;
  }

  /** Output of git; `null` if the exit code is not 0. @throws SnapshotProblem */
  async ask(args: readonly string[], deadline: Deadline, maxBytes = maxOutput): Promise<string | null> {
    const { exitCode, stdout, timedOut, isTruncated } = await runQuery(this.#program, [...this.#settings, ...args], {
      cwd: this.#cwd,
      env: { ...this.#env, ...this.#variables },
      timeoutMs: deadline.leftMs,
      maxBytes,
      keepsLastLineBreak: true,
    });
    if (timedOut) throw new SnapshotProblem('It took too long.');
    if (isTruncated) throw new SnapshotProblem('It is too large.');
    return exitCode === 0 ? stdout : null;
  }
}

function withoutOutput(filter: string): string {
  return filter.endsWith('.required') ? 'false' : '';
}
