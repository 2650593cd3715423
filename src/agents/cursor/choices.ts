import type { AgentChoices } from '../shared/choices.ts';

export const cursorChoices: AgentChoices = {
  settings: 'cursor',
  modes: [
    { id: 'default', args: [] },
    { id: 'plan', args: ['--mode', 'plan'] },
    { id: 'ask', args: ['--mode', 'ask'] },
    { id: 'force', args: ['--force'], bypass: true },
  ],
  models: ['auto'],
  limits: [],
  install: 'https://cursor.com/docs/cli/installation',
};
