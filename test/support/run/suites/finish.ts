import { mkdirSync, writeFileSync } from 'node:fs';
import { StartProblem } from '../../host/install/startProblem.mjs';
import { type SuiteResult, summary } from './results.ts';

/** Writes down and prints what a suite came to; its exit code. What failed comes last. */
export function finish(name: string, result: SuiteResult): number {
  mkdirSync('test-results', { recursive: true });
  writeFileSync(`test-results/${name}.json`, JSON.stringify(result, null, 2));
  console.log(summary(name, result));
  const ran = result.passed + result.failed + result.skipped > 0;
  if (!ran) console.error(`[${name}] ran no test`);
  for (const failure of result.failures) console.error(`[${name}] FAILED ${failure}`);
  return result.failed > 0 || !ran ? 1 : 0;
}

/** Ends this process although servers of a failed hook are still open, once all output has been written. */
export async function exitWith(code: number): Promise<never> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
  );
  process.exit(code);
}

/** Makes an error outside of the tests the suite's only failure. Mocha takes over while tests run. */
export function finishOnErrors(name: string): void {
  process.on('uncaughtException', (error) => {
    const text = error instanceof StartProblem ? error.message : (error.stack ?? error.message);
    const failures = [`before or after the tests\n${text}`];
    void exitWith(finish(name, { passed: 0, failed: 1, skipped: 0, skips: [], failures, report: [] }));
  });
}
