import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { newContext, startBrowser } from '../test/support/host/browser.ts';
import { repository } from '../test/support/host/install/cache.mjs';
import { ensureCodeServer } from '../test/support/host/install/codeServer.ts';
import { middayZone } from '../test/support/host/midday.ts';
import { cleanEnvironment, newRunFolder } from '../test/support/host/runFolder.ts';
import { startServer } from '../test/support/host/server.ts';
import { linkExtension } from '../test/support/host/settings.ts';
import { Workbench, workbenchUrl } from '../test/support/host/workbench.ts';
import { until } from '../test/support/until.ts';
import { busySeconds, ownSeconds } from './daemon/processProfile.ts';
import { median, type Row } from './harness.ts';

const vitrine = 'vitrine.vitrine';
const manifestName = 'package.json';
const probe = { publisher: 'vitrine-bench', name: 'probe', version: '0.0.1' };

/**
 * Extension that profiles the extension host from its start until Vitrine is active, and writes the profile with VS Code's own
 * marks of the activation, which VS Code keeps in a global variable.
 */
const probeCode = `
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import path from 'node:path';
import { extensions } from 'vscode';
export function activate({ extensionPath }) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 200 });
  session.post('Profiler.start');
  const started = process.threadCpuUsage();
  const timer = setInterval(() => {
    if (!extensions.getExtension('${vitrine}').isActive) return;
    clearInterval(timer);
    const { user, system } = process.threadCpuUsage(started);
    session.post('Profiler.stop', (error, profile) => {
      const file = path.join(extensionPath, String(process.pid));
      writeFileSync(file, JSON.stringify({ profile, processorTime: (user + system) / 1000, marks: globalThis.MonacoPerformanceMarks.getMarks() }));
      renameSync(file, file + '.json');
    });
  }, 20);
}
`;

interface Measurement {
  readonly profile: unknown;
  /** Of the thread during the profile, in ms. */
  readonly processorTime: number;
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly name: string;
  /** Milliseconds. */
  readonly startTime: number;
}

/** Writes the probe into `folder`. */
function createProbe(folder: string): void {
  mkdirSync(folder);
  const manifest = {
    ...probe,
    engines: { vscode: '^1.101.0' },
    type: 'module',
    main: './probe.js',
    extensionKind: ['workspace'],
    activationEvents: ['*'],
  };
  writeFileSync(path.join(folder, manifestName), JSON.stringify(manifest));
  writeFileSync(path.join(folder, 'probe.js'), probeCode);
}

/** What Vitrine's own code adds to the start of real windows, without VS Code's code that it calls. */
export async function activationInWindow(starts = 7): Promise<Row> {
  await ensureCodeServer();
  const [folder, browserFolder] = [newRunFolder('bench'), newRunFolder('browser')];
  const probeFolder = path.join(folder.root, 'probe');
  createProbe(probeFolder);
  linkExtension(folder.root);
  linkExtension(folder.root, probeFolder);
  const server = await startServer({ folder, env: cleanEnvironment(folder) });
  const browser = await startBrowser(browserFolder);
  try {
    const { context } = await newContext(browser, { zone: middayZone() });
    const workbench = new Workbench(await context.newPage());
    const found = new Map<string, Measurement>();
    // The first window fills caches.
    for (let start = 0; start <= starts; start += 1) {
      await workbench.open(workbenchUrl(server, folder.workspace));
      const file = await until('the profile of the activation', () =>
        readdirSync(probeFolder).find((name) => name.endsWith('.json') && name !== manifestName && !found.has(name)),
      );
      found.set(file, JSON.parse(readFileSync(path.join(probeFolder, file), 'utf8')) as Measurement);
    }
    return rowOf([...found.values()].slice(1));
  } finally {
    await browser.close();
    await server.stop();
    folder.remove();
    browserFolder.remove();
  }
}

function rowOf(windows: readonly Measurement[]): Row {
  // Other extensions have a `dist/extension.js` as well.
  const dist = pathToFileURL(path.join(repository, 'dist')).href;
  const isOwn = (url: string): boolean => url.startsWith(`${dist}/`);
  const isVSCode = (url: string): boolean => url.includes('/extensionHostProcess.js');
  // A profile has wall-clock times: on a busy machine, all code takes longer.
  const part = ({ profile, processorTime }: Measurement, seconds: number): number =>
    (seconds / busySeconds(profile)) * processorTime;
  const own = windows.map((found) => part(found, ownSeconds(found.profile, isOwn, isVSCode)));
  const all = median(windows.map((found) => part(found, ownSeconds(found.profile, isOwn))));
  if (own.includes(0)) throw new Error('None of the extension’s code was seen in the profile.');
  const wallClock = (step: string): number =>
    median(windows.map(({ marks }) => timeOf(marks, `will${step}/${vitrine}`, `did${step}/${vitrine}`)));
  const list = own.toSorted((a, b) => a - b).map((duration) => duration.toFixed(1));
  const detail = [
    `${windows.length} windows: ${list.join(', ')}`,
    `with VS Code’s code ${all.toFixed(1)}`,
    `wall-clock: loading ${wallClock('LoadExtensionCode')}, activate ${wallClock('ActivateExtension')}`,
  ].join('; ');
  return { name: 'activation: own code in a window', value: median(own), unit: 'ms', goal: 10, detail };
}

function timeOf(marks: readonly Mark[], from: string, to: string): number {
  const at = (end: string): number => marks.find(({ name }) => name === `code/extHost/${end}`)?.startTime ?? NaN;
  return at(to) - at(from);
}
