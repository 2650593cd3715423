import path from 'node:path';
import { runQuery } from '../process/spawn.ts';

const shellTimeoutMs = 3000;

/**
 * PATH of the user's login shell. A window started from the desktop does not run the shell's startup files. `null` if
 * there is no shell or it does not answer within 3 seconds.
 */
export async function loginShellPath(env: Readonly<Record<string, string>>): Promise<string | null> {
  const shell = env['SHELL'];
  if (process.platform === 'win32' || shell === undefined || !path.isAbsolute(shell)) return null;
  // Startup files may print text, so the PATH is printed between markers.
  const script = `printf '<vitrine-path>%s</vitrine-path>' "$PATH"`;
  try {
    const { stdout } = await runQuery(shell, ['-l', '-i', '-c', script], { env, timeoutMs: shellTimeoutMs });
    return /<vitrine-path>(.*)<\/vitrine-path>/s.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}
