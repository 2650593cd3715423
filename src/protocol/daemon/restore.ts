import * as z from 'zod';
import { restoredSchema, restorePreviewSchema, restoreTargetSchema } from '../../model/files/restore.ts';
import { sessionIdSchema } from '../../model/session/session.ts';
import { clientContextSchema } from './context.ts';

/** git runs in the session's folder, so the client has to trust it. */
const inFolder = z.object({ session_id: sessionIdSchema, context: clientContextSchema });

/** Calls that restore the files of a session's folder. */
export const restoreCalls = {
  /** What restoring would change; changes nothing. */
  previewRestore: {
    params: inFolder.extend({ target: restoreTargetSchema }),
    result: restorePreviewSchema,
  },
  /** Text of a file in a preview, by its name there; `null`: none, or not text. */
  restoreContent: {
    params: inFolder.extend({ object: z.string().max(100) }),
    result: z.object({ text: z.string().nullable() }),
  },
  /** `now`: of the preview that the user saw; nothing is restored if files changed since. */
  restoreFiles: {
    params: inFolder.extend({ target: restoreTargetSchema, now: z.string().max(100) }),
    result: restoredSchema,
  },
} as const;
