import type { AgentAdapter } from '../adapter.ts';
import { LineNormalizer } from '../shared/normalizer/lineNormalizer.ts';
import { AcpReader } from './normalize.ts';

const reported = { supported: true, reason: 'if the agent reports it when it starts' } as const;

/** Any agent that speaks the Agent Client Protocol over stdio. The settings name the program. */
export const acp: AgentAdapter = {
  type: 'acp',
  label: 'Agent Client Protocol',
  protocol: 'acp',
  programs: [],
  versionArgs: ['--version'],
  parseVersion: (output) => /(\d+\.\d+\.\d+\S*)/.exec(output)?.[1] ?? null,
  capabilities: {
    resume: reported,
    fork: { supported: true, reason: 'at its end if the agent supports it; otherwise from the transcript as text' },
    approvals: { supported: true },
    thinking: { supported: true, reason: 'if the agent reports it' },
    toolResults: { supported: true, reason: 'only those that the agent sends to its client' },
    usage: { supported: true, reason: 'if the agent reports it' },
    cost: { supported: true, reason: 'if the agent reports it; otherwise estimated from the tokens and the model' },
    subagents: { supported: true, reason: 'if the agent reports them' },
    midRunMessages: { supported: true, reason: 'queued until the turn ends; you can cancel a turn' },
    modelChoice: reported,
    mcp: { supported: true, reason: 'HTTP servers only if the agent supports them' },
  },
  ownVariables: [],
  politeSignal: 'SIGTERM',
  // The prompt is sent through the protocol, after the handshake; it is not on the command line.
  command: ({ options }) => ({ args: [...(options.extraArgs ?? [])], stdin: null, sessionId: null, warnings: [] }),
  createNormalizer: (context) => new LineNormalizer(context, (run) => new AcpReader(run)),
};
