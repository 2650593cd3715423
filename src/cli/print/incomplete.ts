import { completenessWording } from '../../engine/audit/completenessWording.ts';
import type { Archive } from '../../engine/archive/archive.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import { toEnglish } from '../../engine/failures/wording.ts';
import { visibleLine } from '../../model/text/visibleText.ts';
import type { CliContext } from '../command.ts';

/** Exit code of commands that read an incomplete or damaged record. */
export const incomplete = 4;

/** Prints on stderr what a session's record lacks. Returns whether it lacks anything. @throws EngineFailure */
export async function reportMissing(
  { archive }: { readonly archive: Archive },
  sessionId: string,
  { stderr }: CliContext,
): Promise<boolean> {
  const found = await archive.checkCompleteness(sessionId);
  for (const wording of completenessWording(found)) stderr.write(`vitrine: ${toEnglish(wording)}\n`);
  return found.isIncomplete;
}

/** Whether the error means that a session's record is lost; if so, prints that on stderr. */
export function reportLost(error: unknown, { stderr }: CliContext): boolean {
  if (!EngineFailure.is(error, 'record_missing')) return false;
  stderr.write(`vitrine: ${error.message} ${error.detail}\n`);
  return true;
}

/** Prints on stderr which sessions are damaged or could not be read when last listed. */
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
