import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { repository } from './install/cache.mjs';
import type { RunFolder } from './runFolder.ts';
import { guideVariables, sampleGuide } from './sample.ts';

/** The desktop version of VS Code, if it is installed and there is a screen. */
export function desktopCode(): string | undefined {
  const { DISPLAY, WAYLAND_DISPLAY, CI, PATH = '' } = process.env;
  if (CI !== undefined || (process.platform === 'linux' && DISPLAY === undefined && WAYLAND_DISPLAY === undefined)) {
    return undefined;
  }
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  const places = PATH.split(path.delimiter).map((folder) => path.join(folder, name));
  return places.find((file) => existsSync(file));
}

/** Opens a separate window (own settings, own extensions) with Vitrine, and waits until it is closed. */
export function openDesktop(program: string, folder: RunFolder): Promise<void> {
  const data = path.join(folder.root, 'desktop');
  mkdirSync(data, { recursive: true });
  // VS Code creates a socket in its user data folder, whose path may be too long; a link shortens it.
  const link = path.join(folder.sockets, 'data');
  symlinkSync(data, link, 'junction');
  const args = ['--wait', '--new-window', '--user-data-dir', link, '--extensions-dir', path.join(data, 'extensions')];
  // The sample workspace is trusted.
  args.push('--disable-workspace-trust', `--extensionDevelopmentPath=${sampleGuide}`);
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  console.log(
    `Vitrine runs in ${program}; closing its window ends this. (npm start -- --server: in the browser instead)`,
  );
  const isWindows = process.platform === 'win32';
  // On Windows, `code` is a shell script, so arguments with spaces must be quoted.
  const quote = (word: string): string => (isWindows ? `"${word}"` : word);
  const words = [...args, `--extensionDevelopmentPath=${repository}`, folder.workspace];
  const child = spawn(quote(program), words.map(quote), {
    stdio: 'ignore',
    env: { ...process.env, ...guideVariables(folder) },
    shell: isWindows,
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
}
