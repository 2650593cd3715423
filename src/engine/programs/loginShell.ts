import path from 'node:path';
import { runQuery } from '../process/spawn.ts';

const shellTimeoutMs = 3000;

/**
 * The PATH that the user's terminal has: start-up files of shells set it, which a window started from the desktop never
 * read. `null` where there is no shell to ask, or it did not answer in 3 seconds.
 */
export async function loginShellPath(env: Readonly<Record<string, string>>): Promise<string | null> {
  const shell = env['SHELL'];
  if (process.platform === 'win32' || shell === undefined || !path.isAbsolute(shell)) return null;
  // Start-up files print things of their own, so ours stands between marks.
  const script = `printf '<vitrine-path>%s</vitrine-path>' "$PATH"`;
  try {
    const { stdout } = await runQuery(shell, ['-l', '-i', '-c', script], { env, timeoutMs: shellTimeoutMs });
    return /<vitrine-path>(.*)<\/vitrine-path>/s.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}
