import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endDaemons } from '../processes/daemons.ts';
import { endGroup, killGroup } from '../processes/processGroup.ts';
import { run } from './install/cache.mjs';
import { codeServerEntry } from './install/codeServer.ts';
import { node24 } from './install/node24.mjs';
import { checkPort, freePort } from './port.ts';
import type { RunFolder } from './runFolder.ts';
import { type Settings, writeSettings } from './settings.ts';
import { StartProblem } from './install/startProblem.mjs';

export interface ServerOptions {
  readonly folder: RunFolder;
  /** Complete environment of the server, the extension and its agents. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings?: Settings;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Enables Workspace Trust; otherwise every folder is trusted. */
  readonly trust?: boolean;
  /** Required to run tests in the extension host; disables notification toasts. */
  readonly driver?: boolean;
}

export interface Server {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly folder: RunFolder;
  /** Settles when the server has exited, by itself or by `stop`. */
  readonly exited: Promise<number | null>;
  /** Ends the server, its process group (extension hosts, terminals), and its daemons with their agents. */
  stop(): Promise<void>;
}

/** Last line of the server's log. */
export function lastLog(folder: RunFolder): string {
  const lines = readFileSync(path.join(folder.root, 'server.log'), 'utf8').trim().split('\n');
  return lines.at(-1)?.replace(/^\[[^\]]*\] */, '') ?? '';
}

function commonArguments({ root, sockets }: RunFolder): string[] {
  const config = path.join(root, 'config.yaml');
  const [data, extensions] = [path.join(root, 'user-data'), path.join(root, 'extensions')];
  mkdirSync(extensions, { recursive: true });
  writeFileSync(config, '{}\n');
  const folders = ['--user-data-dir', data, '--extensions-dir', extensions];
  // By default, the socket is in the user data folder, whose path may be too long.
  return [codeServerEntry, '--config', config, '--session-socket', path.join(sockets, 'session'), ...folders];
}

/** Installs a .vsix with the command line, like a user; before `startServer`. */
export async function installVsix(folder: RunFolder, env: Record<string, string>, vsix: string): Promise<void> {
  await run(node24, [...commonArguments(folder), '--install-extension', vsix], { env });
}

/** Starts VS Code's server on loopback and waits until it answers. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { folder, env, settings, trust = false, driver = false } = options;
  const { root } = folder;
  const args = commonArguments(folder);
  writeSettings(root, settings);
  const port = options.port ? options.port : await freePort();
  args.push('--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--ignore-last-opened');
  // How long an extension host waits for its window to reconnect; the default is three hours.
  args.push('--reconnection-grace-time', '5');
  args.push('--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', '--disable-proxy');
  args.push('--vscode-option', 'disable-experiments');
  if (!trust) args.push('--disable-workspace-trust');
  if (driver) args.push('--vscode-option', 'enable-smoke-test-driver');

  const child = spawn(node24, args, {
    env: { ...env, EXTENSIONS_GALLERY: '{}' }, // no marketplace
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const log = createWriteStream(path.join(root, 'server.log'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
  const { pid } = child;
  if (pid === undefined)
    throw await exited.then(
      () => new Error('code-server did not start'),
      (error: unknown) => error,
    );

  const url = `http://127.0.0.1:${port}`;
  const kill = (): void => killGroup(pid);
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    // It has nothing to save, and takes seconds to end its extension hosts.
    await endGroup(pid, 500);
    await exited;
    // Daemons outlive the extension hosts that started them.
    await endDaemons(root);
    process.off('exit', kill);
    log.end();
  };
  const until = performance.now() + 60_000;
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null || performance.now() > until) {
      await stop();
      // Another process may have taken the port meanwhile.
      await checkPort(port);
      throw new StartProblem(
        `VS Code's server did not start (exit code ${String(child.exitCode)}): ${lastLog(folder)}`,
      );
    }
    await delay(50);
  }
  return { url, port, pid, folder, exited, stop };
}

function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    (response) => response.ok,
    () => false,
  );
}
