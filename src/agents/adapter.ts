import type { Capabilities } from '../model/session/capabilities.ts';
import type { JsonObject } from '../model/text/json.ts';
import type { McpServers } from '../model/agent/mcpServer.ts';
import type { Normalizer, NormalizerContext } from '../model/transcript/normalizer.ts';
import type { ExecutorType } from '../model/session/session.ts';
import type { DialogueFactory } from './dialogue.ts';
import type { StoreFormat } from './stores/storeFormat.ts';

/** User settings of an agent. Absent: the agent's own default. */
export interface AgentOptions {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  /** Limit in AI credits, as Copilot CLI counts them. */
  readonly maxAiCredits?: number;
  readonly appendSystemPrompt?: string;
  /**
   * Servers in addition to those in the agent's own configuration, with all inputs filled in. They contain secrets:
   * never record or log them.
   */
  readonly mcpServers?: McpServers;
  /** Names of the servers with input values in their URL or arguments, which may be secret. */
  readonly filledServers?: readonly string[];
  /** Names of servers whose tools run without approval, if the program supports that. */
  readonly trustedServers?: readonly string[];
  readonly extraArgs?: readonly string[];
}

/** Limits that Vitrine enforces. Passed to agents that can enforce them too; no warning otherwise. */
export interface EnforcedLimits {
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
  readonly limits?: EnforcedLimits;
  /** The agent's id of the conversation; absent for a new one. */
  readonly resume?: string;
  /** `resume` is left as it is: a new conversation continues from its end. */
  readonly fork?: boolean;
  /** With `fork`: the agent's id of the last message or turn to keep. See `canForkAt`. */
  readonly forkAt?: string;
  /** UUID for a new conversation, if the agent accepts one. */
  readonly newSessionId: string;
  /** Absolute path of a private folder for files that the agent writes; absent: none. */
  readonly runFolder?: string;
  /**
   * Absolute path of a folder for files that the agent reads. It is deleted after the run, and not part of the record.
   */
  readonly privateFolder?: string;
  /** Absolute path of the working folder. */
  readonly cwd?: string;
  /** Someone can answer and send messages during the run: use a dialogue if this version supports it. */
  readonly interactive?: boolean;
}

/** Files in the run's folder that an agent writes; the engine reads them for the normalizer. */
export interface SideFiles {
  /** Written when the agent ends. */
  readonly usage?: string;
  /** A folder of log files, read until a line names the conversation. */
  readonly log?: { readonly folder: string; readonly namesConversation: (line: string) => boolean };
}

/** How to start the agent. `stdin: null` closes it at once. No shell is involved. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly stdin: string | null;
  /** The agent's id of the conversation, if the command line sets it. */
  readonly sessionId: string | null;
  /** Sentences about options that this version does not support. */
  readonly warnings: readonly string[];
  /** Asks the engine for the run's folder, and to read these. */
  readonly sideFiles?: SideFiles;
  /**
   * Files to create in the private folder before the program starts, readable only by this user: text by absolute
   * path.
   */
  readonly privateFiles?: Readonly<Record<string, string>>;
  /** Variables for this run, besides the agent's environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The dialogue sends the prompt: stdin stays open, and `stdin` is not used. */
  readonly dialogue?: DialogueFactory;
}

/** Adapter for one kind of agent program. Pure: the engine starts and feeds it. */
export interface AgentAdapter {
  readonly type: ExecutorType;
  readonly label: string;
  /** How the engine talks with the agent; absent: command line and stdin are enough. */
  readonly protocol?: 'acp' | 'acp-http';
  /** Names to search for on the PATH, best first; none if the settings name the program, or there is none. */
  readonly programs: readonly string[];
  /** Arguments that print the version. Empty: Vitrine does not ask for it. */
  readonly versionArgs: readonly string[];
  parseVersion(output: string): string | null;
  /** How to ask the program whether someone is signed in, if it answers immediately and offline. */
  readonly login?: {
    readonly args: readonly string[];
    /** `undefined` if the answer does not say. */
    readonly parseSignedIn: (output: string) => boolean | undefined;
  };
  readonly capabilities: Capabilities;
  /** Differences from `capabilities` in this version. */
  readonly versionCapabilities?: (version: string) => Partial<Capabilities>;
  /** Variables with which this agent identifies itself to its children, besides the common ones. */
  readonly ownVariables: readonly RegExp[];
  /** The agent can write a file with a run's tokens, which its normalizer reads. */
  readonly usageFile?: true;
  /** The agent's own store has a line that its normalizer needs and its output lacks. The last one counts. */
  readonly storedLine?: { readonly format: StoreFormat; readonly matches: (line: string) => boolean };
  /** `appendSystemPrompt` is an option of the program; otherwise Vitrine adds it to the first prompt. */
  readonly takesSystemPrompt?: true;
  /** First signal of the stop ladder. */
  readonly politeSignal: 'SIGINT' | 'SIGTERM';
  /** @throws UnusableConversationIdError if the agent would interpret `resume` differently. */
  command(request: CommandRequest): CommandLine;
  createNormalizer(context: NormalizerContext): Normalizer;
  /** Whether only this agent prints such a message, for agents with similar lines. */
  readonly isOwn?: (message: JsonObject) => boolean;
}

/** Capabilities of this version of an agent; `null` for an unknown version. */
export function capabilitiesOf(
  { capabilities, versionCapabilities }: AgentAdapter,
  version: string | null,
): Capabilities {
  return version === null ? capabilities : { ...capabilities, ...versionCapabilities?.(version) };
}
