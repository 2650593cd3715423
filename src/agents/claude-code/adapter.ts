import type { AgentAdapter } from '../adapter.ts';
import { claudeCommand, hasDialogue } from './command.ts';
import { ClaudeCodeNormalizer } from './normalize.ts';
import { isOwnLine } from './wire.ts';

const supported = { supported: true } as const;

const tooOld = {
  supported: false,
  reason: 'this version of Claude Code accepts no messages during a run',
} as const;

/** Claude Code, run with `claude -p`: with a dialogue, or only with a prompt. */
export const claudeCode: AgentAdapter = {
  type: 'claude-code',
  label: 'Claude Code',
  programs: ['claude'],
  versionArgs: ['--version'],
  parseVersion: (output) => /(\d+\.\d+\.\d+\S*)\s+\(Claude Code\)/.exec(output)?.[1] ?? null,
  capabilities: {
    resume: supported,
    fork: supported,
    approvals: supported,
    thinking: supported,
    toolResults: supported,
    usage: supported,
    cost: supported,
    subagents: { supported: true, reason: 'tool calls; texts only if the version prints them' },
    midRunMessages: supported,
    modelChoice: supported,
    mcp: supported,
  },
  versionCapabilities: (version) => (hasDialogue(version) ? {} : { approvals: tooOld, midRunMessages: tooOld }),
  // Variables that Claude Code sets for its children. Those that a user sets (CLAUDE_CODE_USE_…, ANTHROPIC_…) stay.
  ownVariables: [
    /^CLAUDECODE$/,
    /^CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|EXECPATH)$/,
    /^CLAUDE_CODE_(?:CHILD_|PARENT_)?SESSION(?:_.*)?$/,
    /^CLAUDE_CODE_(?:AGENT|TEAM)_(?:ID|NAME)$/,
    /^CLAUDE_AGENT_SDK_VERSION$/,
    /^CLAUDE_(?:ENV_FILE|PROJECT_DIR|PLUGIN_ROOT)$/,
  ],
  takesSystemPrompt: true,
  politeSignal: 'SIGINT',
  command: claudeCommand,
  createNormalizer: (context) => new ClaudeCodeNormalizer(context),
  isOwn: isOwnLine,
};
