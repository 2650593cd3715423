import type { ProgramKind } from '../commands/programs.ts';

/**
 * A line format in which programs report results. Named groups are numbers (`passed`, `failed`, `errors`, `skipped`, `total`,
 * `doctests`), single results (`onePassed`, `oneFailed`, `oneSkipped`) or words (`ok`, `bad`, `none`: nothing ran).
 */
export interface SummaryLine {
  readonly runner: string;
  readonly line: RegExp;
  /** Also reads "3 passed" or "Failures: 3" in the rest of the line. */
  readonly words?: 'number first' | 'name first';
  /** What the numbers count; `nested` are tests inside tests. */
  readonly unit?: 'suites' | 'nested';
  /** How several such lines are combined; default `sum`. */
  readonly combine?: 'last' | 'max';
  /** Counts only if its runner prints no other line. */
  readonly isFallback?: true;
  /** Runners whose lines this one repeats. */
  readonly covers?: readonly string[];
}

const row = (runner: string, line: RegExp, options: Omit<SummaryLine, 'runner' | 'line'> = {}): SummaryLine => ({
  runner,
  line,
  ...options,
});
const numbers = { words: 'number first' } as const;
const names = { words: 'name first' } as const;

/**
 * `test/fixtures/verdicts/outputs.json` has outputs for most rows. Each row has a group name only once, because Node 22 does
 * not support duplicates.
 */
const test: readonly SummaryLine[] = [
  row(
    'jest',
    /^\s*Tests:\s+(?=\d+ (?:passed|failed|skipped|todo|total|pending|incomplete|deprecated|risky|warnings?)\b)/,
    numbers,
  ),
  row('jest', /^Test Suites:\s+(?=\d)/, { ...numbers, unit: 'suites' }),
  row('jest', /^(?<none>No tests found, exiting with code \d)/),
  row('jest', /"numFailedTests":\s*(?<failed>\d+).*?"numPassedTests":\s*(?<passed>\d+)/),
  row('vitest', /^\s*Tests\s+(?=\d+ (?:passed|failed|skipped|todo|expected)\b)(?:.*\((?<total>\d+)\))?/, numbers),
  row('vitest', /^\s*Test Files\s+(?=\d)/, { ...numbers, unit: 'suites' }),
  row('vitest', /^\s*(?:(?<none>Tests\s+no tests|No test files found)|(?<bad>Errors\s+\d+ errors?))/),
  row('mocha', /^\s*(?=\d+ (?:passing|failing|pending)(?: \([\d.]+\w+\))?$)/, numbers),
  row('playwright', /^\s{0,4}(?=\d+ (?:passed|failed|skipped|interrupted)(?: \([\d.]+\w+\))?$)/, numbers),
  row('playwright', /^(?<none>Error: No tests found)/),
  row('ava', /^\s*(?=\d+ (?:tests? (?:passed|failed|todo|skipped)|uncaught exceptions?)$)/, numbers),
  row('ava', /^\s*✘ (?<none>Based on your configuration, \d+ test files were found, but did not match)/),
  row('cypress', /^\s*✔\s+All specs passed!\s+\S+\s+(?<total>\d+)\s+(?<passed>\d+)/, { covers: ['mocha'] }),
  row('cypress', /^\s*✖\s+\d+ of \d+ failed \(\d+%\)\s+\S+\s+(?<total>\d+)\s+(?:(?<passed>\d+)|-)\s+(?<failed>\d+)/, {
    covers: ['mocha'],
  }),
  row('tap', /^(?:#|ℹ) (?=(?:tests|pass|fail|cancelled|skipped|todo)\s+\d+\s*$)/, names),
  row(
    'tap',
    /^(?:not ok (?:(?<skipped>\d+).*# (?:TODO|SKIP)|(?<oneFailed>\d+))|ok \d+ .*(?<oneSkipped># SKIP)|ok (?<onePassed>\d+))/i,
    {
      isFallback: true,
    },
  ),
  row('node-tap', /^(?:Asserts:|# \{)\s+(?=.*\b(?:pass|total)\b)/, numbers),
  row('prove', /^Files=\d+, Tests=(?<total>\d+)/, { covers: ['tap'] }),
  row('prove', /^Result: (?:(?<ok>PASS)|(?<bad>FAIL)|(?<none>NOTESTS))$/),
  row(
    'pytest',
    /^(?:=+ )?(?=(?:\d+ (?:passed|failed|skipped|errors?|deselected|xfailed|xpassed|warnings?|rerun|subtests passed),? )+in [\d.]+)/,
    numbers,
  ),
  row('pytest', /^(?:=+ )?(?<none>no tests ran\b|\d+(?:\/\d+)? tests? collected)/),
  row('pytest', /^(?<none>collected 0 items$|collected \d+ items \/ \d+ deselected \/ 0 selected)/),
  row('unittest', /^Ran (?<total>\d+) tests? in /),
  row('unittest', /^(?<ok>OK)(?: \((?:(?:skipped=(?<skipped>\d+)|[a-z ]+=\d+)(?:, )?)+\))?$/),
  row('unittest', /^(?:(?<bad>FAILED) \(|(?<none>NO TESTS RAN))/, names),
  row(
    'rspec',
    /^(?<total>\d+) examples?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) pending)?(?:, (?<errors>\d+) errors? occurred)?/,
  ),
  row(
    'minitest',
    /^(?<total>\d+) (?:runs|tests), \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors(?:, (?<skipped>\d+) (?:skips|pendings))?/,
  ),
  row(
    'exunit',
    /^(?:(?<doctests>\d+) doctests?, )?(?:\d+ propert(?:y|ies), )?(?<total>\d+) tests?, (?<failed>\d+) failures?(?:, \d+ excluded)?(?:, (?<skipped>\d+) skipped)?\b/,
  ),
  row('exunit', /^(?<none>There are no tests to run)/),
  row(
    'xctest',
    /^\s*Executed (?<total>\d+) tests?, with (?:(?<skipped>\d+) tests? skipped and )?(?<failed>\d+) failures?/,
    {
      combine: 'max',
    },
  ),
  row(
    'swift-testing',
    /^\S{0,3} ?Test run with (?<total>\d+) tests?(?: in \d+ suites?)? (?:(?<ok>passed)|(?<bad>failed)) after/,
  ),
  row('xcodebuild', /^\*\* TEST (?:(?<ok>SUCCEEDED)|(?<bad>FAILED)) \*\*/),
  row(
    'surefire',
    /^Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+)\s*$/,
  ),
  row(
    'surefire',
    /^Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+), Time elapsed/,
    { isFallback: true },
  ),
  row('surefire', /^(?<none>No tests to run\.|Tests are skipped\.)/),
  row('junit', /^Tests run: (?<total>\d+),\s+Failures: (?<failed>\d+)$/),
  row('junit', /^OK \((?<total>\d+) tests?\)$/),
  row(
    'junit-console',
    /^\[\s+(?:(?<passed>\d+) tests successful|(?<failed>\d+) tests failed|(?<skipped>\d+) tests skipped)\s+\]/,
  ),
  row('gradle', /^(?<total>\d+) tests? completed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?/),
  row(
    'gradle',
    /^(?:(?<ok>SUCCESS)|(?<bad>FAILURE)): Executed (?<total>\d+) tests in [^(]*(?:\((?<failed>\d+) failed)?/,
  ),
  row('gradle', /^(?:BUILD (?:(?<ok>SUCCESSFUL)|(?<bad>FAILED)) in |> Task \S*[tT]est (?<none>NO-SOURCE))/),
  row('maven', /^BUILD (?<bad>FAILURE)$/),
  row('ctest', /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)/),
  row('ctest', /^(?<none>No tests were found!!!)/),
  row('cargo', /^test result: (?:ok|FAILED)\. (?<passed>\d+) passed; (?<failed>\d+) failed; (?<skipped>\d+) ignored/),
  row('cargo', /^error: (?<bad>could not compile|test failed)\b/),
  row(
    'nextest',
    /^\s*Summary \[[^\]]*\]\s+(?<total>\d+)(?:\/\d+)? tests? run: (?<passed>\d+) passed(?: \([^)]*\))?(?:, (?<failed>\d+) failed)?/,
  ),
  row('nextest', /^error: (?<none>no tests to run)/),
  row(
    'dotnet',
    /^\s*(?:Passed|Failed)!\s+-\s+Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+), Skipped:\s+(?<skipped>\d+), Total:\s+(?<total>\d+)/,
  ),
  row('dotnet', /^Test summary: (?=total: \d)/, names),
  row(
    'dotnet',
    /^(?:Total tests: (?<total>\d+)|\s{4,}Passed: (?<passed>\d+)|\s{4,}Failed: (?<failed>\d+)|\s{4,}Skipped: (?<skipped>\d+))$/,
  ),
  row('dotnet-platform', /^\s{2}(?=(?:total|failed|succeeded|skipped): \d+$)/, names),
  row('dotnet', /^(?<none>No test (?:is available in|matches the given testcase filter))/),
  row(
    'go',
    /^(?:(?<bad>FAIL)\s+\S+\s+(?:[\d.]+s|\[)|ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(?:\s+coverage: \S+ of statements)?\s+(?<none>\[no tests to run\])|(?<ok>ok)\s+\S+\s+(?:\(cached\)|[\d.]+s))/,
  ),
  row('go', /^\?\s+\S+\s+(?<none>\[no test files\])/),
  row('go', /^--- (?:(?<onePassed>PASS)|(?<oneFailed>FAIL)|(?<oneSkipped>SKIP)): /),
  row('go', /^\s+--- (?:(?<onePassed>PASS)|(?<oneFailed>FAIL)|(?<oneSkipped>SKIP)): /, { unit: 'nested' }),
  row(
    'go',
    /^\{"Time":"[^"]*","Action":"(?:(?<onePassed>pass)|(?<oneFailed>fail)|(?<oneSkipped>skip))","Package":"[^"]*","Test":"[^"/]+"/,
  ),
  row(
    'go',
    /^\{"Time":"[^"]*","Action":"(?:(?<onePassed>pass)|(?<oneFailed>fail)|(?<oneSkipped>skip))","Package":"[^"]*","Test":"[^"/]+\//,
    { unit: 'nested' },
  ),
  row('go', /^\{"Time":"[^"]*","Action":"(?:(?<ok>pass)|(?<bad>fail)|(?<none>skip))","Package":"[^"]*","Elapsed"/),
  row('gotestsum', /^DONE (?<total>\d+) tests?(?:, (?<skipped>\d+) skipped)?(?:, (?<failed>\d+) failures?)? in /, {
    covers: ['go'],
  }),
  row('phpunit', /^OK \((?<total>\d+) tests?, \d+ assertions?\)/),
  row('phpunit', /^Tests: (?<total>\d+), (?=Assertions: \d+)/, names),
  row('phpunit', /^(?:(?<ok>OK, but )|(?<none>No tests executed!))/),
  row(
    'deno',
    /^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \([^)]*\))? \| (?<failed>\d+) failed(?: \([^)]*\))?(?: \| (?<skipped>\d+) ignored)?/,
  ),
  row('deno', /^error: (?<none>No test modules found)/),
  row('bun', /^\s*(?=\d+ (?:pass|fail|skip|todo)$)/, numbers),
  row(
    'karma',
    /(?:^|: )Executed (?:\d+) of (?<total>\d+)(?: \((?<failed>\d+) FAILED\))?(?: \(skipped (?<skipped>\d+)\))?(?: (?<ok>SUCCESS))?(?: \(|$)/,
    { combine: 'last' },
  ),
  row('karma', /^TOTAL: (?:(?<failed>\d+) FAILED, )?(?<passed>\d+) SUCCESS/, { combine: 'last' }),
  row('jasmine', /^(?<total>\d+) specs?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) pending specs?)?/),
  row('jasmine', /^Incomplete: (?<none>No specs found)/),
  row(
    'sbt',
    /^(?:Passed|Failed|Error): Total (?<total>\d+), Failed (?<failed>\d+), Errors (?<errors>\d+), Passed (?<passed>\d+)/,
    {
      covers: ['scalatest'],
    },
  ),
  row('scalatest', /^Tests: (?=succeeded \d+, failed \d+)/, names),
  row('scalatest', /^(?<none>No tests were executed)/),
  row(
    'dart',
    /^\d+:\d\d \+(?<passed>\d+)(?: ~(?<skipped>\d+))?(?: -(?<failed>\d+))?: (?:(?<ok>All tests passed!)|(?<bad>Some tests failed\.)|(?<none>No tests ran))/,
    { combine: 'last' },
  ),
  row('dart', /^(?<none>No tests (?:ran|match|were found))/),
  row('zig', /^All (?<passed>\d+) tests passed\b/),
  row('zig', /^(?<passed>\d+) passed; (?<skipped>\d+) skipped; (?<failed>\d+) failed/),
  row(
    'zig',
    /^Build Summary: .*?; (?<passed>\d+)\/(?<total>\d+) tests passed(?:; (?<skipped>\d+) skipped)?(?:; (?<failed>\d+) failed)?/,
  ),
  row('tasty', /^(?<failed>\d+) out of (?<total>\d+) tests failed/),
  row(
    'bazel',
    /^Executed \d+ out of \d+ tests?: (?:(?<passed>\d+) tests? pass(?:es)?)?(?: and | )?(?:(?<failed>\d+) fails?\b)?.*\.$/,
  ),
  row('catch2', /^All tests passed \(\d+ assertions? in (?<passed>\d+) test cases?\)/),
  row('catch2', /^test cases:\s+(?<total>\d+) \|\s+(?<passed>\d+) passed(?: \|\s+(?<failed>\d+) failed)?/),
  row('googletest', /^\[ {2}PASSED {2}\] (?<passed>\d+) tests?/),
  row('googletest', /^\[ {2}FAILED {2}\] (?<failed>\d+) tests?, listed below/),
  row(
    'robot',
    /^(?<total>\d+) (?:critical )?tests?(?: total)?, (?<passed>\d+) passed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?$/,
    {
      combine: 'last',
    },
  ),
  row(
    'behave',
    /^(?<passed>\d+) scenarios? passed, (?<failed>\d+) failed(?:, \d+ error)?(?:, (?<skipped>\d+) skipped)?/,
  ),
  row('cucumber', /^(?<total>\d+) scenarios? \((?=\d)/, numbers),
  row('tox', /^\s*(?:(?<ok>congratulations :\))|(?<bad>evaluation failed :\())/),
  row('pester', /^Tests Passed: (?<passed>\d+), Failed: (?<failed>\d+), Skipped: (?<skipped>\d+)/),
  row(
    'foundry',
    /^Suite result: (?:ok|FAILED)\. (?<passed>\d+) passed; (?<failed>\d+) failed; (?<skipped>\d+) skipped/,
  ),
  row('testthat', /^\[ FAIL (?<failed>\d+) \| WARN \d+ \| SKIP (?<skipped>\d+) \| PASS (?<passed>\d+) \]/, {
    combine: 'last',
  }),
  row('clojure', /^Ran (?<total>\d+) tests containing \d+ assertions/),
  row('clojure', /^(?<failed>\d+) failures, (?<errors>\d+) errors\.$/),
  row('alcotest', /^Test Successful in [\d.]+s\. (?<passed>\d+) tests? run\./),
  row('meson', /^(?:Ok:\s+(?<passed>\d+)|Fail:\s+(?<failed>\d+)|Skipped:\s+(?<skipped>\d+))\s*$/),
  row('uvu', /^\s{2}(?=(?:Total|Passed|Skipped):\s+\d+$)/, names),
  row('turbo', /^\s*Tasks:\s+(?=\d+ successful)/, { ...numbers, unit: 'suites' }),
  row('turbo', /^\s*Failed:\s+(?<bad>\S+#\S+)/),
  row('nx', /(?:(?<ok>Successfully ran targets? )\S+ for|✖ {1,3}\d+\/\d+ (?<bad>failed))/),
  row(
    'plain',
    /^(?:[\p{L}\d]+[.:] |\W{1,3})?(?:all )?(?<passed>\d+) (?:tests? )?passed[,;]? (?:and )?(?:(?<failed>\d+) failed|(?<total>\d+) total)\b/iu,
  ),
  row(
    'plain',
    /^(?:[\p{L}\d]+[.:] |\W{1,3})?(?<failed>\d+) (?:tests? )?failed[,;]? (?:and )?(?<passed>\d+) passed\b/iu,
  ),
  row('plain', /^(?:[\p{L}\d]+[.:] |\W{1,3})?(?:all )?(?<passed>\d+)(?:\/(?<total>\d+))? (?:tests? )?passed\W*$/iu),
];

const build: readonly SummaryLine[] = [
  row('gradle', /^BUILD (?:(?<ok>SUCCESSFUL) in|(?<bad>FAILED) in)/),
  row('maven', /^BUILD (?:(?<ok>SUCCESS)|(?<bad>FAILURE))$/),
  row('webpack', /^webpack [\d.]* ?compiled (?:(?<ok>successfully|with \d+ warnings?)|with (?<bad>\d+ errors?))/),
  row('vite', /^(?:✓ (?<ok>built) in [\d.]+|(?<bad>error during build:|✗ Build failed|x Build failed))/),
  row('esbuild', /^(?:✘ \[(?<bad>ERROR)\]|⚡ (?<ok>Done) in \d+m?s)/),
  row('next', /^\s*(?:✓ (?<ok>Compiled successfully)|(?<bad>Failed to compile\.))/),
  row('rollup', /^(?:created (?<ok>\S+) in [\d.]+|\[!\] \(?(?<bad>\S+))/),
  row('parcel', /^(?:✨ (?<ok>Built) in|🚨 (?<bad>Build failed))/u),
  row('tsup', /^(?:\S+ )?(?:⚡️ Build (?<ok>success) in|Build (?<bad>failed))/u),
  row('angular', /^(?:✔ Browser a|A)pplication bundle generation (?:(?<ok>complete)|(?<bad>failed))/),
  row('cargo', /^\s*(?:(?<ok>Finished) `?\w+`?(?: profile)? |error: (?<bad>could not compile))/),
  row('dotnet', /^Build (?:(?<ok>succeeded)|(?<bad>FAILED))\b/),
  row('swift', /^(?:Build (?<ok>complete)!|error: (?<bad>fatalError))/),
  row('xcodebuild', /^\*\* BUILD (?:(?<ok>SUCCEEDED)|(?<bad>FAILED)) \*\*/),
  row('bazel', /^(?:INFO: Build (?<ok>completed successfully)|(?:FAILED|ERROR): Build did (?<bad>NOT complete))/),
  row('make', /^g?make(?:\[\d+\])?: \*\*\* .*(?<bad>Error \d+|No rule to make target)/),
  row('ninja', /^ninja: (?:build stopped|error): (?<bad>.+)/),
  row(
    'docker',
    /^(?:ERROR: (?<bad>failed to solve)|(?<ok>(?:#\d+ )?naming to \S+ done|Successfully (?:built|tagged) ))/,
  ),
  row('compiler', /^[^\s:]+(?::\d+:\d+|\(\d+,\d+\)): (?:fatal )?(?<bad>error)\b/),
  row('tsc', /^Found (?<bad>[1-9]\d*) errors?\b/),
  row('turbo', /^\s*(?:Tasks:\s+(?:(?<passed>\d+) successful, (?<total>\d+) total)|Failed:\s+(?<bad>\S+#\S+))/),
  row('nx', /(?:(?<ok>Successfully ran targets? )\S+ for|✖ {1,3}\d+\/\d+ (?<bad>failed))/),
  row('flutter', /^(?:✓|√) (?<ok>Built) /),
  row('npm', /^npm (?:ERR!|error) (?<bad>code ELIFECYCLE|Lifecycle script `\w*build\w*` failed)/),
];

/** The runner is the tool's name as claims use it. */
const check: readonly SummaryLine[] = [
  row('eslint', /^✖ \d+ problems? \((?<failed>\d+) errors?, /),
  row('eslint', /^(?<none>No files matching the pattern)/),
  row('stylelint', /^✖ (?<failed>\d+) problems? \((?<errors>\d+) errors?/),
  row('tsc', /^[^\s(:]+(?:\(\d+,\d+\):|:\d+:\d+ -) (?<bad>error) TS\d+/),
  row('tsc', /^(?:Found (?<failed>\d+) errors?\b(?!.* checked)(?:\.| in |$)|(?<bad>error) TS\d+:)/),
  row(
    'prettier',
    /^(?:(?<ok>All matched files use Prettier code style!)|\[?(?:warn|error)?\]?\s?(?<bad>Code style issues (?:found|were found)))/,
  ),
  row('biome', /^Checked \d+ files? in \S+\. (?<ok>No fixes applied|Fixed \d+)/),
  row('biome', /^Found (?<failed>\d+) errors?\.$/),
  row(
    'ruff',
    /^(?:(?<ok>All checks passed!|\d+ files? already formatted)|Found (?<failed>\d+) errors?(?:\.| \()|(?<bad>Would reformat: .+|\d+ files? would be reformatted))/,
  ),
  row('mypy', /^(?:Success: (?<ok>no issues found)|Found (?<failed>\d+) errors? in \d+ files?)/),
  row('pyright', /^(?<failed>\d+) errors?, \d+ warnings?, \d+ (?:informations?|notes?)/),
  row('black', /^(?:(?<ok>All done! .*✨|\d+ files? would be left unchanged)|(?<bad>Oh no! .+|would reformat ))/u),
  row('pylint', /^Your code has been rated at (?:(?<ok>10\.00)|(?<bad>-?\d+\.\d+))\/10/),
  row('flake8', /^[^\s:]+\.py:\d+:\d+: (?<bad>[EWFCN]\d+) /),
  row('rubocop', /^\d+ files? inspected, (?:(?<ok>no offenses) detected|(?<failed>\d+) offenses? detected)/),
  row('golangci-lint', /^(?<failed>\d+) issues?[.:]/),
  row('go vet', /^(?:vet: |# \S+$)(?<bad>.*)/),
  row('clippy', /^(?:error: (?<bad>could not compile)|\s*(?<ok>Finished) `?\w+`?(?: profile)? )/),
  row('oxlint', /^Found \d+ warnings? and (?<failed>\d+) errors?\./),
  row('svelte-check', /^svelte-check found (?<failed>\d+) errors?/),
  row('phpstan', /^\[(?:OK\] (?<ok>No errors)|ERROR\] Found (?<failed>\d+) errors?)/),
  row('psalm', /^(?:(?<ok>No errors found!)|(?<failed>\d+) errors? found)/),
  row('swiftlint', /^Done linting! Found (?<failed>\d+) violations?/),
  row('deno', /^(?:Found (?<failed>\d+) problems?|Checked \d+ files?(?<ok>$))/),
  row('terraform', /^(?<ok>Success! The configuration is valid)/),
  row('credo', /^.*found (?<ok>no issues)\./),
  row('compiler', /^error(?:\[E\d+\])?: (?<bad>.+)/),
  row('turbo', /^\s*Failed:\s+(?<bad>\S+#\S+)/),
];

export const summaryLines: Readonly<Record<ProgramKind, readonly SummaryLine[]>> = { test, build, check };
