import { outcomeAfter } from './outcomeAfter.ts';
import { numberPattern, numbers, patterns } from './outcomePatterns.ts';
import { programKind } from '../commands/programs.ts';
import type { ClaimKind } from '../types.ts';

/** How tests, a build or a check went, according to a sentence. Offsets are into that sentence. */
export interface OutcomeClaim {
  readonly start: number;
  readonly end: number;
  readonly kind: Extract<ClaimKind, 'test' | 'build' | 'check'>;
  /** Absent if a part is said to have passed: that says nothing about the others. */
  readonly outcome?: 'passed' | 'failed';
  readonly count?: number;
  readonly failures?: number;
  /** Number of all tests, if a part of them is said to have passed or failed. */
  readonly total?: number;
  readonly tool?: string;
  /** The command in the words: `cargo test` passes. */
  readonly command?: string;
}

/** Other positions in the sentence that the words cover. */
type IsCovered = (start: number, end: number) => boolean;

/** Linear for sentences of bounded length. */
export function outcomeClaims(sentence: string, taken: IsCovered = () => false): OutcomeClaim[] {
  const kinds = new Set(
    (['test', 'build', 'check'] as const).filter((kind) => topics[kind].test(sentence) && results.test(sentence)),
  );
  if (kinds.size === 0) return [];
  const claims = commandClaims(sentence).filter(({ start, end }) => !taken(start, end));
  for (const { kind, pattern, hint } of patterns) {
    if (!kinds.has(kind) || hint?.test(sentence) === false) continue;
    for (const found of sentence.matchAll(pattern)) {
      const lead = found[0].length - found[0].trimStart().length;
      const start = found.index + lead;
      const end = found.index + found[0].trimEnd().length;
      if (claims.some((other) => start < other.end && end > other.start)) continue;
      if (taken(start, end) || endsWithQuestionMark.test(sentence.slice(end))) continue;
      const { tool } = found.groups ?? {};
      claims.push({
        start,
        end,
        kind,
        ...createOutcomeClaim(kind, sentence.slice(0, start), found),
        ...(tool !== undefined && { tool: tool.toLowerCase() }),
      });
    }
  }
  return claims;
}

/** Claim from the words of a pattern and those before them. */
function createOutcomeClaim(
  kind: OutcomeClaim['kind'],
  before: string,
  { 0: all, groups = {} }: RegExpMatchArray,
): Pick<OutcomeClaim, 'outcome' | 'count' | 'failures' | 'total'> {
  const { n, none, also, failures = countOf(also ?? '')?.toString(), passes } = groups;
  const fail = groups['fail'] ?? groups['not'] ?? groups['broken'];
  if (none !== undefined) return { outcome: 'passed' };
  const shown = n ?? all;
  const isNoTest = kind === 'test' && isNegated(before, shown);
  const number = isNoTest || kind !== 'test' ? undefined : countOf(shown);
  const outcome = Number(failures ?? 0) > 0 || (fail === undefined) === isNoTest ? 'failed' : 'passed';
  // "2 of 12 tests failed" includes those; "12 tests, 2 failures" and "10 passed, 2 failed" do not.
  const failed = failures === undefined ? (outcome === 'failed' ? number : undefined) : Number(failures);
  const others = passes === undefined ? undefined : countOf(passes);
  const count = outcome === 'failed' && failures === undefined ? others : number;
  const total = kind === 'test' ? totalOf(shown) : undefined;
  return {
    ...(!(outcome === 'passed' && isPart(shown)) && { outcome }),
    ...(count !== undefined && { count }),
    ...(failed !== undefined && kind === 'test' && { failures: failed }),
    ...(total !== undefined && { total }),
  };
}

const runner =
  /(?<![\p{L}\d./-])(?:(?:npm|pnpm|yarn|bun)(?:\srun)?\s[a-z](?:[\w:.-]{0,40}\w)?|(?:cargo|go|dotnet|deno|swift|mix|mvn|gradle|make|just|bazel|rails)\s(?:test|build|check|clippy|fmt|vet|lint|verify)(?![\w-])|npx\s[\w@./-]{1,40})(?:\s(?:--?[\w=-]{1,40}|\.\/\.\.\.)){0,4}/giu;

/** Commands in prose and their outcomes. The words of a claim must not be taken for another command. */
function commandClaims(sentence: string): OutcomeClaim[] {
  return Array.from(sentence.matchAll(runner)).flatMap(({ 0: shown, index: start }) => {
    const command = shown.charAt(0).toLowerCase() + shown.slice(1).replace(/\s+/g, ' ');
    const kind = programKind(command);
    const reported = kind === undefined ? undefined : outcomeAfter(sentence.slice(start + shown.length));
    if (kind === undefined || reported === undefined) return [];
    const { outcome, count, failures, length } = reported;
    const end = start + shown.length + length;
    if (endsWithQuestionMark.test(sentence.slice(end))) return [];
    return [
      {
        start,
        end,
        kind,
        command,
        ...(outcome !== undefined && { outcome }),
        ...(kind === 'test' && count !== undefined && { count }),
        ...(kind === 'test' && failures !== undefined && { failures }),
      },
    ];
  });
}

/** The words after a claim make it a question; after a comma, another thought begins. */
const endsWithQuestionMark = /^[^,;:–—]{0,200}[?？]/;

/** "No tests failed", "0 tests failed". */
function isNegated(before: string, content: string): boolean {
  return (
    /(?<!\p{L})(?:no|zero|none of(?: the)?|not (?:a single|one)|kein[e]?|aucun(?:e)?|ning[uú]na?|nenhuma?|nessuna?)\s(?:(?:unit|integration|regression|e2e|existing|new|other|remaining)\s)?$/iu.test(
      before,
    ) || /^(?:no|zero|0)(?![\d.,]|\p{L})/iu.test(content)
  );
}

const share = /(?<![\d.,])(\d{1,6})\s?(?:of|out of|von|sur|de|\/)\s?(?:the\s|all\s)?(\d{1,6})(?!\d)/iu;

/** "39 of 42 tests passed". */
function isPart(content: string): boolean {
  const [, some = '', all = ''] = share.exec(content) ?? [];
  return some !== '' && Number(some) < Number(all);
}

function totalOf(content: string): number | undefined {
  const all = share.exec(content)?.[2];
  return all === undefined ? undefined : Number(all);
}

/** A sentence without these words says nothing about this kind. */
const topics: Readonly<Record<OutcomeClaim['kind'], RegExp>> = {
  test: /test|spec|suite|example|scenario|jest|mocha|passed|everything|\ball\b|prueba|тест|测试|テスト|테스트/iu,
  build: /build|[ck]ompil|projekt|构建|编译|打包|ビルド|コンパイル/iu,
  check: /lint|typ|tsc|ruff|clippy|mypy|pyright|prettier|format|biome|flake8|vet|rubocop|check/iu,
};

/** A sentence without these words says nothing about an outcome. */
const results =
  /pass|fail|succe|green|\bred\b|broke|break|clean|fine\b|through|complete|finish|ended|executed|builds|compile|work|happy|\bok\b|check|complain|error|issue|problem|warning|\bno\b|zero|without|\b0\b|[✅✔☑✓❌✗]|lauf|läuf|lief|besteh|bestanden|grün|\brot\b|erfolg|schl[aäu]g|fehl|scheiter|kein|sauber|klappt|funktion|baut|kompiliert|bricht|réuss|verts?\b|échou|pasa|pasó|falla|falha|verde|exit|tous|完|通过|成功|失|通過|合格|パス|通り|проход|прошл|пройд|успешн|пада|упали|통과|실패/iu;

const aNumber = new RegExp(String.raw`(?<![\p{L}\d])(?:${numberPattern})(?![\p{L}\d])`, 'iu');

function countOf(words: string): number | undefined {
  const found = (aNumber.exec(words)?.[0] ?? /\d{1,6}/.exec(words)?.[0])?.toLowerCase();
  if (found === undefined) return undefined;
  return numbers.get(found) ?? Number(found.replace(/[.,]/, ''));
}
