import type { ExecutorType } from '../../model/session/session.ts';

/** A public agent that speaks the protocol: how to start it, and where it differs from the protocol. */
export interface AcpPreset {
  readonly id: string;
  /** The executor that runs the same agent by its own protocol. */
  readonly sameAs: ExecutorType;
  readonly label: string;
  /** Names to search for on the PATH, best first. */
  readonly programs: readonly string[];
  readonly args: readonly string[];
  /** How to ask for its version without starting a conversation; absent: it reports it in `initialize`. */
  readonly versionArgs?: readonly string[];
  /** The npm package that has the program. */
  readonly npm: string;
  /** The agent's name in its answer to `initialize`. */
  readonly agentNames: readonly string[];
  /** The command with which a person logs in. */
  readonly login: string;
  /** Modes in which it does not ask before it changes files, or before anything. */
  readonly modesWithoutAsking: { readonly writes: readonly string[]; readonly all: readonly string[] };
  readonly quirks: AcpQuirks;
}

export interface AcpQuirks {
  /** Exits when stdin is closed; otherwise Vitrine has to stop it. */
  readonly exitsWithStdin: boolean;
  /** Signals must go to the whole process group, because the first process does not pass them on. */
  readonly signalsWholeGroup: boolean;
  /** Tokens count from the start of the process, not of the turn. */
  readonly hasRunningTotals: boolean;
  /** How it resumes an earlier conversation: `none` if the agent offers `session/load`, but it fails. */
  readonly resume: 'resume' | 'load' | 'none';
  /** Whether Vitrine offers it file access. `false`: the agent would use that, but fails to create files. */
  readonly offersFileAccess: boolean;
}

export const acpPresets: readonly AcpPreset[] = [
  {
    id: 'claude-agent-acp',
    sameAs: 'claude-code',
    label: 'Claude Agent',
    programs: ['claude-agent-acp'],
    args: [],
    npm: '@agentclientprotocol/claude-agent-acp',
    agentNames: ['@agentclientprotocol/claude-agent-acp', '@zed-industries/claude-code-acp'],
    login: 'claude /login',
    modesWithoutAsking: { writes: ['acceptEdits', 'auto'], all: ['bypassPermissions'] },
    quirks: {
      exitsWithStdin: true,
      signalsWholeGroup: false,
      hasRunningTotals: false,
      resume: 'resume',
      offersFileAccess: true,
    },
  },
  {
    id: 'codex-acp',
    sameAs: 'codex',
    label: 'Codex',
    programs: ['codex-acp'],
    args: [],
    npm: '@agentclientprotocol/codex-acp',
    agentNames: ['@agentclientprotocol/codex-acp'],
    login: 'codex login',
    modesWithoutAsking: { writes: ['workspace-write', 'agent'], all: ['agent-full-access'] },
    quirks: {
      exitsWithStdin: false,
      signalsWholeGroup: false,
      hasRunningTotals: false,
      resume: 'resume',
      offersFileAccess: true,
    },
  },
  {
    id: 'gemini-acp',
    sameAs: 'gemini',
    versionArgs: ['--version'],
    label: 'Gemini CLI',
    programs: ['gemini'],
    args: ['--acp', '--skip-trust'],
    npm: '@google/gemini-cli',
    agentNames: ['gemini-cli'],
    login: 'gemini',
    modesWithoutAsking: { writes: ['autoEdit'], all: ['yolo'] },
    quirks: {
      exitsWithStdin: true,
      signalsWholeGroup: true,
      hasRunningTotals: false,
      resume: 'none',
      offersFileAccess: false,
    },
  },
  {
    id: 'copilot-acp',
    sameAs: 'copilot',
    versionArgs: ['--version'],
    label: 'Copilot',
    programs: ['copilot'],
    args: ['--acp'],
    npm: '@github/copilot',
    agentNames: ['Copilot'],
    login: 'copilot login',
    modesWithoutAsking: { writes: [], all: ['autopilot'] },
    quirks: {
      exitsWithStdin: true,
      signalsWholeGroup: true,
      hasRunningTotals: true,
      resume: 'load',
      offersFileAccess: true,
    },
  },
];

export function presetOf(agentName: string | null): AcpPreset | undefined {
  return acpPresets.find(({ agentNames }) => agentName !== null && agentNames.includes(agentName));
}
