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
    resume: { supported: true, reason: 'if the server keeps sessions' },
    fork: { supported: false, reason: 'the protocol cannot fork a session' },
    approvals: { supported: false, reason: 'the agent can ask questions, but cannot request permissions' },
    thinking: { supported: true, reason: 'if the agent sends trajectories' },
    toolResults: { supported: true, reason: 'if the agent sends trajectories' },
    usage: { supported: false, reason: 'the protocol does not report tokens' },
    cost: { supported: false, reason: 'the protocol reports neither tokens nor cost' },
    subagents: { supported: false, reason: 'the protocol does not report them' },
    midRunMessages: { supported: false, reason: 'only as answers to the agent’s questions' },
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
