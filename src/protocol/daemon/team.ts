import * as z from 'zod';
import { sessionIdSchema } from '../../model/session/session.ts';
import { sessionSummarySchema, sharedStateSchema } from '../../model/session/summary.ts';
import { shareSchema } from '../../model/session/share.ts';

const nothing = z.object({});

/** The team of the store, and the daemon's connection to it. */
export const teamStateSchema = z.object({
  /** Address without password. */
  url: z.string(),
  user: z.string(),
  is_connected: z.boolean(),
  /** False: the daemon found no password; a client may have one. */
  has_password: z.boolean(),
});
export type TeamState = z.infer<typeof teamStateSchema>;

/** What the team sees of a session of this store. */
export const ownShareSchema = z.object({ session_id: sessionIdSchema, share: shareSchema });
export type OwnShare = z.infer<typeof ownShareSchema>;

/** The team that the store belongs to. */
export const teamCalls = {
  /** `null`: the store belongs to no team. */
  teamState: { params: nothing, result: z.object({ team: teamStateSchema.nullable() }) },
  /** The default password is that of the daemon's environment. The daemon does not save passwords. */
  joinTeam: {
    params: z.object({ url: z.string().max(2000), password: z.string().max(1000).exactOptional() }),
    result: z.object({ url: z.string(), kind: z.enum(['owner', 'member', 'auditor']) }),
  },
  /** `deleted`: how many shared sessions were deleted. */
  leaveTeam: { params: z.object({ delete_mine: z.boolean() }), result: z.object({ deleted: z.int() }) },
  /**
   * Sessions of other members that can be seen, newest first; from then on, `news` has their changes. `is_complete`:
   * none is left out. `as_of`: ISO 8601. `own`: what this store shares of its own sessions.
   */
  sharedSessions: {
    params: nothing,
    result: z.object({
      sessions: z.array(sessionSummarySchema),
      is_connected: z.boolean(),
      is_complete: z.boolean(),
      as_of: z.string(),
      own: z.array(ownShareSchema).default([]),
    }),
  },
  /**
   * Brings copies of what other members share up to date, in a store of their own. `folder`: where it is. `is_complete`: none
   * is left out. `null`: the store belongs to no team, or cannot reach it.
   */
  pullShared: {
    params: nothing,
    result: z.object({
      copies: z
        .object({
          folder: z.string(),
          sessions: z.array(z.object({ session_id: sessionIdSchema, shared: sharedStateSchema })),
          is_complete: z.boolean(),
          problems: z.array(z.object({ id: z.string(), reason: z.string() })),
        })
        .nullable(),
    }),
  },
  /** The team's file or the password changed: connects again. */
  reloadTeam: {
    params: z.object({ password: z.string().exactOptional() }),
    /** False: the store belongs to no team. */
    result: z.object({ joined: z.boolean() }),
  },
  /** `nothing` withdraws the session from the team. */
  shareSession: { params: z.object({ session_id: sessionIdSchema, share: shareSchema }), result: nothing },
  /** Sets what is shared of sessions that run in or below the folder from now on. */
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
