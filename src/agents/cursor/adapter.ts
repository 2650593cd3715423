import type { AgentAdapter } from '../adapter.ts';
import { LineNormalizer } from '../shared/normalizer/lineNormalizer.ts';
import { cursorCommand } from './command.ts';
import { CursorReader } from './normalize.ts';
import { isOwnLine } from './wire.ts';

const supported = { supported: true } as const;

/** Cursor's command line agent, run once per turn. */
export const cursor: AgentAdapter = {
  type: 'cursor',
  label: 'Cursor',
  programs: ['cursor-agent', 'agent'],
  versionArgs: ['--version'],
  parseVersion: (output) => /^v?(\d{4}\.\d{2}\.\d{2}\S*|\d+\.\d+\.\d+\S*)\s*$/m.exec(output)?.[1] ?? null,
  capabilities: {
    resume: supported,
    fork: { supported: false, reason: 'Cursor cannot fork a conversation' },
    approvals: { supported: false, reason: 'without a terminal, Cursor refuses actions that are not allowed' },
    thinking: { supported: true, reason: 'if the version prints it' },
    toolResults: supported,
    usage: { supported: true, reason: 'if the version prints it' },
    cost: { supported: false, reason: 'Cursor prints no cost, and only a display name of the model' },
    subagents: { supported: true, reason: 'prompts and answers, but not their steps' },
    midRunMessages: { supported: false, reason: 'one prompt per run; further messages resume the session' },
    modelChoice: supported,
    mcp: { supported: false, reason: 'only servers from its own configuration' },
  },
  ownVariables: [/^CURSOR_AGENT$/, /^CURSOR_(?:TRACE|SESSION|INVOKED)_.*$/],
  politeSignal: 'SIGINT',
  command: cursorCommand,
  createNormalizer: (context) => new LineNormalizer(context, (run) => new CursorReader(run)),
  isOwn: isOwnLine,
};
