/** Installs the real VS Code host and finds a browser, so that the first test run does not wait for them. */
import { ensureChromium } from '../host/chromium.ts';
import { ensureCodeServer } from '../host/codeServer.ts';

await ensureCodeServer();
console.log(`Browser: ${await ensureChromium()}`);
