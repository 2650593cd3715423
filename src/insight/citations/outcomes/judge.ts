import type { ClaimVerdict, Mention, VerdictReason } from '../types.ts';
import type { Counts } from './printedOutcome.ts';
import type { RunOutcome } from './runOutcome.ts';

/** How a run compares with the scope of a claim. */
export type Relation =
  | 'same'
  /** The run covered more: for the claimed part, it only shows whether all of it passed. */
  | 'wider'
  /** The run was of a part of what is claimed. */
  | 'narrower'
  /** Unknown. */
  | 'uncertain'
  | 'other';

export interface Judgement {
  readonly verdict: ClaimVerdict;
  readonly reason: VerdictReason;
}

const createJudgement = (verdict: ClaimVerdict, reason: VerdictReason): Judgement => ({ verdict, reason });

/** The verdict of a run on a claim, if nothing changed since. */
export function judgeOutcome(mention: Mention, run: RunOutcome, relation: Relation): Judgement {
  if (run.result === 'unknown') return createJudgement('unknown', run.reason ?? 'no_outcome');
  if (relation === 'uncertain' || relation === 'other') return createJudgement('unknown', 'other_scope');
  const numbers = numbersMatch(mention, run);
  if (relation === 'wider') return judgeBroaderRun(mention, run, numbers);
  if (relation === 'narrower') return judgePartialRun(mention, run, numbers);
  if (mention.outcome !== undefined && mention.outcome !== run.result)
    return createJudgement('disagrees', 'other_outcome');
  return judgeByNumbers(mention, numbers);
}

function judgeByNumbers({ outcome, ...mention }: Mention, numbers: NumberMatch): Judgement {
  const isClaim =
    outcome !== undefined || [mention.count, mention.failures, mention.total].some((count) => count !== undefined);
  if (!isClaim) return createJudgement('unknown', 'no_outcome');
  if (numbers === 'yes') return createJudgement('agrees', 'same_outcome');
  return numbers === 'no' ? createJudgement('disagrees', 'other_count') : createJudgement('unknown', 'count_unknown');
}

function judgeBroaderRun(mention: Mention, run: RunOutcome, numbers: NumberMatch): Judgement {
  const { outcome } = mention;
  if (run.result === 'failed') {
    const isCounted = outcome === 'failed' && mention.failures !== undefined && numbers === 'yes';
    return isCounted ? createJudgement('agrees', 'same_outcome') : createJudgement('unknown', 'other_scope');
  }
  if (outcome === 'failed') return createJudgement('disagrees', 'other_outcome');
  return numbers === 'yes' ? judgeByNumbers(mention, numbers) : createJudgement('unknown', 'count_unknown');
}

function judgePartialRun(mention: Mention, run: RunOutcome, numbers: NumberMatch): Judgement {
  const { outcome, count, scope } = mention;
  if (run.result === 'failed') {
    if (outcome === 'passed') return createJudgement('disagrees', 'other_outcome');
    return numbers === 'yes' ? judgeByNumbers(mention, numbers) : createJudgement('partial', 'part_of_project');
  }
  const isExact = count !== undefined && numbers === 'yes' && scope?.isWhole !== true && outcome !== 'failed';
  return isExact ? createJudgement('agrees', 'same_outcome') : createJudgement('partial', 'part_of_project');
}

export type NumberMatch = 'yes' | 'no' | 'unknown';

/** Whether the claimed numbers match the run; a claim without numbers matches. */
export function numbersMatch({ count, failures, total, scope, outcome }: Mention, run: RunOutcome): NumberMatch {
  const ofSuites = scope?.countsSuites === true;
  const main = ofSuites ? run.suites : run.counts;
  const all = [main, ...(ofSuites ? [] : [run.nested])].filter((counts) => Object.keys(counts).length > 0);
  const others = [ofSuites ? run.counts : run.suites];
  const fits = [
    count === undefined
      ? 'yes'
      : bestMatch(all.map((counts) => matchPassedCount(count, counts, failures !== undefined || outcome === 'failed'))),
    failures === undefined ? 'yes' : bestMatch(all.map((counts) => matchesFailures(failures, counts, run.result))),
    total === undefined ? 'yes' : bestMatch(all.map((counts) => totalFits(total, counts))),
  ];
  if (!fits.includes('no')) return fits.includes('unknown') ? 'unknown' : 'yes';
  // A number of something else that the run counted, or of one of its parts.
  const claimed = count ?? failures ?? 0;
  const isOther =
    others.some(({ passed, failed }) => passed === claimed || (failed === claimed && claimed > 0)) ||
    run.parts.includes(claimed);
  return isOther || run.isCut ? 'unknown' : 'no';
}

function bestMatch(fits: readonly NumberMatch[]): NumberMatch {
  return fits.includes('yes') ? 'yes' : fits.includes('unknown') || fits.length === 0 ? 'unknown' : 'no';
}

/** `ofAll`: the number may be that of all tests. */
function matchPassedCount(count: number, { passed, skipped = 0, total }: Counts, ofAll: boolean): NumberMatch {
  if (passed === undefined) return 'unknown';
  if (count === passed || (ofAll && count === total)) return 'yes';
  return skipped > 0 && (count === total || count === passed + skipped) ? 'unknown' : 'no';
}

function matchesFailures(
  failures: number,
  { passed, failed, errors = 0 }: Counts,
  result: RunOutcome['result'],
): NumberMatch {
  if (failed === undefined) return result === 'passed' ? (failures === 0 ? 'yes' : 'no') : 'unknown';
  if (failures === failed || (errors > 0 && failures === failed - errors)) return 'yes';
  return passed === undefined && failed > 0 ? 'unknown' : 'no';
}

function totalFits(total: number, { passed, failed = 0, total: all }: Counts): NumberMatch {
  if (all === undefined) return 'unknown';
  return total === all || total === (passed ?? 0) + failed ? 'yes' : 'no';
}
