/** A permission mode and the program's arguments for it. */
export interface PermissionMode {
  readonly id: string;
  readonly args: readonly string[];
  /** Skips all approvals: only a person may choose it, and it is never remembered. */
  readonly bypass?: true;
}

/** A limit of one run, by its name in `AgentOptions`; `minimum` is the least that the program accepts. */
export interface Limit {
  readonly name: 'maxTurns' | 'maxBudgetUsd' | 'maxAiCredits';
  readonly minimum: number;
  readonly isInteger: boolean;
}

/** What a user can choose for an agent; separate from its adapter, which is too large to load for a list. */
export interface AgentChoices {
  /** Its part in the names of settings: `vitrine.<settings>.model`. */
  readonly settings: string;
  /** The first is `default`: as the agent is configured. */
  readonly modes: readonly PermissionMode[];
  /** Names of models that do not change with each release. */
  readonly models: readonly string[];
  readonly limits: readonly Limit[];
  /** URL of the installation guide. */
  readonly install: string;
}

/** The arguments of a mode; `undefined` if the agent does not have the mode. */
export function argsOfMode({ modes }: AgentChoices, mode = 'default'): readonly string[] | undefined {
  return modes.find(({ id }) => id === mode)?.args;
}
