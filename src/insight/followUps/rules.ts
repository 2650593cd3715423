import * as z from 'zod';
import { isObject } from '../../model/text/json.ts';
import { followUpFileSchema, type FollowUpFile, type SessionFollowUps } from '../../model/agent/followUps.ts';
import { triggerTypes, type TriggerType } from '../../model/transcript/metadata.ts';
import { executorTypeSchema, type ExecutorType } from '../../model/session/session.ts';
import { quietHours, type QuietHours } from './quietHours.ts';

const settingsSchema = followUpFileSchema.extend({ executors: z.array(executorTypeSchema).optional() });

/** The user's settings; `executors`: agents that get follow-ups unless their file or the session says otherwise. */
export type FollowUpSettings = z.infer<typeof settingsSchema>;

/** Rules of one session. */
export interface FollowUpRules {
  readonly triggers: readonly TriggerType[];
  readonly delayMs: number;
  readonly perSession: number;
  /** Limit per day for all agents on this machine. */
  readonly perDay: number;
  /** Limit per day for this agent. */
  readonly perDayOfAgent: number;
  readonly quiet: readonly QuietHours[];
  /** US dollars; absent: only other budgets apply. */
  readonly usd?: number;
}

const defaults = { delay: 10, perSession: 3, perDay: 20 } as const;
const usual = triggerTypes.filter((type) => type !== 'check_in');

/** Invalid settings are left out and named in `problems`; with any problem, settings turn on no follow-ups. */
export function parseFollowUps(found: unknown): { readonly value: FollowUpSettings; readonly problems: string[] } {
  if (found === undefined || found === null) return { value: {}, problems: [] };
  if (!isObject(found)) return { value: {}, problems: ['It is not an object.'] };
  const parsed = settingsSchema.safeParse(found);
  if (parsed.success) return { value: parsed.data, problems: [] };
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  // If another part is mistyped, a person's limits still apply, but their permissions do not.
  const limits = Object.entries(found).filter(([name]) => name.startsWith('max_') || name === 'quiet_hours');
  const rest = settingsSchema.safeParse(Object.fromEntries(limits));
  return { value: rest.success ? rest.data : { max_per_day: 0 }, problems };
}

/**
 * `null` if the session gets no follow-ups. The session's own choice comes first, then the agent's file, then the
 * settings. Of limits, the lower one applies; of quiet hours, all do.
 */
export function rulesOf(
  session: { readonly executor_type?: ExecutorType | undefined; readonly follow_ups?: SessionFollowUps | undefined },
  settings: FollowUpSettings,
  ofAgent?: FollowUpFile,
): FollowUpRules | null {
  const { executor_type: type, follow_ups: own } = session;
  const byDefault = ofAgent !== undefined || (type !== undefined && settings.executors?.includes(type) === true);
  if (!(own?.on ?? byDefault)) return null;
  const usd = minOf(settings.max_budget_usd, ofAgent?.max_budget_usd);
  return {
    triggers: ofAgent?.triggers ?? settings.triggers ?? usual,
    delayMs: (ofAgent?.delay_minutes ?? settings.delay_minutes ?? defaults.delay) * 60_000,
    perSession: minOf(settings.max_per_session, ofAgent?.max_per_session) ?? defaults.perSession,
    perDay: settings.max_per_day ?? defaults.perDay,
    perDayOfAgent: minOf(settings.max_per_day, ofAgent?.max_per_day) ?? defaults.perDay,
    quiet: [settings.quiet_hours, ofAgent?.quiet_hours].filter((hours) => hours !== undefined).map(quietHours),
    ...(usd !== undefined && { usd }),
  };
}

function minOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
