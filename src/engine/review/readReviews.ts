import { type ReviewDecision, reviewDecisionSchema } from '../../model/files/review.ts';
import type { RecordReader } from '../record/contract.ts';

/** What was decided about changes, oldest first. */
export async function readReviews(reader: Pick<RecordReader, 'lines'>): Promise<ReviewDecision[]> {
  const found: ReviewDecision[] = [];
  for await (const line of reader.lines()) {
    if (line.kind !== 'decision' || line.decision.type !== 'review') continue;
    const decision = reviewDecisionSchema.safeParse(line.decision).data;
    if (decision !== undefined) found.push(decision);
  }
  return found;
}
