import { secretRules, type SecretRule, type Stretch } from './rules.ts';

/** A secret in a text. */
export interface Finding extends Stretch {
  readonly rule: string;
}

/** Every secret in a text, in order, none overlapping another. Takes time in proportion to the text. */
export function findSecrets(text: string): Finding[] {
  const lower = text.toLowerCase();
  const found = secretRules.flatMap((rule, rank) => {
    const where = rule.ignoreCase === true ? lower : text;
    if (!rule.hints.some((hint) => where.includes(hint))) return [];
    return [...stretches(rule, text)].map((stretch) => ({ ...stretch, rule: rule.id, rank }));
  });
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
    // Two rules saw parts of one secret: all of it goes, under the more exact name.
    findings[findings.length - 1] = {
      start: last.start,
      end: Math.max(last.end, next.end),
      rule: rank < best ? next.rule : last.rule,
    };
    best = Math.min(best, rank);
  }
  return findings;
}

function* stretches({ pattern, accept, find }: SecretRule, text: string): Generator<Stretch> {
  if (find !== undefined) yield* find(text);
  if (pattern === undefined) return;
  for (const match of text.matchAll(pattern)) {
    const before = match.groups?.['before']?.length ?? 0;
    if (accept?.(match[0].slice(before)) === false) continue;
    yield { start: match.index + before, end: match.index + match[0].length };
  }
}
