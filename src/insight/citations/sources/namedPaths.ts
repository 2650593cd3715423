import { baseName, namedPath } from './pathNames.ts';

/** A file that the output of a command or a search names. */
export interface NamedInOutput {
  readonly path: string;
  /** 1-based; empty where only the file is named. */
  readonly lines: readonly number[];
}

/** Of one output; what comes after is not looked at. */
const longest = 32 * 1024;
const maxPaths = 300;
const maxLines = 200;

const word = /(?:[\p{L}\p{N}\p{M}_@.+\-/\\~$:#%=]|(?<=\/)\[{1,2}[\w.-]{1,60}\]{1,2}(?=\/))+(?:\(\d{1,7}(?=[,)]))?/gu;

export function pathsIn(output: string): NamedInOutput[] {
  const found = new Map<string, Set<number>>();
  for (const [shown] of output.slice(0, longest).matchAll(word)) {
    if (!shown.includes('.') && !shown.includes('/')) continue;
    // `a.ts(3,5)` as compilers write it, `a.py:3:` and `a.ts:3:text` as searches do.
    const plain = shown.replace(/\((\d+)$/, ':$1').replace(/[.:=%~-]+$/, '');
    const cut = /^((?:[A-Za-z]:)?[^:]+:\d{1,7}):/.exec(plain)?.[1] ?? plain;
    const named = namedPath(cut) ?? namedPath(/^((?:[A-Za-z]:)?[^:]+):/.exec(plain)?.[1] ?? '');
    if (named === undefined) continue;
    const lines = found.get(named.path) ?? new Set<number>();
    if (named.lines !== undefined && lines.size < maxLines) lines.add(named.lines[0]);
    found.set(named.path, lines);
    if (found.size >= maxPaths) break;
  }
  return [...found].map(([path, lines]) => ({ path, lines: [...lines] }));
}

/** The files that a command line names as arguments. */
export function pathsInCommand(command: string): string[] {
  const words = command.split(/[\s'"`=(){}<>|;&,]+/).slice(0, 500);
  return words.flatMap((each) => {
    const named = namedPath(each);
    return named === undefined || baseName(named.path) === '' ? [] : [named.path];
  });
}

/** What a run of tests printed of how many passed and failed; the last word counts. */
export interface TestCounts {
  readonly passed: number | undefined;
  readonly failed: number | undefined;
}

const tail = 8 * 1024;
/** How lines begin by which runners of tests sum up. */
const summary = new RegExp(
  String.raw`^(?:[^\p{L}\d]|ℹ){0,200}(?:\[\w{1,20}\]\s{1,4}|[\w@.:/-]{1,60}(?: [\w-]{1,20})?\s{0,8}[:|]\s{1,4}|\d{4}-\d\d-\d\dT\S{1,30} |\w{1,20} [\d.]{1,20} \([^()\n]{1,40}\): ){0,2}(?:[^\p{L}\d]|ℹ){0,8}(?:` +
    [
      String.raw`(?:all )?tests?\b|test (?:result|suites?|files?)|suites?\b|specs?\b|assertions?\b|ran \d|executed \d|finished\b|done\b|total:? |results?:|summary\b|ok\b`,
      String.raw`(?:failed|passed)\b|fail(?:ures?|ing)?:? \d|pass:? \d|\d{1,3}% tests`,
      String.raw`\d{1,7} (?:tests? |specs? |assertions? )?(?:pass|fail|ok\b|succeeded|error|completed)|\d{1,7} (?:examples?|doctests?|tests?|runs?|skipped|xfailed|deselected|warnings?|of \d+),? `,
    ].join('|') +
    ')',
  'iu',
);
// Escape sequences of a terminal's colours.
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

export function testCounts(output: string): TestCounts {
  const lines = output.slice(-tail).replace(colours, '').split('\n');
  // What a test failed with may count things of its own.
  const shown = lines.filter((line) => summary.test(line)).join('\n');
  const last = (pattern: RegExp): number | undefined => {
    let value: number | undefined;
    for (const found of shown.matchAll(pattern)) value = Number(found[1] ?? found[2]);
    return value;
  };
  return {
    passed: last(
      /(?<![\w.])(\d{1,7}) (?:tests? |specs? |assertions? )?(?:pass(?:ed|ing)?|ok|succeeded|success)\b|\bpass(?:ed)?(?:[:=][ \t]*|[ \t]+)(\d{1,7})\b/gi,
    ),
    failed: last(
      /(?<![\w.])(\d{1,7}) (?:tests? |specs? )?(?:fail(?:ed|ing|ures?)?|errors?)\b|\bfail(?:ed|ures?)?(?:[:=][ \t]*|[ \t]+)(\d{1,7})\b/gi,
    ),
  };
}
