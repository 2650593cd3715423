import type { Capabilities } from '../model/capabilities.ts';
import type { Normalizer, NormalizerContext } from '../model/normalizer.ts';
import type { ExecutorType } from '../model/session.ts';

/** What a user set for an agent. Absent: the agent's own default. */
export interface AgentOptions {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly appendSystemPrompt?: string;
  readonly extraArgs?: readonly string[];
}

/** What is known of the installed program. `version` is `null` when it did not say. */
export interface ProgramInfo {
  readonly version: string | null;
}

export interface CommandRequest {
  readonly prompt: string;
  readonly options: AgentOptions;
  readonly program: ProgramInfo;
  /** Id the agent knows the conversation by; absent for a new one. */
  readonly resume?: string;
  /** A UUID that the agent is to use for a new conversation, where it takes one. */
  readonly newSessionId: string;
}

/** How to start the agent. `stdin: null` closes it at once. No shell is involved. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly stdin: string | null;
  /** The id the agent will use, where the command line decides it. */
  readonly sessionId: string | null;
  /** Options that this version does not take, for people. */
  readonly warnings: readonly string[];
}

/** Everything Vitrine knows about one kind of agent program. Pure: the engine starts and feeds it. */
export interface AgentAdapter {
  readonly type: ExecutorType;
  readonly label: string;
  /** Names to look for on the PATH, best first. */
  readonly programs: readonly string[];
  readonly versionArgs: readonly string[];
  parseVersion(output: string): string | null;
  readonly capabilities: Capabilities;
  /** Where a version differs from `capabilities`. */
  readonly versionCapabilities?: (version: string) => Partial<Capabilities>;
  /** Variables by which this agent tells its children about itself, besides those all agents drop. */
  readonly ownVariables: readonly RegExp[];
  /** First signal of the stop ladder. */
  readonly politeSignal: 'SIGINT' | 'SIGTERM';
  /** @throws UnusableConversationIdError where the agent would take `resume` for something else. */
  command(request: CommandRequest): CommandLine;
  createNormalizer(context: NormalizerContext): Normalizer;
}
