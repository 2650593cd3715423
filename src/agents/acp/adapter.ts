import type { AgentAdapter } from '../adapter.ts';
import { LineNormalizer } from '../shared/normalizer/lineNormalizer.ts';
import { AcpReader } from './normalize.ts';

const reported = { supported: true, reason: 'where the agent says so when it starts' } as const;

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
    fork: { supported: true, reason: 'from its end where the agent offers it; else with the transcript as text' },
    approvals: { supported: true },
    thinking: { supported: true, reason: 'where the agent tells it' },
    toolResults: { supported: true, reason: 'as far as the agent shows them to its client' },
    usage: { supported: true, reason: 'where the agent tells it' },
    cost: { supported: true, reason: 'where the agent tells it; else estimated from the tokens and the model' },
    subagents: { supported: true, reason: 'where the agent tells of them' },
    midRunMessages: { supported: true, reason: 'queued until the turn has ended; a turn can be cancelled' },
    modelChoice: reported,
    mcp: { supported: true, reason: 'servers over HTTP where the agent says that it can' },
  },
  ownVariables: [],
  politeSignal: 'SIGTERM',
  // The prompt is sent through the protocol, after the handshake; it is not on the command line.
  command: ({ options }) => ({ args: [...(options.extraArgs ?? [])], stdin: null, sessionId: null, warnings: [] }),
  createNormalizer: (context) => new LineNormalizer(context, (run) => new AcpReader(run)),
};
