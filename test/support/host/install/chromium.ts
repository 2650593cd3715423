import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { run } from './cache.mjs';
import { StartProblem } from './startProblem.mjs';

/** First the one without a window, which takes a sixth less processor time. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'msedge',
];
const macPlaces = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => existsSync(file));
}

/** Browsers installed by `playwright install chromium`, newest first. */
function playwrights(): string | undefined {
  const folder = process.env['PLAYWRIGHT_BROWSERS_PATH'] ?? path.join(homedir(), '.cache/ms-playwright');
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((name) => name.startsWith('chromium-'))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .flatMap((name) =>
      ['chrome-linux64/chrome', 'chrome-linux/chrome'].map((program) => path.join(folder, name, program)),
    )
    .find((file) => existsSync(file));
}

function findChromium(): string | undefined {
  const reported = process.env['VITRINE_CHROMIUM'];
  if (reported !== undefined && !existsSync(reported))
    throw new StartProblem(`VITRINE_CHROMIUM names no file: ${reported}. Name a Chromium, or unset it.`);
  return reported ?? onPath() ?? macPlaces.find((file) => existsSync(file)) ?? playwrights();
}

/** Path of a Chromium. Installs Debian's if there is none and we have permission. */
export async function ensureChromium(): Promise<string> {
  const found = findChromium();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log("No Chromium found: installing Debian's (apt-get install chromium-headless-shell), about 30 s.");
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const options = ['-qq', '-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20'];
    // Older releases have only the second.
    for (const name of ['chromium-headless-shell', 'chromium']) {
      try {
        await run('apt-get', [...options, 'update'], { env, timeout: 60_000 });
        await run('apt-get', [...options, 'install', '-y', '--no-install-recommends', name], { env, timeout: 300_000 });
      } catch (error) {
        console.warn(String(error).split('\n').slice(-5).join('\n'));
      }
      const installed = findChromium();
      if (installed !== undefined) return installed;
    }
  }
  throw new StartProblem(
    'No Chromium found for the tests in the real VS Code. Install one (Debian: apt-get install chromium), ' +
      'or name one: VITRINE_CHROMIUM=/path/to/chrome npm test.',
  );
}
