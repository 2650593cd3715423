import { mkdirSync, writeFileSync } from 'node:fs';
import { StartProblem } from '../../host/install/startProblem.mjs';
import { emptyResult, type SuiteResult, formatSummary } from './results.ts';

/** Writes and prints a suite's result, with failures last. Returns the exit code. */
export function finish(name: string, result: SuiteResult): number {
  mkdirSync('test-results', { recursive: true });
  writeFileSync(`test-results/${name}.json`, JSON.stringify(result, null, 2));
  console.log(formatSummary(name, result));
  const ran = result.passed + result.failed + result.skipped > 0;
  if (!ran) console.error(`[${name}] ran no test`);
  for (const failure of result.failures) console.error(`[${name}] FAILED ${failure}`);
  return result.failed > 0 || !ran ? 1 : 0;
}

/** Exits after all output has been written, even if servers are still open. */
export async function exitWith(code: number): Promise<never> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
  );
  process.exit(code);
}

/** Makes an error outside of tests the suite's only failure. While tests run, Mocha handles errors. */
export function finishOnErrors(name: string): void {
  process.on('uncaughtException', (error) => {
    const text = error instanceof StartProblem ? error.message : (error.stack ?? error.message);
    const failures = [`before or after the tests\n${text}`];
    void exitWith(finish(name, { ...emptyResult(), failed: 1, failures, report: [] }));
  });
}
