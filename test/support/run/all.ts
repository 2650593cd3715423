/** `npm test`: every check and every suite. The last line counts the tests; a check that fails counts as a failed test. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { repository } from '../host/cache.mjs';
import { exitOnSignals } from '../host/endings.mjs';
import type { SuiteResult } from '../results.ts';
import { type Step, runStep } from './step.ts';

process.chdir(repository);
exitOnSignals();
const bin = (name: string): string => `node_modules/${name}`;

/** What needs the network once and little of the processor: beside the checks. */
const preparation: Step[] = [
  { name: 'host', args: ['test/support/run/host.ts'] },
  { name: 'agents to test with', args: ['test/support/run/agents.ts'] },
];
const checks: Step[] = [
  { name: 'types', args: [bin('typescript/bin/tsc'), '-b'] },
  { name: 'lint and boundaries', args: [bin('eslint/bin/eslint.js'), '.', '--max-warnings=0'] },
  { name: 'format', args: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.'] },
  { name: 'dead code', args: [bin('knip/bin/knip.js')] },
  { name: 'build', args: ['esbuild.mjs', '--production'] },
  { name: 'sizes', args: ['test/support/run/sizes.ts'] },
  { name: 'build tests', args: ['esbuild.mjs', '--tests'] },
];
const mocha = 'test/support/run/mocha.ts';
const suites: (Step & { suite: string })[] = [
  { name: 'unit', suite: 'unit', args: [mocha, 'unit', '--built'] },
  { name: 'golden', suite: 'golden', args: [mocha, 'golden', '--built'] },
  { name: 'faults', suite: 'faults', args: [mocha, 'faults', '--built'] },
  { name: 'page, in a real browser', suite: 'page', args: [mocha, 'page', '--built'] },
  { name: 'extension, in a real VS Code', suite: 'extension', args: ['test/support/run/extension.ts', '--built'] },
  { name: 'end to end, in a real browser', suite: 'e2e', args: [mocha, 'e2e', '--built'] },
  { name: 'real agents', suite: 'agents', args: [mocha, 'agents', '--built'] },
];

const started = performance.now();
const total = { passed: 0, failed: 0, skipped: 0 };
const skips: string[] = [];
/** What failed, told again at the end: the whole log is long, and its end is what is read first. */
const failures: string[] = [];

async function inOrder(steps: Step[]): Promise<void> {
  for (const step of steps) {
    if (await runStep(step)) continue;
    total.failed += 1;
    failures.push(step.name);
  }
}

/** Counts by the result file: an exit code alone does not tell that tests ran. */
async function runSuite({ suite, ...step }: Step & { suite: string }): Promise<void> {
  const file = `test-results/${suite}.json`;
  rmSync(file, { force: true });
  const ok = await runStep({ ...step, verbose: true });
  if (!existsSync(file)) {
    failures.push(`${suite}: wrote no result`);
    total.failed += 1;
    return;
  }
  const result = JSON.parse(readFileSync(file, 'utf8')) as SuiteResult;
  total.passed += result.passed;
  failures.push(...result.failures.map((failure) => `${suite}: ${failure}`));
  if (result.failed === 0 && !ok) failures.push(`${suite}: ended with an error after its tests`);
  total.failed += result.failed === 0 && !ok ? 1 : result.failed;
  total.skipped += result.skipped;
  skips.push(...result.skips.map((title) => `${suite}: ${title}`));
}

await Promise.all([inOrder(preparation), inOrder(checks)]);
for (const suite of suites) await runSuite(suite);

for (const title of skips) console.log(`SKIPPED ${title}`);
for (const failure of failures) console.log(`\nFAILED ${failure}`);
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s in all\n`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
