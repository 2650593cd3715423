/** `suite.ts SUITE… [--grep TEXT]`: builds and runs suites of test/ with a time limit; prints failures last. */
import { repository } from '../host/install/cache.mjs';
import { startProblem } from '../host/install/startProblem.mjs';
import { buildProduct, buildTests } from './build.ts';
import { exitWith } from './suites/finish.ts';
import { stopOnSignals } from './suites/interruption.ts';
import { runStep } from './suites/step.ts';
import { suiteLimit, suiteScript } from './suites/suites.ts';

const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith('--'));
const names = firstOption < 0 ? args : args.slice(0, firstOption);
process.chdir(repository);
stopOnSignals();
try {
  await Promise.all([buildTests(names), buildProduct()]);
  const name = names.join('+');
  const script = [...suiteScript(names), '--built', ...args.slice(names.length)];
  const { ok, abrupt, problem = '' } = await runStep({ name, args: script, limit: suiteLimit(names), inherit: true });
  if (abrupt) console.error(`\nFAILED: the suite ${name} ${problem}.`);
  await exitWith(ok ? 0 : 1);
} catch (error) {
  console.error(startProblem(error));
  await exitWith(1);
}
