/** `npm start [-- --port N] [-- --fresh] [-- --server]`: a real VS Code with Vitrine and a sample workspace in it. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { cache, repository, tryLock } from './host/cache.mjs';
import { ensureCodeServer } from './host/codeServer.ts';
import { desktopCode, openDesktop } from './host/desktop.ts';
import { endWithParent } from './host/endings.mjs';
import { newRunFolder, runFolder } from './host/runFolder.ts';
import { startServer } from './host/server.ts';
import { linkExtension } from './host/settings.ts';
import { buildProduct } from './run/build.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    fresh: { type: 'boolean', default: false },
    server: { type: 'boolean', default: false },
  },
});

/** Kept from one start to the next, so that yesterday's sessions are there; a second one beside it gets its own. */
const release = tryLock('start');
const home = path.join(cache, 'start');
if (release && values.fresh) rmSync(home, { recursive: true, force: true });
const folder = release ? runFolder(home) : newRunFolder('start');

/** A person's own environment, so that their agents and logins are found; less what the tools that started us added. */
function environment(): Record<string, string> {
  const added = /^(npm_|INIT_CWD$|NODE_OPTIONS$|VSCODE_|ELECTRON_|VITRINE_)/i;
  const own = Object.entries(process.env).filter((each): each is [string, string] => each[1] !== undefined);
  return Object.fromEntries(own.filter(([key]) => !added.test(key)));
}

function openInBrowser(url: string): void {
  const screen = process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'];
  if (process.env['CI'] !== undefined || (process.platform === 'linux' && screen === undefined)) return;
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined); // the address is printed as well
  child.unref();
}

async function serve(): Promise<void> {
  const server = await startServer({ folder, env: environment(), port: Number(values.port), trust: true });
  let stopping: Promise<void> | undefined;
  const stop = (): void => {
    stopping ??= server.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  endWithParent(stop);
  const url = `${server.url}/?folder=${encodeURI(folder.workspace)}`;
  console.log(`\nVitrine runs in VS Code at\n\n  ${url}\n`);
  console.log(`The workspace is a copy: ${path.relative(repository, folder.workspace)}`);
  console.log('Ctrl-C stops it.');
  openInBrowser(url);
  const code = await server.exited;
  if (stopping === undefined) {
    console.error(`VS Code's server ended by itself (exit code ${String(code)}); see ${folder.root}/server.log`);
    process.exitCode = 1;
  }
  stop();
  await stopping;
}

process.chdir(repository);
const building = buildProduct();
const desktop = values.server ? undefined : desktopCode();
try {
  if (desktop === undefined) {
    await Promise.all([building, ensureCodeServer()]);
    linkExtension(folder.root);
    await serve();
  } else {
    await building;
    await openDesktop(desktop, folder);
  }
} finally {
  rmSync(folder.sockets, { recursive: true, force: true });
  if (release) release();
  else folder.remove();
}
