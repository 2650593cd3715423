import type { Capabilities } from '../model/session/capabilities.ts';
import type { JsonObject } from '../model/text/json.ts';
import type { McpServers } from '../model/agent/mcpServer.ts';
import type { Normalizer, NormalizerContext } from '../model/transcript/normalizer.ts';
import type { ExecutorType } from '../model/session/session.ts';
import type { DialogueFactory } from './dialogue.ts';

/** User settings of an agent. Absent: the agent's own default. */
export interface AgentOptions {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  /** In the credits that Copilot CLI counts. */
  readonly maxAiCredits?: number;
  readonly appendSystemPrompt?: string;
  /** Given besides those of the agent's own configuration, with everything filled in. Hold secrets: for no record and no log. */
  readonly mcpServers?: McpServers;
  /** Names of those whose address or arguments were filled in with what a person or a variable gave, which may be secret. */
  readonly filledServers?: readonly string[];
  /** Names of servers whose tools run without approval, if the program supports that. */
  readonly trustedServers?: readonly string[];
  readonly extraArgs?: readonly string[];
}

/** Limits that Vitrine enforces. Passed to agents that can enforce them too; no warning otherwise. */
export interface HeldLimits {
  readonly turns?: number | undefined;
  readonly usd?: number | undefined;
}

/** The installed program. `version` is `null` if it did not report one. */
export interface ProgramInfo {
  readonly version: string | null;
}

export interface CommandRequest {
  readonly prompt: string;
  readonly options: AgentOptions;
  readonly program: ProgramInfo;
  readonly limits?: HeldLimits;
  /** The agent's id of the conversation; absent for a new one. */
  readonly resume?: string;
  /** UUID for a new conversation, if the agent accepts one. */
  readonly newSessionId: string;
  /** Absolute path of a private folder for files that the agent writes beside its output; absent: there is none. */
  readonly runFolder?: string;
  /** Absolute path of a folder for files that the agent reads, gone with the run and outside of the record. */
  readonly privateFolder?: string;
  /** Someone can answer and send messages during the run: use a dialogue if this version supports it. */
  readonly interactive?: boolean;
}

/** Files in the run's folder that an agent writes; the engine reads them for the normalizer. */
export interface SideFiles {
  /** Written when the agent ends. */
  readonly usage?: string;
  /** A folder of log files, read until a line names the conversation. */
  readonly log?: { readonly folder: string; readonly names: (line: string) => boolean };
}

/** How to start the agent. `stdin: null` closes it at once. No shell is involved. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly stdin: string | null;
  /** The id the agent will use, where the command line decides it. */
  readonly sessionId: string | null;
  /** Options that this version does not take, for people. */
  readonly warnings: readonly string[];
  /** Asks the engine for the run's folder, and to read these. */
  readonly sideFiles?: SideFiles;
  /** Texts by absolute path in the private folder, to be there before the program starts, for this user alone. */
  readonly privateFiles?: Readonly<Record<string, string>>;
  /** Variables for this run, besides the agent's environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Stdin stays open for it, and `stdin` is not given: the dialogue says the prompt. */
  readonly dialogue?: DialogueFactory;
}

/** Adapter for one kind of agent program. Pure: the engine starts and feeds it. */
export interface AgentAdapter {
  readonly type: ExecutorType;
  readonly label: string;
  /** How the engine talks with the agent; absent: the command line and stdin say everything. */
  readonly protocol?: 'acp' | 'acp-http';
  /** Names to look for on the PATH, best first; none where the settings name the program, or there is none to start. */
  readonly programs: readonly string[];
  /** None: it is not asked. */
  readonly versionArgs: readonly string[];
  parseVersion(output: string): string | null;
  /** How to ask the program whether someone is signed in, where it says so at once and without the network. */
  readonly login?: {
    readonly args: readonly string[];
    /** `undefined` where the answer does not tell. */
    readonly signedIn: (output: string) => boolean | undefined;
  };
  readonly capabilities: Capabilities;
  /** Where a version differs from `capabilities`. */
  readonly versionCapabilities?: (version: string) => Partial<Capabilities>;
  /** Variables by which this agent tells its children about itself, besides those all agents drop. */
  readonly ownVariables: readonly RegExp[];
  /** The agent can write a file with the tokens of a run, which its normalizer reads. */
  readonly usageFile?: true;
  /** `appendSystemPrompt` is an option of the program; where it is none, Vitrine says it before the first prompt. */
  readonly takesSystemPrompt?: true;
  /** First signal of the stop ladder. */
  readonly politeSignal: 'SIGINT' | 'SIGTERM';
  /** @throws UnusableConversationIdError where the agent would take `resume` for something else. */
  command(request: CommandRequest): CommandLine;
  createNormalizer(context: NormalizerContext): Normalizer;
  /** Whether only this agent prints such a message, if other agents print similar lines. */
  readonly isOwn?: (message: JsonObject) => boolean;
}

/** Capabilities of this version of an agent; `null` for an unknown version. */
export function capabilitiesOf(
  { capabilities, versionCapabilities }: AgentAdapter,
  version: string | null,
): Capabilities {
  return version === null ? capabilities : { ...capabilities, ...versionCapabilities?.(version) };
}
