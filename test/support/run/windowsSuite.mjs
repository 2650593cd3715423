// @ts-check
/** Runs bundled tests in this process, which is a Windows one: `windowsSuite.mjs FOLDER_OR_FILE… [--grep TEXT]`. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import Mocha from 'mocha';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { grep: { type: 'string' } } });
rmSync('test-results/windows.json', { force: true });
const names = readdirSync('dist/test/unit', { recursive: true, encoding: 'utf8' })
  .map((name) => `unit/${name.split(path.sep).join('/')}`)
  .filter((name) => name.endsWith('.test.js') && existsSync(`test/${name.slice(0, -2)}ts`))
  .filter((name) => positionals.some((each) => name.startsWith(`${each}/`) || name === `${each}.test.js`));
const mocha = new Mocha({ ui: 'bdd', timeout: 60_000, ...(values.grep === undefined ? {} : { grep: values.grep }) });
for (const name of names) mocha.addFile(path.resolve('dist/test', name));
await mocha.loadFilesAsync();
const result = {
  passed: 0,
  failed: 0,
  skipped: 0,
  skips: /** @type {string[]} */ ([]),
  failures: /** @type {string[]} */ ([]),
};
const runner = mocha.run(() => {
  mkdirSync('test-results', { recursive: true });
  writeFileSync('test-results/windows.json', JSON.stringify(result, null, 2));
  process.exit(result.failed > 0 ? 1 : 0);
});
runner.on('pass', () => (result.passed += 1));
runner.on('pending', () => (result.skipped += 1));
runner.on('fail', (test, /** @type {Error} */ error) => {
  result.failed += 1;
  result.failures.push(`${test.fullTitle()}\n${error.stack ?? error.message}`);
});
