/** `extension.ts [--grep TEXT]`: runs test/extension in a real VS Code; exit code 1 if a test fails or none ran. */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startBrowser } from '../host/browser.ts';
import { repository } from '../host/install/cache.mjs';
import { ensureCodeServer } from '../host/install/codeServer.ts';
import { runExtensionTests } from '../host/extensionTests.ts';
import { cleanEnvironment, newRunFolder } from '../host/runFolder.ts';
import { sampleExtension } from '../host/sampleExtension.ts';
import { startServer } from '../host/server.ts';
import { linkExtension } from '../host/settings.ts';
import { exitOnSignals } from '../processes/endings.mjs';
import type { SuiteResult } from './suites/results.ts';
import { buildProduct, buildTests } from './build.ts';
import { exitWith, finish, finishOnErrors } from './suites/finish.ts';
import { suiteFiles } from './suites/suiteFiles.ts';

const { values } = parseArgs({ options: { grep: { type: 'string' }, built: { type: 'boolean', default: false } } });
process.chdir(repository);
exitOnSignals();
finishOnErrors('extension');
mkdirSync('test-results', { recursive: true });
await ensureCodeServer();
if (!values.built) await Promise.all([buildTests(['extension']), buildProduct()]);

const folder = newRunFolder('extension');
const browser = await startBrowser(folder);
linkExtension(folder.root, sampleExtension());
const server = await startServer({ folder, env: cleanEnvironment(folder), driver: true });
const text = await runExtensionTests(server, browser, {
  VITRINE_TEST_FILES: suiteFiles('extension').join('\n'),
  ...(process.env['VITRINE_STRICT'] === '1' && { VITRINE_STRICT: '1' }),
  ...(values.grep === undefined ? {} : { VITRINE_TEST_GREP: values.grep }),
});
await browser.close();
await server.stop();
const result = JSON.parse(text) as SuiteResult;
console.log(result.report.join('\n'));
await exitWith(finish('extension', result));
