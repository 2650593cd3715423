/** `npm test`: all checks and suites. The last line counts tests; a failed check counts as a failed test. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repository } from '../host/install/cache.mjs';
import { endLeftovers, killLeftovers } from '../processes/leftovers.mjs';
import { createTemporaryFolder, removeTemporaryFolder, temporaryVariables } from '../processes/temporaryFolder.mjs';
import type { SuiteResult } from './suites/results.ts';
import { exitWith } from './suites/finish.ts';
import { stopOnSignals } from './suites/interruption.ts';
import { type Step, type StepEnd, runStep } from './suites/step.ts';
import { atOnce, limitOf, type Suite, suites, suiteScript } from './suites/suites.ts';

process.chdir(repository);
stopOnSignals();
const bin = (name: string): string => `node_modules/${name}`;

/** Steps that need the network and little CPU, run in parallel with the checks. */
const preparation: Step[] = [
  { name: 'host', args: ['test/support/run/host.ts'] },
  { name: 'agents to test with', args: ['test/support/run/agents.ts'] },
];
const builds: Step[] = [
  { name: 'build', args: ['esbuild.mjs', '--production'] },
  { name: 'sizes', args: ['test/support/package/sizes.ts'] },
  { name: 'build tests', args: ['esbuild.mjs', '--tests'] },
];
const checks: Step[] = [
  { name: 'types', args: [bin('typescript-7/bin/tsc'), '-b'] },
  {
    name: 'imports',
    args: [
      bin('dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      '.dependency-cruiser.mjs',
      'src',
      'webview',
      'test',
      'bench',
    ],
  },
  { name: 'wording', args: ['test/support/lint/wording.mjs'] },
  { name: 'lint', args: [bin('eslint/bin/eslint.js'), '.', '--max-warnings=0'] },
  { name: 'format', args: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.'] },
  { name: 'dead code', args: [bin('knip/bin/knip.js')] },
];

const started = performance.now();
const total = { passed: 0, failed: 0, skipped: 0 };
const skips: string[] = [];
const unsteady: string[] = [];
/** Failures, repeated at the end of the long log. */
const failures: string[] = [];

function report(name: string, { ok, seconds, output }: StepEnd, verbose: boolean): void {
  console.log(`${ok ? '✔' : '✖'} ${name} (${seconds.toFixed(1)} s)`);
  if (verbose || !ok) process.stdout.write(output);
}

/** Last lines of a program's output, which usually contain the reason. */
function lastLines(output: string): string {
  return output.trim().split('\n').slice(-12).join('\n');
}

async function runInOrder(steps: Step[]): Promise<void> {
  for (const step of steps) {
    const end = await runStep(step);
    report(step.name, end, false);
    if (end.ok) continue;
    total.failed += 1;
    failures.push(`${step.name}: ${end.problem ?? ''}\n${lastLines(end.output)}`);
  }
}

/** Temporary folders of running suites: each suite has its own, so that leftovers can be attributed. */
const folders = new Set<string>();
process.once('exit', () => {
  for (const folder of folders) {
    killLeftovers(folder);
    removeTemporaryFolder(folder);
  }
});

/** Uses the result file, because an exit code does not prove that tests ran. */
async function runSuite({ names, label, limit }: Suite): Promise<void> {
  const name = names.join('+').replaceAll('/', '-');
  const file = `test-results/${name}.json`;
  rmSync(file, { force: true });
  // Next to the run's folder: inside, socket paths would be too long.
  const folder = createTemporaryFolder(path.dirname(tmpdir()));
  folders.add(folder);
  const args = [...suiteScript(names), '--built'];
  const end = await runStep({ name: label, args, limit: limitOf(limit), env: temporaryVariables(folder) });
  report(label, end, true);
  for (const { command } of await endLeftovers(folder, 5000)) {
    console.log(`WARNING ${name}: a process outlived the suite and was killed: ${command.slice(0, 200)}`);
  }
  removeTemporaryFolder(folder);
  folders.delete(folder);
  if (!existsSync(file)) {
    failures.push(`${name}: ${end.problem ?? 'ended'} without a result\n${lastLines(end.output)}`);
    total.failed += 1;
    return;
  }
  const result = JSON.parse(readFileSync(file, 'utf8')) as SuiteResult;
  total.passed += result.passed;
  failures.push(...result.failures.map((failure) => `${name}: ${failure}`));
  if (result.failed === 0 && !end.ok) failures.push(`${name}: ${end.problem ?? ''}, after its tests`);
  total.failed += result.failed === 0 && !end.ok ? 1 : result.failed;
  total.skipped += result.skipped;
  skips.push(...result.skips.map((title) => `${name}: ${title}`));
  unsteady.push(...result.unsteady.map((failure) => `${name}: ${failure}`));
}

await Promise.all([runInOrder(preparation), runInOrder(builds)]);
const waiting = [() => runInOrder(checks), ...suites.map((suite) => () => runSuite(suite))];
const work = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
};
await Promise.all(Array.from({ length: atOnce }, work));

for (const title of skips) console.log(`SKIPPED ${title}`);
for (const failure of unsteady) console.log(`\nUNSTEADY ${failure}`);
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s in all`);
for (const failure of failures) console.log(`\nFAILED ${failure}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
await exitWith(total.failed > 0 || total.passed === 0 ? 1 : 0);
