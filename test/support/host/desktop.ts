import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { repository } from './cache.mjs';
import type { RunFolder } from './runFolder.ts';

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
  const args = ['--wait', '--new-window', '--user-data-dir', data, '--extensions-dir', path.join(data, 'extensions')];
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  console.log(
    `Vitrine runs in ${program}; closing its window ends this. (npm start -- --server: in the browser instead)`,
  );
  const child = spawn(program, [...args, `--extensionDevelopmentPath=${repository}`, folder.workspace], {
    stdio: 'ignore',
    shell: process.platform === 'win32',
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
}
