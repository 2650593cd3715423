import path from 'node:path';

/** Default store of the command line. `fallback`: if there is no home folder. */
export function defaultStore(env: Readonly<Record<string, string | undefined>>, fallback: string): string {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? fallback;
  const roaming = env['APPDATA'];
  if (process.platform === 'win32' && roaming !== undefined) return path.join(roaming, 'vitrine');
  const data = env['XDG_DATA_HOME'];
  return data !== undefined && path.isAbsolute(data)
    ? path.join(data, 'vitrine')
    : path.join(home, '.local/share/vitrine');
}
