/** One browser for all end-to-end files of a run; each file has servers of its own, and windows in profiles of its own. */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { describePage, collectProblems } from '../support/host/pageProblems.ts';
import { type ContextOptions, newContext, startBrowser } from '../support/host/browser.ts';
import { repository } from '../support/host/install/cache.mjs';
import { ensureCodeServer } from '../support/host/install/codeServer.ts';
import { middayZone } from '../support/host/midday.ts';
import { cleanEnvironment, newRunFolder, type RunFolder } from '../support/host/runFolder.ts';
import { installVsix, type Server, type ServerOptions, startServer } from '../support/host/server.ts';
import { linkExtension } from '../support/host/settings.ts';
import { Workbench, workbenchUrl } from '../support/host/workbench.ts';
import type { ModelServer } from '../support/models/server.ts';

export type HostOptions = Pick<ServerOptions, 'settings' | 'trust' | 'driver'> & {
  /** Added to the clean environment, which the extension and its agents inherit. */
  readonly env?: Readonly<Record<string, string>>;
  /** Installs this package instead of linking the repository. */
  readonly vsix?: string;
};

/** Where all servers and windows of a run are. */
export const zone = middayZone();

/** What no test looks at, and what takes processor time in each window. */
const cheap = {
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'typescript.tsserver.useSyntaxServer': 'never',
};

let browser: Promise<Browser> | undefined;
let browserFolder: RunFolder | undefined;
const servers: Server[] = [];

/** A server of its own; ended with the suite, or by its own `stop`. */
export async function startHost({ env = {}, vsix, settings, ...options }: HostOptions = {}): Promise<Server> {
  await ensureCodeServer();
  const folder = newRunFolder('e2e');
  const environment = { ...cleanEnvironment(folder), TZ: zone, ...env };
  if (vsix === undefined) linkExtension(folder.root);
  else await installVsix(folder, environment, vsix);
  const server = await startServer({ ...options, folder, env: environment, settings: { ...cheap, ...settings } });
  servers.push(server);
  return server;
}

/** A browser profile: pages of one profile see the same workspace state, as windows of one user do. */
export async function newProfile(
  options: ContextOptions = {},
): Promise<{ context: BrowserContext; outside: string[] }> {
  browserFolder ??= newRunFolder('browser');
  browser ??= startBrowser(browserFolder).then((started) => {
    // After a crash the next file gets another one.
    started.on('disconnected', () => (browser = undefined));
    return started;
  });
  return newContext(await browser, { zone, ...options });
}

/** A window of `context` on `server`, with `folder` open (absent: the server's copy of the sample workspace). */
export async function openWindow(server: Server, context: BrowserContext, folder?: string): Promise<Workbench> {
  const workbench = new Workbench(await context.newPage());
  collectProblems(workbench.page);
  await workbench.open(workbenchUrl(server, folder ?? server.folder.workspace));
  return workbench;
}

interface Host {
  readonly server: Server;
  /** What the agents of the suite ask; ended with it. */
  readonly model?: ModelServer;
}

interface OpenedWindow {
  readonly context: BrowserContext;
  /** Addresses outside of this machine that a page asked for. */
  readonly outside: string[];
  readonly workbench: Workbench;
}

/**
 * One window for all tests of a suite, in a profile of its own, closed after them. `start` gives its server and can skip
 * the suite. What it gives is there when the tests run. `view`: opened in the side bar.
 */
export function useWindow<H extends Host>(
  start: (context: Mocha.Context) => H | Promise<H>,
  { view, ...options }: ContextOptions & { readonly view?: string } = {},
): H & OpenedWindow {
  const host: Partial<Host & OpenedWindow> = {};
  before(async function () {
    const started = await start(this);
    Object.assign(host, started);
    const profile = await newProfile(options);
    const workbench = await openWindow(started.server, profile.context);
    Object.assign(host, profile, { workbench });
    if (view !== undefined) await workbench.openView(view);
  });
  after(async () => {
    await host.context?.close();
    await host.model?.stop();
  });
  return host as H & OpenedWindow;
}

/** A picture under test-results/; with VITRINE_PICTURES=1 also under docs/images/, for the README. */
export async function picture(workbench: Workbench, name: string): Promise<void> {
  const file = path.join(repository, 'test-results', `${name}.png`);
  mkdirSync(path.dirname(file), { recursive: true });
  await workbench.page.screenshot({ path: file });
  if (process.env['VITRINE_PICTURES'] !== '1') return;
  mkdirSync(path.join(repository, 'docs/images'), { recursive: true });
  copyFileSync(file, path.join(repository, 'docs/images', `${name}.png`));
}

/**
 * Call once at the top of a test file: a failing test leaves a picture of every window, and the server's log. The servers
 * of the suite end with it, since extension hosts outlive their windows for hours and would be running beside the next.
 */
export function keepEvidence(): void {
  const earlier = new Set<Server>();
  before(() => servers.forEach((server) => earlier.add(server)));
  after(() => Promise.all(servers.filter((server) => !earlier.has(server)).map(end)));
  afterEach(async function () {
    const test = this.currentTest;
    // An attempt that is followed by another has no state.
    if (test === undefined || test.isPassed() || test.isPending() || browser === undefined) return;
    const name = test.fullTitle().replace(/[^\w]+/g, '-');
    const pages = (await browser).contexts().flatMap((context) => context.pages());
    for (const [index, page] of pages.entries()) await picture(new Workbench(page), `failed-${name}-${index}`);
    Object.assign(test, { evidence: (await Promise.all(pages.map(describePage))).join('\n') });
    for (const [index, { folder }] of servers.entries()) {
      const log = path.join(folder.root, 'server.log');
      if (existsSync(log)) copyFileSync(log, path.join(repository, 'test-results', `failed-${name}-${index}.log`));
    }
  });
}

after(async function () {
  await (await browser)?.close();
  browserFolder?.remove();
  // A suite that is repeated after the others starts another browser.
  browser = browserFolder = undefined;
  await Promise.all([...servers].map(end));
});

async function end(server: Server): Promise<void> {
  servers.splice(servers.indexOf(server), 1);
  await server.stop();
  server.folder.remove();
}
