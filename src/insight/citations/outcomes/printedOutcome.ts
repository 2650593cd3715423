import type { ProgramKind } from '../commands/programs.ts';
import { textBeforeOmission } from '../sources/resultLines.ts';
import { summaryLines, type SummaryLine } from './runnerTable.ts';

/** Absent: the program did not report it. */
export interface Counts {
  readonly passed?: number;
  readonly failed?: number;
  /** Failures that the program counts separately. */
  readonly errors?: number;
  readonly skipped?: number;
  readonly total?: number;
}

/** What the summaries in an output say about tests, a build or checks. */
export interface PrintedOutcome {
  /** `none`: the program says that nothing was run. */
  readonly result: 'passed' | 'failed' | 'none';
  readonly counts: Counts;
  readonly suites: Counts;
  /** Nested tests, together with their parents. */
  readonly nested: Counts;
  /** Passed tests by package or runner, if there are several. */
  readonly parts: readonly number[];
  readonly runners: readonly string[];
}

/** Characters at the end of an output that are searched. */
const maxRead = 64 * 1024;
const longestLine = 2000;

// Terminal sequences, and text overwritten after a carriage return.
const escapes = new RegExp(`${String.fromCharCode(27)}(?:\\[[0-9;?]*[A-Za-z]|\\(B)`, 'g');
const telling: Readonly<Record<ProgramKind, RegExp>> = {
  test: /pass|fail|\bok\b|success|test|example|spec|scenario|\brun\b|executed|error|total|result|tasks|done|congrat|\bpass:|skip|select/i,
  build: /build|built|error|compil|success|fail|finished|done|created|✓|naming|generation|tasks|\*\*\*|no rule|\[!\]/i,
  check:
    /problem|error|warning|issue|pass|success|found|style|reformat|formatted|unchanged|rated|offens|clean|checked|would|✖|: [EWFCN]\d|vet:|^#|finished|failed/im,
};
/** Prefixes of tools that run several programs; the first group identifies the program. */
const prefix =
  /^(?:\s*(\[?[@\w][\w@./:-]{0,80}\]?(?: (?:test|build|lint|check|typecheck)(?::\S{1,40})?)?)\s{0,8}(?::|\|)\s?|\[(?:INFO|ERROR|WARNING|WARN|info|error|warn|doctest|\w{1,20})\]\s{1,4}|\d{4}-\d\d-\d\dT\S{1,30}\s)/;
const level = /^\[?(?:info|error|warning|warn|doctest|\d+-\d\d.*)\b/i;

/** `undefined` if no known program reports an outcome. Linear in the output. */
export function printedOutcome(
  kind: ProgramKind,
  output: string,
  isMeant: (runner: string) => boolean = () => true,
): PrintedOutcome | undefined {
  const tally = new Tally();
  const rows = summaryLines[kind].filter(({ runner }) => isMeant(runner));
  for (const shown of output
    .slice(-maxRead)
    .replace(escapes, '')
    .split(/\r?\n|\r/)) {
    if (shown.length > longestLine || !telling[kind].test(shown)) continue;
    let line = shown.trimEnd();
    let origin = '';
    // At most two prefixes: a package name and a log level.
    for (let depth = 0; depth < 3 && !tally.addLine(rows, line, origin); depth += 1) {
      const [lead = '', name = ''] = prefix.exec(line) ?? [];
      if (lead === '') break;
      if (!level.test(name)) origin += name;
      line = line.slice(lead.length);
    }
  }
  return tally.outcome();
}

/** Whether lines were omitted by the author of the record. */
export function isCut(output: string): boolean {
  return output.includes('runcated') || output.includes('omitted') ? textBeforeOmission(output).cut : false;
}

type Field = 'passed' | 'failed' | 'errors' | 'skipped' | 'total';
interface Group {
  readonly row: SummaryLine;
  readonly fields: Map<Field, number>;
}

/** Summary lines of one output, added up by package, runner and unit. */
class Tally {
  readonly #groups = new Map<string, Group>();
  readonly #foundWords = { ok: false, bad: false, none: false };

  /** Whether the line is a summary. */
  addLine(rows: readonly SummaryLine[], line: string, origin: string): boolean {
    let taken = false;
    for (const row of rows) {
      const found = row.line.exec(line);
      if (found === null) continue;
      taken = true;
      const { ok, bad, none } = found.groups ?? {};
      if (ok !== undefined) this.#foundWords.ok = true;
      if (bad !== undefined) this.#foundWords.bad = true;
      if (none !== undefined) this.#foundWords.none = true;
      this.#add(row, origin, fieldsOf(row, found, line));
      if (row.isFallback !== true) break;
    }
    return taken;
  }

  #add(row: SummaryLine, origin: string, fields: ReadonlyMap<Field, number>): void {
    const key = [origin, row.runner, row.unit ?? 'tests', row.isFallback === true ? 'detail' : ''].join('\n');
    const group = this.#groups.get(key) ?? { row, fields: new Map<Field, number>() };
    this.#groups.set(key, group);
    for (const [field, value] of fields) {
      const known = group.fields.get(field);
      const combined =
        row.combine === 'max' ? Math.max(known ?? 0, value) : row.combine === 'last' ? value : (known ?? 0) + value;
      group.fields.set(field, combined);
    }
  }

  outcome(): PrintedOutcome | undefined {
    if (this.#groups.size === 0) return undefined;
    const groups = this.#countedGroups();
    const tests = groups.filter(({ row: { unit } }) => unit === undefined).map(countsOf);
    const suites = groups.filter(({ row: { unit } }) => unit === 'suites').map(countsOf);
    const nested = groups.filter(({ row: { unit } }) => unit === 'nested').map(countsOf);
    const all = [...tests, ...suites, ...nested];
    const { ok, bad, none } = this.#foundWords;
    const failed = bad || all.some((counts) => (counts.failed ?? 0) > 0);
    const passed =
      tests.some((test) => (test.passed ?? 0) > 0) ||
      (tests.every((test) => test.total === undefined && test.passed === undefined) &&
        (ok || (!none && all.some((counts) => counts.failed === 0 || (counts.passed ?? 0) > 0))));
    const said =
      none ||
      all.some((counts) => counts.total !== undefined || counts.passed !== undefined || counts.skipped !== undefined);
    if (!failed && !passed && !said) return undefined;
    return {
      result: failed ? 'failed' : passed ? 'passed' : 'none',
      counts: sumOf(tests),
      suites: sumOf(suites),
      nested: nested.length === 0 ? {} : sumOf([...tests, ...nested]),
      parts: tests.length > 1 ? tests.flatMap((test) => test.passed ?? []) : [],
      runners: [...new Set(groups.map(({ row: { runner } }) => runner))],
    };
  }

  /** Groups without summaries that repeat others. */
  #countedGroups(): Group[] {
    const groups = [...this.#groups.values()];
    const coveredRunners = new Set(groups.flatMap(({ row: { covers } }) => covers ?? []));
    return groups.filter(({ row }) => {
      if (coveredRunners.has(row.runner)) return false;
      return (
        row.isFallback !== true ||
        !groups.some((other) => other.row.runner === row.runner && other.row.isFallback !== true)
      );
    });
  }
}

const wordsOf: Readonly<Record<Exclude<Field, 'errors'>, string>> = {
  passed: 'passed,passing,pass,succeeded,success,successful',
  failed:
    'failed,failing,fail,failure,failures,error,errors,cancelled,interrupted,exceptions,exception,undefined,ambiguous',
  skipped: 'skipped,skip,pending,ignored,todo,incomplete,canceled,deselected',
  total: 'total,tests',
};
const fieldNames = new Map<string, Field>(
  (['passed', 'failed', 'skipped', 'total'] as const).flatMap((field) =>
    wordsOf[field].split(',').map((word): [string, Field] => [word, field]),
  ),
);
const numberFirst = /(\d{1,7}) (?:tests? |subtests )?(?:uncaught )?([a-z]+)/gi;
const nameFirst = /([a-z]+)\s?[:=]?\s*(\d{1,7})/gi;

function fieldsOf(row: SummaryLine, { groups = {} }: RegExpExecArray, line: string): ReadonlyMap<Field, number> {
  const fields = new Map<Field, number>();
  const add = (field: Field, value: number): void => void fields.set(field, (fields.get(field) ?? 0) + value);
  const groupFields: readonly (readonly [string, Field])[] = [
    ['passed', 'passed'],
    ['failed', 'failed'],
    ['errors', 'failed'],
    ['skipped', 'skipped'],
    ['total', 'total'],
    ['doctests', 'total'],
  ];
  for (const [name, field] of groupFields) if (groups[name] !== undefined) add(field, Number(groups[name]));
  if (groups['errors'] !== undefined) add('errors', Number(groups['errors']));
  if (groups['onePassed'] !== undefined) add('passed', 1);
  if (groups['oneFailed'] !== undefined) add('failed', 1);
  if (groups['oneSkipped'] !== undefined) add('skipped', 1);
  if (row.words === undefined) return fields;
  const isNumberFirst = row.words === 'number first';
  for (const found of line.matchAll(isNumberFirst ? numberFirst : nameFirst)) {
    const [number = '', word = ''] = isNumberFirst ? found.slice(1) : found.slice(1).reverse();
    const field = fieldNames.get(word.toLowerCase());
    if (field !== undefined && !(field === 'total' && fields.has('total'))) add(field, Number(number));
    if (/^errors?$/i.test(word)) add('errors', Number(number));
  }
  return fields;
}

/** Derives missing numbers from the others. */
function countsOf({ fields }: Group): Counts {
  const [errors, skipped] = [fields.get('errors'), fields.get('skipped')];
  let failed = fields.get('failed');
  let [passed, total] = [fields.get('passed'), fields.get('total')];
  if (passed === undefined && total !== undefined) passed = Math.max(0, total - (failed ?? 0) - (skipped ?? 0));
  else if (total === undefined && passed !== undefined) total = passed + (failed ?? 0) + (skipped ?? 0);
  else if (failed === undefined && total !== undefined && passed !== undefined && skipped !== undefined)
    failed = Math.max(0, total - passed - skipped);
  return {
    ...(passed !== undefined && { passed }),
    ...(failed !== undefined && { failed }),
    ...(errors !== undefined && { errors }),
    ...(skipped !== undefined && { skipped }),
    ...(total !== undefined && { total }),
  };
}

function sumOf(all: readonly Counts[]): Counts {
  const sum: { -readonly [K in keyof Counts]: Counts[K] } = {};
  for (const counts of all) {
    for (const field of ['passed', 'failed', 'errors', 'skipped', 'total'] as const) {
      const value = counts[field];
      if (value !== undefined) sum[field] = (sum[field] ?? 0) + value;
    }
  }
  return sum;
}
