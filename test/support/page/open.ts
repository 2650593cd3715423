import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../host/browser.ts';
import { newRunFolder, type RunFolder } from '../host/runFolder.ts';
import type { ToReportPage } from '../../../src/protocol/pages/reportMessages.ts';
import type { ToUsagePage } from '../../../src/protocol/pages/usageMessages.ts';
import type { LoadOptions } from './fakeHost.ts';
import { servePage } from './server.ts';
import type { Theme } from './themes.ts';

interface StartedServer {
  readonly folder: RunFolder;
  readonly browser: Browser;
  readonly server: Awaited<ReturnType<typeof servePage>>;
}

/** A browser and a server for one suite; `close` ends both. */
export class PageTests {
  #started: StartedServer | undefined;
  /** Console errors and exceptions of the page. */
  readonly errors: string[] = [];
  /** Requests for anything outside of the page. */
  readonly foreign: string[] = [];

  /** For a `describe`: starts before its tests. No test may leave errors of the page, or requests for anything outside. */
  static use(): PageTests {
    const tests = new PageTests();
    before(() => tests.start());
    afterEach(() => {
      assert.deepEqual(tests.errors.splice(0), []);
      assert.deepEqual(tests.foreign.splice(0), []);
    });
    after(() => tests.close());
    return tests;
  }

  async start(): Promise<void> {
    const folder = newRunFolder('page');
    this.#started = { folder, browser: await startBrowser(folder), server: await servePage() };
  }

  async #newPage({ theme = 'dark', width = 852, height = 880 }: OpenOptions): Promise<{ page: Page; url: string }> {
    assert.ok(this.#started, 'started');
    const { browser, server } = this.#started;
    const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' });
    page.setDefaultTimeout(60_000);
    return { page, url: server.url(theme) };
  }

  async open(load?: LoadOptions, options: OpenOptions = {}): Promise<Page> {
    const { page, url } = await this.#newPage(options);
    page.on('pageerror', ({ name, message, stack = '' }) => {
      // The browser's notice about deferred resize observations is not an error of the page.
      if (!message.startsWith('ResizeObserver loop'))
        this.errors.push(`${name}: ${message}
${stack}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(url.split('/?')[0] ?? '')) this.foreign.push(request.url());
    });
    await page.goto(url);
    if (load !== undefined) await show(page, load);
    return page;
  }

  /** Opens the usage view with the host's first message. */
  openUsage(message: ToUsagePage, options: OpenOptions = {}): Promise<Page> {
    return this.#openWith('usage', message, { width: 320, ...options });
  }

  /** Opens a report page with the host's first message. */
  openReport(message: ToReportPage, options: OpenOptions = {}): Promise<Page> {
    return this.#openWith('report', message, options);
  }

  async #openWith(name: string, message: ToUsagePage | ToReportPage, options: OpenOptions): Promise<Page> {
    const { page, url } = await this.#newPage(options);
    page.on('pageerror', ({ message: text }) => this.errors.push(text));
    await page.goto(url.replace('/?', `/${name}?`));
    await sendWhole(page, message, 1);
    return page;
  }

  async close(): Promise<void> {
    await this.#started?.browser.close();
    await this.#started?.server.stop();
    this.#started?.folder.remove();
  }
}

interface OpenOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
}

/** Sends a message with the whole state of a usage view or report page, which starts a generation. */
export async function sendWhole(page: Page, message: ToUsagePage | ToReportPage, generation: number): Promise<void> {
  await page.evaluate((sent) => window.postMessage(sent, '*'), { generation, seq: 0, message });
}

/** Gives the page a session. Waits for its first rows and for the toolkit, which redraws everything when it arrives. */
export async function show(page: Page, load: LoadOptions): Promise<void> {
  await showRows(page, load);
  await page.waitForFunction(() => customElements.get('vscode-button') !== undefined);
  // Measured rows are redrawn in the next frame, which may add rows.
  await waitForFrames(page);
}

/** Gives the page a session and waits for its first rows only. */
export async function showRows(page: Page, load: LoadOptions): Promise<void> {
  await page.evaluate((options) => window.host.load(options), load);
  await page.waitForSelector('main[aria-busy=false]');
}

/** Waits for frames, so that requested changes are drawn. */
export async function waitForFrames(page: Page, count = 3): Promise<void> {
  await page.evaluate(async (left) => {
    for (let n = 0; n < left; n++) await new Promise((resolve) => requestAnimationFrame(resolve));
  }, count);
}

export async function countElements(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('*').length);
}

export async function scrollTo(page: Page, share: number): Promise<void> {
  await page.evaluate((to) => {
    const scroller = document.querySelector('.scroll');
    if (scroller !== null) scroller.scrollTop = to * (scroller.scrollHeight - scroller.clientHeight);
  }, share);
  await waitForFrames(page);
}

/** Waits until the end is visible, even if rows are still being measured. */
export async function waitForEnd(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const scroller = document.querySelector('.scroll');
    return scroller !== null && scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop <= 1;
  });
}
