import type { AgentAdapter } from '../../src/agents/adapter.ts';
import { LineNormalizer } from '../../src/agents/shared/normalizer/lineNormalizer.ts';
import { parrotCommand } from './command.ts';
import { ParrotReader } from './normalize.ts';

const no = (reason: string) => ({ supported: false, reason });

export const parrot: AgentAdapter = {
  // A placeholder. A real executor adds its own name to src/model/session/executorTypes.ts.
  type: 'cursor',
  label: 'Parrot',
  programs: ['parrot'],
  versionArgs: ['--version'],
  parseVersion: (output) => /^parrot (\S+)/.exec(output)?.[1] ?? null,
  capabilities: {
    resume: { supported: true },
    fork: no('it cannot copy a conversation'),
    approvals: no('it does not ask'),
    thinking: no('it does not print its thoughts'),
    toolResults: { supported: true },
    usage: { supported: true },
    cost: { supported: true },
    subagents: no('it works alone'),
    midRunMessages: no('it reads one prompt'),
    modelChoice: { supported: true },
    mcp: no('it has only its own tool'),
  },
  ownVariables: [/^PARROT_PERCH$/],
  politeSignal: 'SIGINT',
  command: parrotCommand,
  createNormalizer: (context) => new LineNormalizer(context, (run) => new ParrotReader(run)),
};
