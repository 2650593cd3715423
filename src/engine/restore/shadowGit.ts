import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runQuery } from '../process/spawn.ts';
import { SnapshotProblem, type Deadline } from '../snapshot/snapshot.ts';

const isWindows = process.platform === 'win32';
const maxOutput = 128 << 20;

/** Applies to every command, whatever the folder's attributes say: bytes are stored as they are, and no program runs. */
const attributes = '* -text !eol !crlf -ident -filter !working-tree-encoding\n';
const settings = [
  'core.bare=false',
  'core.autocrlf=false',
  'core.safecrlf=false',
  ...(isWindows ? [] : ['core.fileMode=true', 'core.symlinks=true', 'core.protectNTFS=false', 'core.protectHFS=false']),
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'core.quotePath=false',
  'core.hooksPath=no-hooks',
  'core.attributesFile=',
  'core.excludesFile=',
  'submodule.recurse=false',
  'gc.autoDetach=false',
].flatMap((setting) => ['-c', setting]);

/**
 * A git repository of Vitrine whose work tree is a folder of the user. It runs no hook or filter, reads no configuration of
 * the user, and never looks into the folder's own repository.
 */
export class ShadowGit {
  readonly #program: string;
  readonly #folder: string;
  readonly #dir: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(program: string, folder: string, dir: string, env: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#folder = folder;
    this.#dir = dir;
    this.#env = env;
  }

  /** Creates the repository in `dir` if it is missing. `env`: without variables of git. @throws SnapshotProblem */
  static async open(
    program: string,
    { folder, dir, env }: { folder: string; dir: string; env: Readonly<Record<string, string>> },
    deadline: Deadline,
  ): Promise<ShadowGit> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    // A home folder without configuration, for versions of git without an option to ignore it.
    const home = { HOME: dir, XDG_CONFIG_HOME: path.join(dir, 'no-config'), GIT_CONFIG_NOSYSTEM: '1' };
    const own = {
      ...home,
      GIT_AUTHOR_NAME: 'Vitrine',
      GIT_AUTHOR_EMAIL: 'vitrine@localhost',
      GIT_COMMITTER_NAME: 'Vitrine',
      GIT_COMMITTER_EMAIL: 'vitrine@localhost',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
    };
    const gitDir = path.join(dir, 'git');
    const git = new ShadowGit(program, folder, gitDir, { ...env, ...own });
    if ((await stat(path.join(gitDir, 'info', 'attributes')).catch(() => null)) === null) {
      await git.run(['init', '--bare', '-q', '--template='], deadline, { isBare: true });
      await mkdir(path.join(gitDir, 'info'), { recursive: true });
      await writeFile(path.join(gitDir, 'info', 'attributes'), attributes);
    }
    return git;
  }

  /** Same repository, with a work tree that holds only rules for ignored files. */
  at(folder: string): ShadowGit {
    return new ShadowGit(this.#program, folder, this.#dir, this.#env);
  }

  get dir(): string {
    return this.#dir;
  }

  /** Output of git. @throws SnapshotProblem if it fails */
  async run(args: readonly string[], deadline: Deadline, options: RunOptions = {}): Promise<string> {
    const { index, input, isBare = false } = options;
    const { exitCode, stdout, stderr, timedOut, isTruncated } = await runQuery(this.#program, [...settings, ...args], {
      cwd: this.#folder,
      env: {
        ...this.#env,
        GIT_DIR: this.#dir,
        ...(!isBare && { GIT_WORK_TREE: this.#folder }),
        ...(index !== undefined && { GIT_INDEX_FILE: index }),
      },
      timeoutMs: deadline.leftMs,
      maxBytes: maxOutput,
      keepsLastLineBreak: true,
      ...(input !== undefined && { input }),
    });
    if (timedOut) throw new SnapshotProblem('It took too long.');
    if (isTruncated) throw new SnapshotProblem('It is too large.');
    if (exitCode !== 0 && options.codes?.includes(exitCode ?? -1) !== true)
      throw new SnapshotProblem(`git ${args[0] ?? ''}: ${stderr.trim().slice(0, 500)}`);
    return stdout;
  }

  /** One line of output. */
  async line(args: readonly string[], deadline: Deadline, options: RunOptions = {}): Promise<string> {
    return (await this.run(args, deadline, options)).trim();
  }
}

interface RunOptions {
  /** Absolute path of the index. */
  readonly index?: string;
  readonly input?: string;
  /** Further exit codes that are no failure. */
  readonly codes?: readonly number[];
  readonly isBare?: boolean;
}

export function nulSeparated(text: string): string[] {
  return text.split('\0').filter((part) => part !== '');
}
