/** Installs the VS Code host and a browser in advance. */
import { ensureChromium } from '../host/install/chromium.ts';
import { ensureCodeServer } from '../host/install/codeServer.ts';

await ensureCodeServer();
console.log(`Browser: ${await ensureChromium()}`);
