import type { AgentOptions } from './adapter.ts';

/**
 * What a person chose for runs of one agent, over the settings. Absent: as the settings say. `''`, `default` and 0 leave
 * it to the agent.
 */
export interface RunChoice {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly maxAiCredits?: number;
}

/** `settings` with what was chosen in their place. */
export function withChoice(settings: AgentOptions, choice: RunChoice): AgentOptions {
  const pairs = Object.entries({ ...settings, ...choice });
  return Object.fromEntries(pairs.filter(([, each]) => each !== '' && each !== 0 && each !== 'default'));
}
