/** Installs the real VS Code host and finds a browser, so that the first test run does not wait for them. */
import { ensureChromium } from '../host/install/chromium.ts';
import { ensureCodeServer } from '../host/install/codeServer.ts';

await ensureCodeServer();
console.log(`Browser: ${await ensureChromium()}`);
