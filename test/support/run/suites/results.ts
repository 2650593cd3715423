import type Mocha from 'mocha';

/** Result of one suite, with numbers of tests. */
export interface SuiteResult {
  passed: number;
  failed: number;
  skipped: number;
  /** Titles of skipped tests. */
  skips: string[];
  /** Titles of tests that failed once and then passed, with error and location of the failure. */
  unsteady: string[];
  /** Titles of failed tests with error and location. */
  failures: string[];
  /** At least one line per test, for suites without visible output. */
  report: string[];
}

/** Runs the loaded suites and counts. A failed hook counts as a failed test. */
export function collect(mocha: Mocha): Promise<SuiteResult> {
  return new Promise((resolve) => {
    const result: SuiteResult = { ...none(), failures: [], report: [] };
    const firstErrors = new Map<string, unknown>();
    const runner = mocha.run(() => resolve(result));
    runner.on('retry', (test: Mocha.Test, error: unknown) => firstErrors.set(test.fullTitle(), error));
    runner.on('pass', (test) => {
      result.passed += 1;
      const title = test.fullTitle();
      if (firstErrors.has(title)) result.unsteady.push(`${title}\n${trace(firstErrors.get(title))}`);
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
  return { ...none(), failed: 1, failures: [failure], report: [`  ✖ ${failure}`] };
}

/** No test has run. */
export function none(): Omit<SuiteResult, 'failures' | 'report'> {
  return { passed: 0, failed: 0, skipped: 0, skips: [], unsteady: [] };
}

function trace(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Such as `[unit] 12 passed, 0 failed, 1 skipped`, with the names of skipped and unsteady tests below. */
export function summary(suite: string, { passed, failed, skipped, skips, unsteady }: SuiteResult): string {
  const counts = `[${suite}] ${passed} passed, ${failed} failed, ${skipped} skipped`;
  return [
    counts,
    ...skips.map((title) => `[${suite}] SKIPPED ${title}`),
    ...unsteady.map((failure) => `[${suite}] UNSTEADY ${failure}`),
  ].join('\n');
}
