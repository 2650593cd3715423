import type Mocha from 'mocha';

/** What one suite came to; the counts are of tests. */
export interface SuiteResult {
  passed: number;
  failed: number;
  skipped: number;
  /** Titles of the skipped. */
  skips: string[];
  /** Titles of the failed, each with its error and where. */
  failures: string[];
  /** A line or more per test, for where the suite's own output cannot be seen. */
  report: string[];
}

/** Runs the loaded suites and counts. A failing hook counts as a failed test. */
export function collect(mocha: Mocha): Promise<SuiteResult> {
  return new Promise((resolve) => {
    const result: SuiteResult = { passed: 0, failed: 0, skipped: 0, skips: [], failures: [], report: [] };
    const runner = mocha.run(() => resolve(result));
    runner.on('pass', (test) => {
      result.passed += 1;
      result.report.push(`  ✔ ${test.fullTitle()} (${test.duration ?? 0} ms)`);
    });
    runner.on('fail', (test, error: unknown) => {
      result.failed += 1;
      const failure = `${test.fullTitle()}\n${trace(error)}`;
      result.failures.push(failure);
      result.report.push(`  ✖ ${failure}`);
    });
    runner.on('pending', (test) => {
      result.skipped += 1;
      result.skips.push(test.fullTitle());
    });
  });
}

/** The result of suites that could not even be loaded. */
export function notLoaded(error: unknown): SuiteResult {
  const failure = `the test files load\n${trace(error)}`;
  return { passed: 0, failed: 1, skipped: 0, skips: [], failures: [failure], report: [`  ✖ ${failure}`] };
}

function trace(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** `[unit] 12 passed, 0 failed, 1 skipped`, with the skipped by name below. */
export function summary(suite: string, { passed, failed, skipped, skips }: SuiteResult): string {
  const counts = `[${suite}] ${passed} passed, ${failed} failed, ${skipped} skipped`;
  return [counts, ...skips.map((title) => `[${suite}] SKIPPED ${title}`)].join('\n');
}
