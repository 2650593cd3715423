import * as z from 'zod';
import { demandsSchema } from './demands.ts';
import { sessionFollowUpsSchema } from '../agent/followUps.ts';
import { executorTypes } from './executorTypes.ts';

export const executorTypeSchema = z.enum(executorTypes);
export type ExecutorType = z.infer<typeof executorTypeSchema>;

export const sessionIdSchema = z.string().regex(/^ses_[0-9a-f]{12}$/);
export const runIdSchema = z.string().regex(/^run_[0-9a-f]{12}$/);
export const raceIdSchema = z.string().regex(/^race_[0-9a-f]{12}$/);

export const executionModeSchema = z.enum(['sync', 'async_poll', 'async_callback']);

export const sessionStatusSchema = z.enum(['pending', 'running', 'stopping', 'stopped', 'finished']);
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

export const runStatusSchema = z.enum(['pending', 'claimed', 'running', 'stopping', 'completed', 'failed', 'stopped']);
export type RunStatus = z.infer<typeof runStatusSchema>;

/**
 * Where a session was imported from. `store`: an agent's own store; such a session can be resumed. `file` is a name
 * without folder; `sha256` of the file's bytes, or of a store's entries.
 */
export const importedSchema = z.object({
  format: z.enum(['record', 'acp', 'output', 'store']),
  file: z.string(),
  at: z.string(),
  sha256: z.string(),
});
export type Imported = z.infer<typeof importedSchema>;

/** Identifies a folder after it was renamed or moved. `path` is relative to its work tree, with `/`. */
export const folderIdentitySchema = z.object({
  /** Inode and birth time of the folder, which do not change with its name. */
  folder: z.string().optional(),
  /** Id of the clone, which moves with it and which its worktrees share. */
  clone: z.string().optional(),
  /** `host/path` of the remote that it was cloned from. */
  remote: z.string().optional(),
  path: z.string(),
});
export type FolderIdentity = z.infer<typeof folderIdentitySchema>;

/** Another machine in the team runs the session: the run in its queue, and who has it, as far as known. */
export const remoteSchema = z.object({
  run_id: runIdSchema,
  member: z.string().optional(),
  hostname: z.string().optional(),
});
export type Remote = z.infer<typeof remoteSchema>;

/** A conversation with an agent. Times are ISO 8601. */
export const sessionSchema = z.object({
  session_id: sessionIdSchema,
  status: sessionStatusSchema,
  created_at: z.string(),
  project_dir: z.string().optional(),
  project_identity: folderIdentitySchema.optional(),
  agent_name: z.string().optional(),
  last_resumed_at: z.string().optional(),
  parent_session_id: sessionIdSchema.optional(),
  /** The race that it is part of. */
  race_id: raceIdSchema.optional(),
  execution_mode: executionModeSchema.default('sync'),
  /** The newest id the agent gave this conversation. */
  executor_session_id: z.string().optional(),
  /** Every id the agent gave this conversation, oldest first; the first is the original. */
  executor_session_ids: z.array(z.string()).default([]),
  executor_type: executorTypeSchema.optional(),
  /** Distinguishes agents of one executor: a preset or an entry of the settings (`acp`, `acp-http`). */
  executor_profile: z.string().optional(),
  /**
   * For a fork: the original session, and the agent's id of its conversation. `last`: the agent's id of the last message or
   * turn that the fork has; `null`: the agent began a new conversation; absent: the fork has all.
   */
  forked_from: z
    .object({
      session_id: sessionIdSchema,
      executor_session_id: z.string().optional(),
      last: z.string().nullable().optional(),
    })
    .optional(),
  hostname: z.string().optional(),
  title: z.string().optional(),
  /** The user hid it from lists; its files stay. */
  hidden: z.boolean().optional(),
  follow_ups: sessionFollowUpsSchema.optional(),
  /** Set if the session was not recorded here. See `isReadOnly`. */
  imported: importedSchema.optional(),
  /** Set if another machine runs it. The record here is a copy, which has the transcript once the run has ended. */
  remote: remoteSchema.optional(),
});
export type Session = z.infer<typeof sessionSchema>;

/** One start or resume of a session. */
export const runSchema = z.object({
  run_id: runIdSchema,
  type: z.enum(['start_session', 'resume_session']),
  session_id: sessionIdSchema,
  agent_name: z.string().optional(),
  prompt: z.string(),
  project_dir: z.string().optional(),
  parent_session_id: sessionIdSchema.optional(),
  execution_mode: executionModeSchema.default('sync'),
  demands: demandsSchema.optional(),
  status: runStatusSchema,
  runner_id: z.string().optional(),
  error: z.string().optional(),
  created_at: z.string(),
  claimed_at: z.string().optional(),
  started_at: z.string().optional(),
  completed_at: z.string().optional(),
  timeout_at: z.string().optional(),
});
export type Run = z.infer<typeof runSchema>;
