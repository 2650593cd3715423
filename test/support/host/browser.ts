import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { ensureChromium } from './install/chromium.ts';
import { cleanEnvironment, newRunFolder, type RunFolder } from './runFolder.ts';
import { StartProblem } from './install/startProblem.mjs';

/** Root cannot use Chromium's sandbox. The other options prevent requests to other machines. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
];

/** Time limit in ms for the start of a browser on a busy machine. */
const usualLimit = 60_000;

/** A headless Chromium. Each `newContext` is a new profile with its own workspace state and view layout. */
export async function startBrowser(folder: RunFolder, limit = usualLimit): Promise<Browser> {
  const executablePath = await ensureChromium();
  const env = cleanEnvironment(folder);
  const browser = await chromium
    .launch({ executablePath, headless: true, env, args, timeout: limit })
    .catch((error: unknown) => {
      throw browserProblem(executablePath, error);
    });
  const close = browser.close.bind(browser);
  let closing = false;
  browser.close = (options) => {
    closing = true;
    return close(options);
  };
  browser.on('disconnected', () => {
    // Uncaught on purpose: tests then fail for this reason, not at their time limit.
    if (!closing) throw new Error(`The browser ${executablePath} ended by itself: it crashed, or something killed it.`);
  });
  return browser;
}

function browserProblem(executablePath: string, error: unknown): StartProblem {
  const text = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
  const lines = text.split('\n').map((line) => line.trim());
  // Playwright's message has its own actions first, then, after "Browser logs" or "Call log", the browser's.
  const reason = lines.find((line) => /exitCode=|spawn |Timeout \d+ms exceeded/.test(line)) ?? lines[0] ?? '';
  return new StartProblem(
    `The browser ${executablePath} does not start: ${reason.replace(/^- |\.$/g, '')}. ` +
      'Install a Chromium, or name one that works: VITRINE_CHROMIUM=/path/to/chrome.',
  );
}

/** Throws with advice unless a browser starts and shows a page. */
export async function checkBrowser(limit = usualLimit): Promise<void> {
  const folder = newRunFolder('check');
  const browser = await startBrowser(folder, limit);
  const page = browser.newPage().then((opened) => opened.goto('data:text/html,Vitrine', { timeout: limit }));
  const opened = await Promise.race([page.then(() => true), delay(limit, false, { ref: false })]);
  if (!opened) throw browserProblem(browser.version(), `it opened no page within ${limit / 1000} s`);
  await browser.close();
  folder.remove();
}

export interface ContextOptions {
  readonly width?: number;
  readonly height?: number;
  /** Device pixels per CSS pixel; 2 for screenshots. */
  readonly scale?: number;
  /** Name of the time zone; default: that of this machine. */
  readonly zone?: string;
}

/** A new profile, and the list of blocked requests to other machines, which must stay empty. */
export async function newContext(
  browser: Browser,
  { width = 1280, height = 800, scale = 1, zone }: ContextOptions = {},
): Promise<{ context: BrowserContext; outside: string[] }> {
  const context = await browser.newContext({
    viewport: { width, height },
    // Animations draw all the time; without a graphics card, that takes much of the processor.
    reducedMotion: 'reduce',
    deviceScaleFactor: scale,
    ...(zone !== undefined && { timezoneId: zone }),
  });
  context.setDefaultTimeout(90_000);
  const outside: string[] = [];
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    // Webview resources have host names under vscode-cdn.net, which the webview's service worker handles.
    const local = hostname === '127.0.0.1' || hostname.endsWith('.vscode-cdn.net');
    if (/^(https?|wss?):$/.test(protocol) && !local) outside.push(request.url());
  });
  return { context, outside };
}
