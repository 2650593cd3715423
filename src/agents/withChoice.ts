import type { AgentOptions } from './adapter.ts';

/**
 * A person's choices for runs of one agent, which override the settings. Absent: the settings apply. `''`, `default` and 0
 * mean the agent's default.
 */
export interface RunChoice {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly maxAiCredits?: number;
}

/** `settings` with these choices applied. */
export function withChoice(settings: AgentOptions, choice: RunChoice): AgentOptions {
  const pairs = Object.entries({ ...settings, ...choice });
  return Object.fromEntries(pairs.filter(([, value]) => value !== '' && value !== 0 && value !== 'default'));
}
