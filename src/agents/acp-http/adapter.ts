import type { AgentAdapter } from '../adapter.ts';
import { LineNormalizer } from '../shared/normalizer/lineNormalizer.ts';
import { EventStreamNormalizer } from './eventStream.ts';
import { AcpHttpReader } from './normalize.ts';

/** An agent on a server that speaks the Agent Communication Protocol. Its URL is in the settings. */
export const acpHttp: AgentAdapter = {
  type: 'acp-http',
  label: 'Agent Communication Protocol',
  protocol: 'acp-http',
  programs: [],
  versionArgs: [],
  parseVersion: () => null,
  capabilities: {
    resume: { supported: true, reason: 'with a session id, where the server keeps sessions' },
    fork: { supported: false, reason: 'the protocol cannot fork a session' },
    approvals: { supported: false, reason: 'the agent can ask a question, which is no permission of a kind we know' },
    thinking: { supported: true, reason: 'as trajectory, where the agent sends it' },
    toolResults: { supported: true, reason: 'as trajectory, where the agent sends it' },
    usage: { supported: false, reason: 'the protocol tells no tokens' },
    cost: { supported: false, reason: 'the protocol tells neither tokens nor cost' },
    subagents: { supported: false, reason: 'the protocol does not tell of them' },
    midRunMessages: { supported: false, reason: 'only as the answer to a question of the agent' },
    modelChoice: { supported: false, reason: 'the server decides' },
    mcp: { supported: false, reason: 'the server decides' },
  },
  ownVariables: [],
  politeSignal: 'SIGTERM',
  // There is no program to start: the engine asks the server.
  command: () => ({ args: [], stdin: null, sessionId: null, warnings: [] }),
  createNormalizer: (context) =>
    new EventStreamNormalizer(new LineNormalizer(context, (run) => new AcpHttpReader(run))),
};
