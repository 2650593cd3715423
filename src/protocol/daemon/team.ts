import * as z from 'zod';
import { sessionIdSchema } from '../../model/session/session.ts';
import { shareSchema } from '../../model/session/share.ts';

const nothing = z.object({});

/** The team that the store belongs to. */
export const teamCalls = {
  /** The team's file or the password changed: connects again. */
  reloadTeam: {
    params: z.object({ password: z.string().exactOptional() }),
    /** False: the store belongs to no team. */
    result: z.object({ joined: z.boolean() }),
  },
  /** `nothing` withdraws what the team has of it. */
  shareSession: { params: z.object({ session_id: sessionIdSchema, share: shareSchema }), result: nothing },
  /** For sessions that run in the folder from now on, and below it. */
  shareFolder: {
    params: z.object({
      folder: z
        .string()
        .min(1)
        .max(1 << 15),
      share: shareSchema,
    }),
    result: nothing,
  },
} as const;
