import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { seedSessions, type Seed } from '../../test/e2e/seed.ts';
import { newContext, startBrowser } from '../../test/support/host/browser.ts';
import { repository } from '../../test/support/host/install/cache.mjs';
import { ensureCodeServer } from '../../test/support/host/install/codeServer.ts';
import { extensionHosts } from '../../test/support/host/extensionHosts.ts';
import { middayZone } from '../../test/support/host/midday.ts';
import { cleanEnvironment, newRunFolder } from '../../test/support/host/runFolder.ts';
import { startServer } from '../../test/support/host/server.ts';
import { linkExtension } from '../../test/support/host/settings.ts';
import { Workbench, workbenchUrl } from '../../test/support/host/workbench.ts';
import { until } from '../../test/support/until.ts';
import type { Row } from '../harness.ts';
import { ownSeconds, profileOf } from './processProfile.ts';

const settleMs = 10_000;
/** Duration of opening the sessions, which the profile must show. */
const openSeconds = 20;

/**
 * Processor time of Vitrine's own code in extension host and page, with 20 ended sessions open and idle. Excludes VS
 * Code's code.
 */
export async function windowIdle(sessions = 20, seconds = 60): Promise<readonly Row[]> {
  // The extension hosts of a server are only found by their environment on Linux.
  if (process.platform !== 'linux') return [];
  await ensureCodeServer();
  const [folder, browserFolder] = [newRunFolder('bench'), newRunFolder('browser')];
  linkExtension(folder.root);
  const server = await startServer({ folder, env: cleanEnvironment(folder) });
  const browser = await startBrowser(browserFolder);
  try {
    const seeds = Array.from({ length: sessions }, (_, at): Seed => ({
      title: `Session ${at}.`,
      daysAgo: 0,
      usd: 0.1,
      turns: 1,
      seconds: 10,
    }));
    await seedSessions(folder, seeds);
    const { context } = await newContext(browser, { zone: middayZone() });
    const workbench = new Workbench(await context.newPage());
    await workbench.open(workbenchUrl(server, folder.workspace));
    await workbench.openView('Vitrine');
    const pid = await until('the extension host', () => extensionHosts(folder.home)[0]);
    // Other extensions have a `dist/extension.js` as well.
    const dist = pathToFileURL(path.join(repository, 'dist')).href;
    const isOwn = (url: string): boolean => url.startsWith(`${dist}/`);
    const open = async (): Promise<void> => {
      for (const { title } of seeds) {
        await workbench.treeItem(title).click();
        await workbench.editorTab(title).waitFor();
      }
    };
    const [busy] = await Promise.all([profileOf(pid, openSeconds, isOwn), open()]);
    if (busy === 0) throw new Error('None of the extension’s code was seen in the profile.');
    await delay(settleMs);
    const page = await context.newCDPSession(workbench.page);
    await page.send('Profiler.enable');
    await page.send('Profiler.start');
    const own = await profileOf(pid, seconds, isOwn);
    const inPage = ownSeconds(await page.send('Profiler.stop'), (url) => url.includes('/dist/webview/'));
    const detail = `of a core, over ${seconds} s with ${sessions} open sessions`;
    const row = (name: string, value: number): Row => ({
      name,
      value: (value / seconds) * 100,
      unit: '%',
      goal: 0.1,
      detail,
    });
    return [row('window: own code in an idle extension host', own), row('window: own code in an idle page', inPage)];
  } finally {
    await browser.close();
    await server.stop();
    folder.remove();
    browserFolder.remove();
  }
}
