import type { EvidenceLink } from '../../../src/insight/citations/types.ts';

/** Whether the record agrees with a claim about an outcome; `undefined` if it is inconclusive. */
export function doesRecordAgree(link: EvidenceLink | undefined): boolean | undefined {
  const verdict = link?.judged?.verdict;
  return verdict === 'agrees' ? true : verdict === 'disagrees' ? false : undefined;
}
