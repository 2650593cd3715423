import { devNull } from 'node:os';
import { findOnPath } from '../../programs/searchPath.ts';
import { runQuery } from '../../process/spawn.ts';
import { raceFailures } from '../failures.ts';

const timeoutMs = 10 * 60_000;
const maxOutput = 256 << 20;
/** Maximum characters of file names per command line. */
const maxArguments = 20_000;

/**
 * Disables hooks, and settings that change the form of a diff or how it is applied.
 */
const settings = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  'core.quotePath=false',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
  'diff.renames=false',
  'apply.ignoreWhitespace=no',
  'apply.whitespace=nowarn',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting]);

/** Author of commits that only save a state. */
const identity = {
  GIT_AUTHOR_NAME: 'Vitrine',
  GIT_AUTHOR_EMAIL: 'vitrine@localhost',
  GIT_COMMITTER_NAME: 'Vitrine',
  GIT_COMMITTER_EMAIL: 'vitrine@localhost',
};

interface GitOptions {
  /** Index to use instead of the work tree's own. */
  readonly index?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface GitAnswer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** git in one folder. Commands that need an index get a temporary one, so that the user's stays as it is. */
export class RaceGit {
  readonly folder: string;
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(program: string, folder: string, env: Readonly<Record<string, string>>) {
    this.#program = program;
    this.folder = folder;
    this.#env = env;
  }

  /** @throws EngineFailure if git is not on the PATH */
  static async find(folder: string, environment: Readonly<Record<string, string>>): Promise<RaceGit> {
    // Inside a git hook, these variables name another repository or index.
    const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !/^GIT_/i.test(name)));
    const program = await findOnPath('git', env);
    if (program === undefined) throw raceFailures.gitMissing();
    const own = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_LITERAL_PATHSPECS: '1', LC_ALL: 'C' };
    return new RaceGit(program, folder, { ...env, ...own });
  }

  at(folder: string): RaceGit {
    return new RaceGit(this.#program, folder, this.#env);
  }

  async ask(args: readonly string[], { index, env = {} }: GitOptions = {}): Promise<GitAnswer> {
    const { exitCode, stdout, stderr, timedOut, isTruncated } = await runQuery(this.#program, [...settings, ...args], {
      cwd: this.folder,
      env: { ...this.#env, ...env, ...(index !== undefined && { GIT_INDEX_FILE: index }) },
      timeoutMs,
      maxBytes: maxOutput,
      keepsLastLineBreak: true,
    });
    if (timedOut) throw raceFailures.gitFailed(args[0] ?? '', 'It took too long.');
    if (isTruncated) throw raceFailures.gitFailed(args[0] ?? '', 'Its output is too large.');
    return { code: exitCode, stdout, stderr };
  }

  /** @throws EngineFailure if the exit code is not 0 */
  async run(args: readonly string[], options: GitOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.ask(args, options);
    if (code !== 0) throw raceFailures.gitFailed(args[0] ?? '', stderr.trim());
    return stdout;
  }

  /** One line; `null` if the exit code is not 0. */
  async line(args: readonly string[]): Promise<string | null> {
    const { code, stdout } = await this.ask(args);
    return code === 0 ? stdout.replace(/\r?\n$/, '') : null;
  }

  /** As `run`, with the files in several command lines if necessary. */
  async runFor(args: readonly string[], files: readonly string[], options: GitOptions): Promise<void> {
    for (let from = 0; from < files.length;) {
      const some: string[] = [];
      for (let characters = 0; from < files.length && (some.length === 0 || characters < maxArguments); from += 1) {
        const file = files[from] ?? '';
        some.push(file);
        characters += file.length + 1;
      }
      await this.run([...args, '--', ...some], options);
    }
  }

  /** A commit that no branch has. */
  async commit(tree: string, parents: readonly string[], message: string, own = true): Promise<string> {
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message];
    const repositoryTree = own ? null : await this.line(args);
    // A user without a name in the configuration.
    return repositoryTree ?? (await this.run(args, { env: identity })).trim();
  }

  async treeOf(commit: string): Promise<string> {
    return (await this.run(['rev-parse', '--verify', `${commit}^{tree}`])).trim();
  }
}
