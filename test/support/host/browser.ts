import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { ensureChromium } from './chromium.ts';
import { cleanEnvironment, type RunFolder } from './runFolder.ts';

/** Root needs no sandbox of its own making; the rest keeps Chromium from looking for anything outside this machine. */
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

/** A headless Chromium. Each `newContext` is a fresh profile: its own workspace state, its own view layout. */
export async function startBrowser(folder: RunFolder): Promise<Browser> {
  return chromium.launch({
    executablePath: await ensureChromium(),
    headless: true,
    env: cleanEnvironment(folder),
    args,
  });
}

export interface ContextOptions {
  readonly width?: number;
  readonly height?: number;
  /** Device pixels per CSS pixel; 2 for pictures. */
  readonly scale?: number;
  /** Name of the time zone; absent: that of this machine. */
  readonly zone?: string;
}

/** A fresh profile, and the list of requests that would have left this machine (which stays empty). */
export async function newContext(
  browser: Browser,
  { width = 1280, height = 800, scale = 1, zone }: ContextOptions = {},
): Promise<{ context: BrowserContext; outside: string[] }> {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    ...(zone !== undefined && { timezoneId: zone }),
  });
  context.setDefaultTimeout(45_000);
  const outside: string[] = [];
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    // Webview resources have names under vscode-cdn.net; the webview's service worker answers them.
    const local = hostname === '127.0.0.1' || hostname.endsWith('.vscode-cdn.net');
    if (/^(https?|wss?):$/.test(protocol) && !local) outside.push(request.url());
  });
  return { context, outside };
}
