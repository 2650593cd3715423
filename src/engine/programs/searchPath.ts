import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

type Variables = Readonly<Record<string, string>>;

const windows = process.platform === 'win32';

/** Why this cannot be run; `null` where it can. */
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

/** The first of the names in the first of the folders that has one. */
export async function searchFolders(
  folders: readonly string[],
  names: readonly string[],
  env: Variables,
): Promise<string | undefined> {
  const endings = windows ? (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';') : [''];
  for (const folder of folders) {
    for (const name of names) {
      // On Windows a name may come with its ending, and one without any cannot be run.
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
  // A relative folder would run what the workspace holds.
  return (value ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** Full path of a program on the PATH, whose relative folders do not count: they would run what the workspace holds. */
export function findOnPath(name: string, env: Variables): Promise<string | undefined> {
  return searchFolders(pathFolders(pathVariable(env)), [name], env);
}

/** Variables are case-insensitive on Windows, where it is usually called `Path`. */
export function pathVariable(env: Variables): string | undefined {
  return env['PATH'] ?? Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
}

/** Where installers put agents that are on no PATH a window started from the desktop sees. */
export function usualFolders(env: Variables): string[] {
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
