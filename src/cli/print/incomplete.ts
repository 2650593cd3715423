import { completenessWording } from '../../engine/audit/completenessWording.ts';
import type { Archive } from '../../engine/archive/archive.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import { english } from '../../engine/failures/wording.ts';
import { visibleLine } from '../../model/text/visibleText.ts';
import type { CliContext } from '../command.ts';

/** Exit code of commands that read a record from which entries are missing, or which is damaged. */
export const incomplete = 4;

/** Says on stderr what is missing from the record of a session; whether anything is. @throws EngineFailure */
export async function reportMissing(
  { archive }: { readonly archive: Archive },
  sessionId: string,
  { stderr }: CliContext,
): Promise<boolean> {
  const found = await archive.checkCompleteness(sessionId);
  for (const each of completenessWording(found)) stderr.write(`vitrine: ${english(each)}\n`);
  return found.isIncomplete;
}

/** Whether a session could not be opened because its record is lost; then says so on stderr. */
export function reportLost(error: unknown, { stderr }: CliContext): boolean {
  if (!EngineFailure.is(error, 'record_missing')) return false;
  stderr.write(`vitrine: ${error.message} ${error.detail}\n`);
  return true;
}

/** Names on stderr the sessions whose record lacks something, and those that the last listing could not read. */
export function reportDamaged(
  { archive }: { readonly archive: Archive },
  damaged: Iterable<string>,
  { stderr }: CliContext,
): void {
  for (const id of damaged) {
    stderr.write(`vitrine: The record of ${id} is damaged. "vitrine show ${id}" shows what is missing.\n`);
  }
  for (const { id, reason } of archive.unreadable) {
    stderr.write(`vitrine: The record of ${id} cannot be read: ${visibleLine(reason)}\n`);
  }
}
