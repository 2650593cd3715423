import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

type Variables = Readonly<Record<string, string>>;

const windows = process.platform === 'win32';

/** Why the file cannot be executed; `null` if it can. */
export async function notExecutableReason(file: string): Promise<string | null> {
  try {
    if (!(await stat(file)).isFile()) return 'It is not a file.';
    await access(file, constants.X_OK);
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EACCES') return 'It is not executable, or you cannot read it.';
    return code === 'ENOENT' ? 'It does not exist.' : String(error);
  }
}

/** The first name that exists, in the first folder that has one. */
export async function searchFolders(
  folders: readonly string[],
  names: readonly string[],
  env: Variables,
): Promise<string | undefined> {
  const endings = windows ? (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';') : [''];
  for (const folder of folders) {
    for (const name of names) {
      // On Windows, a name may include its extension. Files without one cannot be executed.
      const named = windows && path.extname(name) !== '' ? [''] : endings;
      for (const ending of named) {
        const file = path.join(folder, `${name}${ending.toLowerCase()}`);
        if ((await notExecutableReason(file)) === null) return file;
      }
    }
  }
  return undefined;
}

export function pathFolders(value: string | undefined): string[] {
  // A relative folder could run a file of the workspace.
  return (value ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** Full path of a program on the PATH. Skips relative folders: they could run a file of the workspace. */
export function findOnPath(name: string, env: Variables): Promise<string | undefined> {
  return searchFolders(pathFolders(pathVariable(env)), [name], env);
}

/** Variables are case-insensitive on Windows, where it is usually called `Path`. */
export function pathVariable(env: Variables): string | undefined {
  return env['PATH'] ?? Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
}

/** Folders where installers put agents, often missing in the PATH of a window started from the desktop. */
export function defaultFolders(env: Variables): string[] {
  const home = env['HOME'] ?? homedir();
  if (windows) {
    const roaming = env['APPDATA'];
    return [...(roaming === undefined ? [] : [path.join(roaming, 'npm')]), path.join(home, '.local', 'bin')];
  }
  const prefix = env['NPM_CONFIG_PREFIX'] ?? env['npm_config_prefix'];
  return [
    path.join(home, '.local/bin'),
    path.join(home, '.claude/local'),
    ...(prefix === undefined ? [] : [path.join(prefix, 'bin')]),
    path.join(home, '.npm-global/bin'),
    path.join(home, '.volta/bin'),
    path.join(home, '.bun/bin'),
    '/usr/local/bin',
    '/opt/homebrew/bin',
  ].filter((folder) => path.isAbsolute(folder));
}
