/** `mocha.ts SUITE… [--grep TEXT]`: runs suites of test/ in this process; exit code 1 on a failure or when none ran. */
import { fuzzRuns, seedProperties } from '../fuzz.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import Mocha from 'mocha';
import { repository } from '../host/cache.mjs';
import { exitOnSignals } from '../host/endings.mjs';
import { collect, summary } from '../results.ts';
import { buildProduct, buildTests } from './build.ts';
import { suiteFiles } from './suiteFiles.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { grep: { type: 'string' }, built: { type: 'boolean', default: false } },
});
process.chdir(repository);
exitOnSignals();
seedProperties();
if (!values.built) await Promise.all([buildTests(positionals), buildProduct()]);

const empty = positionals.filter((suite) => suiteFiles(suite).length === 0);
if (empty.length > 0) throw new Error(`no test file in ${empty.map((suite) => `test/${suite}`).join(', ')}`);
const files = positionals.flatMap((suite) => suiteFiles(suite).map((name) => path.join('dist/test', suite, name)));
const mocha = new Mocha({
  ui: 'bdd',
  timeout: fuzzRuns(60_000),
  ...(values.grep === undefined ? {} : { grep: values.grep }),
});
for (const file of files) mocha.addFile(path.resolve(file));
await mocha.loadFilesAsync();
const result = await collect(mocha);

const name = positionals.join('+');
mkdirSync('test-results', { recursive: true });
writeFileSync(`test-results/${name}.json`, JSON.stringify(result, null, 2));
console.log(summary(name, result));
const ran = result.passed + result.failed + result.skipped > 0;
if (!ran) console.error(`[${name}] ran no test`);
process.exitCode = result.failed > 0 || !ran ? 1 : 0;
