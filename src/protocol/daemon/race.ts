import * as z from 'zod';
import { comparisonSchema } from '../../model/race/comparison.ts';
import { appliedSchema, raceSchema } from '../../model/race/race.ts';
import { executorTypeSchema, raceIdSchema, sessionIdSchema } from '../../model/session/session.ts';
import { agentOptionsSchema, clientContextSchema } from './context.ts';
import { limitsSchema, recalledSchema } from './runRequests.ts';

const command = z.string().min(1).max(10_000);
const paths = z.array(z.string().min(1)).max(100).readonly();
const inRace = z.object({ race_id: raceIdSchema });
/** git runs in the user's folder and in the worktrees, so the client has to trust the folder. */
const withContext = inRace.extend({ context: clientContextSchema });

/** Agents that a race may have. */
const maxAgents = 8;
const maxWaitMs = 30_000;

export const lossSchema = z.object({
  lane: z.string(),
  worktree: z.string(),
  branch: z.string(),
  /** Changed files; `null`: unknown. */
  files: z.array(z.string()).nullable(),
});

/** Races: several agents with the same prompt, each in its own git worktree. */
export const raceCalls = {
  startRace: {
    params: z.object({
      context: clientContextSchema,
      request: z.object({
        prompt: z.string().min(1),
        cwd: z.string().min(1),
        agents: z
          .array(
            z.object({
              agent: executorTypeSchema,
              profile: z.string().exactOptional(),
              options: agentOptionsSchema.exactOptional(),
            }),
          )
          .min(1)
          .max(maxAgents),
        limits: limitsSchema.exactOptional(),
        /** Commands of the user, never of the repository. */
        setup: command.exactOptional(),
        check: command.exactOptional(),
        withChanges: z.boolean().exactOptional(),
        /** Context from earlier sessions, for all agents. */
        recall: recalledSchema.exactOptional(),
        extra: z.object({ copy: paths, link: paths }).exactOptional(),
        /** Absolute folder for the worktrees. */
        worktrees: z.string().min(1).exactOptional(),
        interactive: z.boolean().exactOptional(),
      }),
    }),
    result: raceSchema,
  },
  /** All races of the store, newest first, including those that left worktrees behind. */
  races: { params: z.object({}), result: z.array(raceSchema) },
  /** Answers when the race differs from `revision`, or after `wait_ms`. */
  race: {
    params: inRace.extend({
      revision: z.int().nonnegative().default(0),
      wait_ms: z.int().nonnegative().max(maxWaitMs).default(0),
    }),
    result: z.object({ race: raceSchema, revision: z.int() }),
  },
  stopRace: { params: inRace, result: raceSchema },
  compareRace: { params: withContext, result: comparisonSchema },
  compareSessions: {
    params: z.object({ session_ids: z.array(sessionIdSchema).min(2).max(maxAgents) }),
    result: comparisonSchema,
  },
  /** Fails with `race_conflict`, and changes nothing, if a patch does not fit. */
  applyRace: {
    params: withContext.extend({ lane: z.string(), how: z.enum(['patch', 'branch']) }),
    result: appliedSchema,
  },
  /** Undoes the newest patch. */
  undoRace: { params: withContext, result: z.object({ files: z.array(z.string()) }) },
  /** Removes worktrees and branches. Without `force` only if that loses no work. */
  cleanRace: {
    params: withContext.extend({ force: z.boolean() }),
    result: z.object({ removed: z.boolean(), losses: z.array(lossSchema) }),
  },
} as const;
