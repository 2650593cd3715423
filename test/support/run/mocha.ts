/** `mocha.ts SUITE… [--grep TEXT]`: runs suites of test/ in this process; exit code 1 if a test fails or none ran. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fuzzRuns, seedProperties } from '../hostile/fuzz.ts';
import { checkBrowser } from '../host/browser.ts';
import { repository } from '../host/install/cache.mjs';
import { exitOnSignals } from '../processes/endings.mjs';
import { runFiles, secondAttempts } from './suites/mochaRun.ts';
import { buildProduct, buildTests } from './build.ts';
import { exitWith, finish, finishOnErrors } from './suites/finish.ts';
import { suiteFiles } from './suites/suiteFiles.ts';
import { suiteOf } from './suites/suites.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { grep: { type: 'string' }, built: { type: 'boolean', default: false } },
});
const name = positionals.join('+').replaceAll('/', '-');
process.chdir(repository);
exitOnSignals();
finishOnErrors(name);
seedProperties();
if (!values.built) await Promise.all([buildTests(positionals), buildProduct()]);

const empty = positionals.filter((suite) => suiteFiles(suite).length === 0);
if (empty.length > 0) throw new Error(`no test file in ${empty.map((suite) => `test/${suite}`).join(', ')}`);
// Without a browser, each of these tests would run into its time limit.
if (positionals.some((name) => ['page', 'e2e'].includes(suiteOf(name)))) await checkBrowser();
const files = positionals.flatMap((suite) => suiteFiles(suite).map((file) => path.join('dist/test', suite, file)));
// Suites that start other programs get more time and a second attempt, because the machine may be busy.
const alone = positionals.every((suite) => /^(unit|golden)\b/.test(suite));
const timeout = fuzzRuns(alone ? 120_000 : 300_000);
const result = await runFiles(files, { timeout, grep: values.grep, retries: alone ? 0 : secondAttempts() });
await exitWith(finish(name, result));
