import type { AgentAdapter } from '../adapter.ts';
import { LineNormalizer } from '../shared/normalizer/lineNormalizer.ts';
import { isAtLeastOrUnknown } from '../../model/text/versions.ts';
import { copilotCommand, optionsSince } from './command.ts';
import { CopilotReader } from './normalize.ts';

const supported = { supported: true } as const;

/** GitHub Copilot CLI, run once per turn. */
export const copilot: AgentAdapter = {
  type: 'copilot',
  label: 'Copilot CLI',
  programs: ['copilot'],
  versionArgs: ['--version'],
  parseVersion: (output) => /\bGitHub Copilot CLI v?(\d+\.\d+\.\d+(?:-\w+)*)/.exec(output)?.[1] ?? null,
  capabilities: {
    resume: supported,
    fork: { supported: false, reason: 'Copilot CLI cannot fork a session' },
    approvals: { supported: false, reason: 'without a terminal, Copilot CLI refuses actions that need a permission' },
    thinking: supported,
    toolResults: supported,
    usage: { supported: true, reason: 'at the end of a run, from a separate file' },
    cost: {
      supported: false,
      reason: 'Copilot CLI counts premium requests, not dollars; estimated from the tokens and the model',
    },
    subagents: supported,
    midRunMessages: { supported: false, reason: 'one prompt per run; further messages resume the session' },
    modelChoice: supported,
    mcp: supported,
  },
  versionCapabilities: (version) => {
    if (isAtLeastOrUnknown(version, optionsSince.usageFile)) return {};
    const usage = { supported: false, reason: `Copilot CLI ${version} does not report the tokens of a run` };
    if (isAtLeastOrUnknown(version, optionsSince.json)) return { usage };
    const textOnly = { supported: false, reason: `Copilot CLI ${version} prints text only` };
    return {
      usage,
      thinking: textOnly,
      toolResults: textOnly,
      subagents: textOnly,
      resume: { supported: true, reason: 'once its log names the session' },
    };
  },
  ownVariables: [/^COPILOT_(?:AGENT_SESSION_ID|CLI|CLI_BINARY_VERSION|CLI_RESOLVED_DIST_DIR|LOADER_PID)$/],
  usageFile: true,
  // npm's launcher does not pass signals on, so the engine signals the group.
  politeSignal: 'SIGINT',
  command: copilotCommand,
  createNormalizer: (context) => new LineNormalizer(context, (run) => new CopilotReader(run)),
};
