import type { Completeness, EntryRange } from '../record/chain/completeness.ts';
import { quote, worded, type Wording } from '../failures/wording.ts';
import { verdictWording } from './verdictWording.ts';

const maxListed = 20;

/** One readable line for each thing that is missing from a record; none if it is complete. */
export function completenessWording(found: Completeness): Wording[] {
  const { isIncomplete, isEmpty, missing, unrecordedRuns, problems, chain } = found;
  if (!isIncomplete) return [];
  if (isEmpty) return [worded`The record is empty or cannot be read. All entries are missing.`];
  const isBroken = chain.verdict === 'altered' || chain.verdict === 'truncated';
  return [
    ...(missing.length > 0 ? [worded`Missing entries: ${listOf(missing.map(rangeText))}.`] : []),
    ...(unrecordedRuns.length > 0
      ? [worded`The entries of ${listOf(unrecordedRuns)} are missing. The agent’s output is in runs/.`]
      : []),
    ...problems
      .slice(0, maxListed)
      .map(({ offset, bytes, reason, afterIndex }) =>
        afterIndex === null
          ? worded`Could not read ${bytes} bytes at byte ${offset} of the record (${reason}).`
          : worded`Could not read ${bytes} bytes at byte ${offset} of the record, after entry ${afterIndex} (${reason}).`,
      ),
    ...(problems.length > maxListed ? [worded`Could not read ${problems.length - maxListed} more parts.`] : []),
    ...(isBroken ? [worded`The hash chain of the record is broken: ${verdictWording(chain)}.`] : []),
  ];
}

function rangeText({ first, last }: EntryRange): string {
  return first === last ? `${first}` : `${first}–${last}`;
}

function listOf(items: readonly string[]): Wording {
  const text = items.slice(0, maxListed).join(', ');
  return items.length <= maxListed ? quote(text) : worded`${text} and ${items.length - maxListed} more`;
}
