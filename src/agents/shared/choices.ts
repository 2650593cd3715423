/** One way in which an agent may be let loose, and the arguments that ask its program for it. */
export interface PermissionMode {
  readonly id: string;
  readonly args: readonly string[];
  /** Lets everything happen unasked: only ever on a person's own word, never remembered. */
  readonly bypass?: true;
}

/** A limit of one run, by its name in `AgentOptions`; `minimum` is the least the program takes. */
export interface Limit {
  readonly name: 'maxTurns' | 'maxBudgetUsd' | 'maxAiCredits';
  readonly minimum: number;
  readonly whole: boolean;
}

/** What a user can choose for an agent, apart from its adapter, which is too large to be loaded for a list. */
export interface AgentChoices {
  /** Its part in the names of settings: `vitrine.<settings>.model`. */
  readonly settings: string;
  /** The first is `default`: as the agent is configured. */
  readonly modes: readonly PermissionMode[];
  /** Names of models that stay, not those of today. */
  readonly models: readonly string[];
  readonly limits: readonly Limit[];
  /** Where its makers say how to install it. */
  readonly install: string;
}

/** The arguments of a mode; `undefined` where the agent has no such mode. */
export function argsOfMode({ modes }: AgentChoices, mode = 'default'): readonly string[] | undefined {
  return modes.find(({ id }) => id === mode)?.args;
}
