/** `npm start [-- --port N] [-- --fresh] [-- --server]`: a real VS Code with Vitrine and a sample workspace. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { cache, repository, tryLock } from './host/install/cache.mjs';
import { ensureCodeServer } from './host/install/codeServer.ts';
import { desktopCode, openDesktop } from './host/desktop.ts';
import { checkPort, parsePort } from './host/port.ts';
import { newRunFolder, type RunFolder, runFolder } from './host/runFolder.ts';
import { startSample } from './host/sample.ts';
import { lastLog } from './host/server.ts';
import { StartProblem, startProblem } from './host/install/startProblem.mjs';
import { endWithParent, exitOnSignals } from './processes/endings.mjs';
import { removeFolder } from './processes/temporaryFolder.mjs';
import { buildProduct } from './run/build.ts';

interface Options {
  /** 0: any free port. */
  readonly port: number;
  /** Deletes the sessions of earlier starts. */
  readonly fresh: boolean;
  /** Uses the browser even if there is a desktop VS Code. */
  readonly server: boolean;
}

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '0' },
        fresh: { type: 'boolean', default: false },
        server: { type: 'boolean', default: false },
      },
    });
    return { ...values, port: parsePort(values.port) };
  } catch (error) {
    if (error instanceof StartProblem) throw error;
    throw new StartProblem(
      `${error instanceof Error ? error.message.split('\n')[0] : String(error)} ` +
        'Options: npm start -- [--port N] [--fresh] [--server].',
    );
  }
}

/** The user's own environment, so that their agents and logins are found, without variables added by our tools. */
function environment(): Record<string, string> {
  const added = /^(npm_|INIT_CWD$|NODE_OPTIONS$|VSCODE_|ELECTRON_|VITRINE_)/i;
  const own = Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined);
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

async function serve(folder: RunFolder, port: number): Promise<void> {
  const server = await startSample(folder, environment(), port);
  let stopping: Promise<void> | undefined;
  const stop = (): void => {
    stopping ??= server.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(signal).on(signal, stop);
  endWithParent(stop);
  const url = `${server.url}/?${new URLSearchParams({ folder: folder.workspace }).toString()}`;
  console.log(`\nVitrine runs in VS Code at\n\n  ${url}\n`);
  console.log(`The workspace is a copy: ${path.relative(repository, folder.workspace)}`);
  console.log('Ctrl-C stops it.');
  openInBrowser(url);
  const code = await server.exited;
  if (stopping === undefined) {
    throw new StartProblem(`VS Code's server ended by itself (exit code ${String(code)}): ${lastLog(folder)}`);
  }
  await stopping;
}

async function start({ port, fresh, server }: Options): Promise<void> {
  if (port !== 0) await checkPort(port);
  /** Kept between starts, so that earlier sessions remain; a second instance gets its own folder. */
  const release = tryLock('start');
  const home = path.join(cache, 'start');
  try {
    if (release && fresh) removeFolder(home);
    const folder = release ? runFolder(home) : newRunFolder('start');
    const desktop = server ? undefined : desktopCode();
    if (desktop === undefined) {
      await ensureCodeServer();
      await buildProduct();
      await serve(folder, port);
    } else {
      await buildProduct();
      await openDesktop(desktop, folder);
    }
  } finally {
    release?.();
  }
}

process.chdir(repository);
exitOnSignals();
try {
  await start(readOptions());
} catch (error) {
  console.error(startProblem(error));
  process.exit(1);
}
