import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { repository } from './install/cache.mjs';
import type { RunFolder } from './runFolder.ts';
import { guideVariables, sampleGuide } from './sample.ts';

/** The desktop's VS Code, if there is one and a screen to show it on. */
export function desktopCode(): string | undefined {
  const { DISPLAY, WAYLAND_DISPLAY, CI, PATH = '' } = process.env;
  if (CI !== undefined || (process.platform === 'linux' && DISPLAY === undefined && WAYLAND_DISPLAY === undefined)) {
    return undefined;
  }
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  const places = PATH.split(path.delimiter).map((folder) => path.join(folder, name));
  return places.find((file) => existsSync(file));
}

/** Opens a window of its own (own settings, own extensions) with Vitrine in it, and waits until it is closed. */
export function openDesktop(program: string, folder: RunFolder): Promise<void> {
  const data = path.join(folder.root, 'desktop');
  mkdirSync(data, { recursive: true });
  // VS Code puts a socket into its user data, whose path may be too long for one; a link to it is short.
  const link = path.join(folder.sockets, 'data');
  symlinkSync(data, link, 'junction');
  const args = ['--wait', '--new-window', '--user-data-dir', link, '--extensions-dir', path.join(data, 'extensions')];
  // The sample workspace is ours.
  args.push('--disable-workspace-trust', `--extensionDevelopmentPath=${sampleGuide}`);
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  console.log(
    `Vitrine runs in ${program}; closing its window ends this. (npm start -- --server: in the browser instead)`,
  );
  const isWindows = process.platform === 'win32';
  // There `code` is a script for the shell, to which each word with a space needs quotes.
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
