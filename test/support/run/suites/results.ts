import Mocha from 'mocha';

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

/** A test whose suite may have noted what was there when it failed, such as errors of a page. */
interface NamedError {
  readonly evidence?: string;
}

interface Failure {
  readonly test: Mocha.Runnable & NamedError;
  readonly error: unknown;
}

/** How a test or hook ended. */
interface Outcome {
  readonly title: string;
  readonly kind: 'passed' | 'failed' | 'skipped';
  /** Of a passed test, in ms. */
  readonly duration: number;
  readonly failure?: Failure;
  /** Its first attempt, if that failed. */
  readonly first?: Failure;
  /** Title of the suite of a failed hook; its remaining tests did not run. */
  readonly suite?: string;
}

/**
 * Runs the loaded suites and counts. A failed hook counts as a failed test. With `repeatHooks`, suites with failed hooks run
 * a second time, because Mocha repeats only tests; a hook that then passes is listed as unsteady.
 */
export async function collectResults(mocha: Mocha, repeatHooks = false): Promise<SuiteResult> {
  mocha.cleanReferencesAfterRun(false);
  const outcomes = await run(mocha);
  const broken = repeatHooks ? outcomes.filter(({ suite = '' }) => suite !== '') : [];
  if (broken.length === 0) return counted(outcomes);
  const names = [...new Set(broken.map(({ suite }) => suite ?? ''))];
  console.log(`\nA hook failed. Second attempt: ${names.join(', ')}`);
  const again = new RegExp(`^(?:${names.map(escaped).join('|')}) `);
  mocha.grep(again);
  const second = await run(mocha);
  const result = counted([...outcomes.filter(({ title }) => !again.test(title)), ...second]);
  const unsteady = broken.map(({ title, failure }) => `${title}\n${describeFailure(failure)}`);
  return { ...result, unsteady: [...result.unsteady, ...unsteady] };
}

function run(mocha: Mocha): Promise<readonly Outcome[]> {
  return new Promise((resolve) => {
    const outcomes: Outcome[] = [];
    const firsts = new Map<string, Failure>();
    const runner = mocha.run(() => resolve(outcomes));
    runner.on('retry', (test: Mocha.Test, error: unknown) => firsts.set(test.fullTitle(), { test, error }));
    runner.on('pass', (test) => {
      const title = test.fullTitle();
      const first = firsts.get(title);
      const duration = test.duration ?? 0;
      outcomes.push({ title, kind: 'passed', duration, ...(first !== undefined && { first }) });
    });
    runner.on('fail', (test: Mocha.Runnable, error: unknown) => {
      const suite = test instanceof Mocha.Hook && test.parent !== undefined ? test.parent.fullTitle() : undefined;
      const title = test.fullTitle();
      const first = firsts.get(title);
      const failure = { test, error };
      const optional = { ...(first !== undefined && { first }), ...(suite !== undefined && { suite }) };
      outcomes.push({ title, kind: 'failed', duration: 0, failure, ...optional });
    });
    runner.on('pending', (test) => outcomes.push({ title: test.fullTitle(), kind: 'skipped', duration: 0 }));
  });
}

function counted(outcomes: readonly Outcome[]): SuiteResult {
  const result: SuiteResult = { ...emptyResult(), failures: [], report: [] };
  for (const { title, kind, duration, failure, first } of outcomes) {
    result[kind] += 1;
    if (kind === 'skipped') result.skips.push(title);
    if (kind === 'passed' && first !== undefined) result.unsteady.push(`${title}\n${describeFailure(first)}`);
    if (kind === 'passed') result.report.push(`  ✔ ${title} (${duration} ms)`);
    if (kind !== 'failed') continue;
    const before = first === undefined ? '' : `\nAt the first attempt: ${describeFailure(first)}`;
    const error = `${describeFailure(failure)}${before}`;
    result.failures.push(`${title}\n${error}`);
    result.report.push(`  ✖ ${title}\n${error}`);
  }
  return result;
}

/** Result if the suites could not be loaded. */
export function notLoadedResult(error: unknown): SuiteResult {
  const failure = `the test files load\n${trace(error)}`;
  return { ...emptyResult(), failed: 1, failures: [failure], report: [`  ✖ ${failure}`] };
}

/** No test has run. */
export function emptyResult(): Omit<SuiteResult, 'failures' | 'report'> {
  return { passed: 0, failed: 0, skipped: 0, skips: [], unsteady: [] };
}

function escaped(title: string): string {
  return title.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

function describeFailure(failure: Failure | undefined): string {
  const evidence = failure?.test.evidence;
  return evidence === undefined ? trace(failure?.error) : `${trace(failure?.error)}\n${evidence}`;
}

function trace(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Such as `[unit] 12 passed, 0 failed, 1 skipped`, with the names of skipped and unsteady tests below. */
export function formatSummary(suite: string, { passed, failed, skipped, skips, unsteady }: SuiteResult): string {
  const counts = `[${suite}] ${passed} passed, ${failed} failed, ${skipped} skipped`;
  return [
    counts,
    ...skips.map((title) => `[${suite}] SKIPPED ${title}`),
    ...unsteady.map((failure) => `[${suite}] UNSTEADY ${failure}`),
  ].join('\n');
}
