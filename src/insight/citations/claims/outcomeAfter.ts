import { failed, noObject, passed, withFlexibleSpaces } from './outcomePatterns.ts';
import type { TextRange } from '../types.ts';

export interface FollowingOutcome {
  /** Absent if only a part is said to have passed. */
  readonly outcome?: 'passed' | 'failed';
  /** Tests that passed. */
  readonly count?: number;
  readonly failures?: number;
  /** Length of the words. */
  readonly length: number;
}

const good = [
  `${passed}${noObject}`,
  'clean(?:ly)?|successfully|fine|completes?|completed|executed successfully',
  'without (?:any )?(?:errors?|warnings?|failures?)|with (?:exit )?(?:code |status )?0',
  String.raw`(?:reports?|reported|shows?|showed|finds?|found|gives?|gave|prints?) (?:no|zero|0) (?:\p{L}+ )?(?:errors?|issues?|problems?|warnings?|changes?|failures?)`,
  'no da errores|läuft (?:fehlerfrei )?durch|(?:lief|läuft) (?:erfolgreich|fehlerfrei)(?: durch)?|wurde erfolgreich ausgeführt|war erfolgreich|réussit|passe',
  String.raw`(?:no|zero|0) (?:\p{L}+ )?(?:errors?|issues?|problems?|warnings?|failures?)`,
  '[✅✔☑✓]',
];
const bad = [
  failed,
  String.raw`(?:reports?|reported|shows?|showed|finds?|found|gives?|gave) (?:\d{1,6}|an?|one|two|three|some|several) (?:\p{L}+ )?(?:errors?|issues?|problems?|warnings?|failures?)`,
  'schlägt fehl|schlug fehl|échoue',
  '[❌✗]',
];
const exit = [
  String.raw`exit(?:s|ed)? (?:with )?(?:an? )?(?:(?:exit )?(?:code|status)(?: of)? )?(?<code>\d{1,3})(?!\d)`,
  String.raw`(?:ends?|ended|finish(?:es|ed)|returns?|returned|fail(?:s|ed)|complete[sd]) (?:with )?(?:an? )?(?:exit )?(?:code|status)(?: of)? (?<status>\d{1,3})`,
].join('|');
const counted = String.raw`(?:(?:reports?|reported|shows?|showed|gives?|gave|prints?|printed) )?(?:(?<n>\d{1,6})(?: ?/ ?(?<all>\d{1,6}))? (?:passed|passing|pass|ok)(?:,? (?:and )?(?<failures>\d{1,6}) fail\p{L}*)?|(?<fails>\d{1,6}) (?:failed|failing|failures?))`;

/** The result that the words right after a command report. */
const after = new RegExp(
  withFlexibleSpaces(
    String.raw`^[\s)»”"'*:,–—→=>(-]{0,6}(?:[✅✔☑✓❌✗]\ufe0f? ?)?(?:${counted}|${exit}|(?:(?:now|still|also|again|then|all|both|each|runs?|ran|exits?|comes back|is|was|are|were) ){0,3}(?:(?<pass>${good.join('|')})|(?<fail>${bad.join('|')})))(?!\p{L})`,
  ),
  'iu',
);

/** The outcome in the words after a command. */
export function outcomeAfter(text: string): FollowingOutcome | undefined {
  const found = after.exec(text);
  if (found === null) return undefined;
  const { n, all, failures, fails, code, status, fail } = found.groups ?? {};
  const length = found[0].length;
  const isFailed = fail !== undefined || [failures, fails, code, status].some((number) => Number(number ?? 0) > 0);
  if (!isFailed && all !== undefined && Number(n) < Number(all)) return { count: Number(n), length };
  const failed = failures ?? fails;
  return {
    outcome: isFailed ? 'failed' : 'passed',
    ...(n !== undefined && { count: Number(n) }),
    ...(failed !== undefined && { failures: Number(failed) }),
    length,
  };
}

/** Characters after a command in which its outcome is searched. */
const near = 80;
const between = /^(?:\s{0,3}(?:,|\/|\+|&|and|und|et|y|e)){1,2}\s{0,3}$/i;
/** Words about several commands. */
const totalPhrase =
  /^[\s)»”"'*:,–—-]{0,4}(?:both|all|each|are|were|pass|succeed|passed|succeeded|ran|run|clean|green)\b/i;

/**
 * The outcome of each command in a text, in order. The outcome of the last one in a list, as in "`a`, `b` and `c` all pass",
 * applies to all of them.
 */
export function sharedOutcome(
  commands: readonly { readonly range: TextRange }[],
  unmarkedText: string,
): (FollowingOutcome | undefined)[] {
  const reported: (FollowingOutcome | undefined)[] = commands.map(() => undefined);
  let shared = false;
  for (let at = commands.length - 1; at >= 0; at -= 1) {
    const end = commands[at]?.range[1] ?? 0;
    const own = outcomeAfter(unmarkedText.slice(end, end + near));
    const next = commands[at + 1]?.range[0] ?? Infinity;
    const { outcome } = reported[at + 1] ?? {};
    if (
      own === undefined &&
      outcome !== undefined &&
      shared &&
      next - end <= 12 &&
      between.test(unmarkedText.slice(end, next))
    )
      reported[at] = { outcome, length: 0 };
    else {
      reported[at] = own;
      shared = own?.count === undefined && totalPhrase.test(unmarkedText.slice(end, end + near));
    }
  }
  return reported;
}
