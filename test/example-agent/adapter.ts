import type { AgentAdapter } from '../../src/agents/adapter.ts';
import { LineNormalizer } from '../../src/agents/shared/normalizer/lineNormalizer.ts';
import { parrotCommand } from './command.ts';
import { ParrotReader } from './normalize.ts';

const no = (reason: string) => ({ supported: false, reason });

export const parrot: AgentAdapter = {
  // Borrowed. A real executor puts a name of its own into src/model/session/executorTypes.ts.
  type: 'cursor',
  label: 'Parrot',
  programs: ['parrot'],
  versionArgs: ['--version'],
  parseVersion: (output) => /^parrot (\S+)/.exec(output)?.[1] ?? null,
  capabilities: {
    resume: { supported: true },
    fork: no('a parrot has one memory of a conversation'),
    approvals: no('it does not ask'),
    thinking: no('it does not tell what it thinks'),
    toolResults: { supported: true },
    usage: { supported: true },
    cost: { supported: true },
    subagents: no('it works alone'),
    midRunMessages: no('it listens once'),
    modelChoice: { supported: true },
    mcp: no('it has its own tool only'),
  },
  ownVariables: [/^PARROT_PERCH$/],
  politeSignal: 'SIGINT',
  command: parrotCommand,
  createNormalizer: (context) => new LineNormalizer(context, (run) => new ParrotReader(run)),
};
