import * as z from 'zod';
import type { NormalizedEntry } from '../../model/entry.ts';
import { sessionIdSchema } from '../../model/session.ts';

/** Subtype of the entry that says what was given. */
export const recallSubtype = 'recall';

const passageSchema = z.object({ session_id: sessionIdSchema, entry: z.int().nonnegative() });
const noteSchema = z.object({ recall: z.object({ passages: z.array(z.unknown()) }) });

/** Where the passage of that place is from; `undefined` for anything but a note of ours that names one. */
export function recalledFrom(
  { type, origin, metadata }: NormalizedEntry,
  passage: number,
): z.infer<typeof passageSchema> | undefined {
  if (type.kind !== 'system_message' || type.subtype !== recallSubtype || origin !== 'system') return undefined;
  const passages = noteSchema.safeParse(metadata).data?.recall.passages ?? [];
  return passageSchema.safeParse(passages[passage]).data;
}
