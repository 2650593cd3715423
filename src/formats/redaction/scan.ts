import { encodedTexts } from './encoded.ts';
import { unescapeText } from './escapes.ts';
import { joinWrappedLines } from './lines.ts';
import type { SecretRule, TextSpan } from './rules/rule.ts';
import { secretRules } from './rules/rules.ts';

/** A secret in a text. */
export interface Finding extends TextSpan {
  readonly rule: string;
}

/** Result of a rule. If two overlap, the lower rank names both. */
interface RankedFinding extends Finding {
  readonly rank: number;
}

/** Minimum length of name, operator and password together. */
const shortest = 8;
/** Separator of texts that are searched together; never part of a secret. */
const between = '\0';
/** Maximum nesting of encodings; each makes the text a quarter longer. */
const maxDepth = 3;

/**
 * All secrets in a text, in order and without overlaps: in plain text, with escapes decoded, with wrapped lines joined,
 * and encoded up to three times. Takes linear time.
 */
export function findSecrets(text: string): Finding[] {
  const found = [...plainSecrets(text), ...findEncodedSecrets(text)];
  const view = unescapeText(text);
  if (view !== null) {
    for (const hit of [...plainSecrets(view.text), ...findEncodedSecrets(view.text)])
      found.push({ ...hit, ...view.original(hit) });
  }
  const joined = joinWrappedLines(view?.text ?? text);
  if (joined !== null) {
    for (const hit of [...plainSecrets(joined.text), ...findEncodedSecrets(joined.text)]) {
      const stretch = joined.original(hit);
      found.push({ ...hit, ...(view?.original(stretch) ?? stretch) });
    }
  }
  return mergeFindings(found);
}

const ranked = secretRules.map((rule, rank) => ({ rule, rank }));
const ordinary = ranked.filter(({ rule }) => rule.hasRareRequiredWords !== true);
const rareWord = new RegExp(
  secretRules
    .flatMap(({ hasRareRequiredWords, requiredWords }) => (hasRareRequiredWords === true ? requiredWords : []))
    .map((word) => word.replaceAll(/[./]/g, String.raw`\$&`))
    .join('|'),
);

function plainSecrets(text: string): RankedFinding[] {
  const found: RankedFinding[] = [];
  if (text.length < shortest) return found;
  const lower = text.toLowerCase();
  for (const { rule, rank } of rareWord.test(text) ? ranked : ordinary) {
    const where = rule.ignoreCase === true ? lower : text;
    if (!rule.requiredWords.some((word) => where.includes(word))) continue;
    for (const { start, end } of secretSpans(rule, text)) found.push({ start, end, rule: rule.id, rank });
  }
  return found;
}

/** An encoded secret is masked as a whole. */
function findEncodedSecrets(text: string, depth = 1): RankedFinding[] {
  const pieces = encodedTexts(text);
  if (pieces.length === 0) return [];
  const inner = pieces.map((piece) => piece.text).join(between);
  const found = mergeFindings([
    ...plainSecrets(inner),
    ...(depth < maxDepth ? findEncodedSecrets(inner, depth + 1) : []),
  ]);
  const masked: RankedFinding[] = [];
  let [at, from] = [0, 0];
  for (const piece of pieces) {
    const to = from + piece.text.length;
    while ((found[at]?.end ?? Infinity) <= from) at += 1;
    const { start, rule } = found[at] ?? { start: Infinity, rule: '' };
    if (start < to) masked.push({ start: piece.start, end: piece.end, rule, rank: secretRules.length });
    from = to + between.length;
  }
  return masked;
}

function mergeFindings(found: RankedFinding[]): Finding[] {
  found.sort((a, b) => a.start - b.start || a.rank - b.rank);
  const findings: Finding[] = [];
  let best = Infinity;
  for (const { rank, ...next } of found) {
    const last = findings.at(-1);
    if (last === undefined || next.start >= last.end) {
      findings.push(next);
      best = rank;
      continue;
    }
    // Two rules matched parts of one secret: mask all of it, under the more specific name.
    findings[findings.length - 1] = {
      start: last.start,
      end: Math.max(last.end, next.end),
      rule: rank < best ? next.rule : last.rule,
    };
    best = Math.min(best, rank);
  }
  return findings;
}

function* secretSpans({ pattern, accept, find }: SecretRule, text: string): Generator<TextSpan> {
  if (find !== undefined) yield* find(text);
  if (pattern === undefined) return;
  for (const match of text.matchAll(pattern)) {
    const before = match.groups?.['before']?.length ?? 0;
    if (accept?.(match[0].slice(before)) === false) continue;
    yield { start: match.index + before, end: match.index + match[0].length };
  }
}
