import type Mocha from 'mocha';

/** Result of one suite, with numbers of tests. */
export interface SuiteResult {
  passed: number;
  failed: number;
  skipped: number;
  /** Titles of skipped tests. */
  skips: string[];
  /** Titles of failed tests with error and location. */
  failures: string[];
  /** At least one line per test, for suites without visible output. */
  report: string[];
}

/** Runs the loaded suites and counts. A failed hook counts as a failed test. */
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

/** Result if the suites could not be loaded. */
export function notLoaded(error: unknown): SuiteResult {
  const failure = `the test files load\n${trace(error)}`;
  return { passed: 0, failed: 1, skipped: 0, skips: [], failures: [failure], report: [`  ✖ ${failure}`] };
}

function trace(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Such as `[unit] 12 passed, 0 failed, 1 skipped`, with the names of skipped tests below. */
export function summary(suite: string, { passed, failed, skipped, skips }: SuiteResult): string {
  const counts = `[${suite}] ${passed} passed, ${failed} failed, ${skipped} skipped`;
  return [counts, ...skips.map((title) => `[${suite}] SKIPPED ${title}`)].join('\n');
}
