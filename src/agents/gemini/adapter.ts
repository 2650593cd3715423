import type { AgentAdapter } from '../adapter.ts';
import { LineNormalizer } from '../shared/normalizer/lineNormalizer.ts';
import { geminiCommand } from './command.ts';
import { GeminiReader } from './normalize.ts';

const supported = { supported: true } as const;

/** Gemini CLI, run once per turn. */
export const gemini: AgentAdapter = {
  type: 'gemini',
  label: 'Gemini CLI',
  programs: ['gemini'],
  versionArgs: ['--version'],
  parseVersion: (output) => /^v?(\d+\.\d+\.\d+\S*)\s*$/m.exec(output)?.[1] ?? null,
  capabilities: {
    resume: { supported: true, reason: 'from the same folder only' },
    fork: { supported: false, reason: 'Gemini CLI cannot fork a session' },
    approvals: { supported: false, reason: 'without a terminal, tools that need approval are not available' },
    thinking: { supported: false, reason: 'Gemini CLI prints the number of thinking tokens, but not the text' },
    toolResults: { supported: true, reason: 'a short text for display, often empty' },
    usage: supported,
    cost: { supported: false, reason: 'estimated from the tokens and the model, which Gemini CLI prints' },
    subagents: { supported: true, reason: 'prompts, but not their steps' },
    midRunMessages: { supported: false, reason: 'one prompt per run; further messages resume the session' },
    modelChoice: supported,
    mcp: { supported: true, reason: 'from 0.60 on only as root; otherwise use the profile gemini-acp' },
  },
  ownVariables: [/^GEMINI_CLI$/, /^GEMINI_CLI_(?:NO_RELAUNCH|IDE_.*)$/],
  // The first process ignores it but its child does not, so the engine signals the group.
  politeSignal: 'SIGINT',
  command: geminiCommand,
  createNormalizer: (context) => new LineNormalizer(context, (run) => new GeminiReader(run)),
};
