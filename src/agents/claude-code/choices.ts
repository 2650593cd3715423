import type { AgentChoices } from '../shared/choices.ts';

export const claudeChoices: AgentChoices = {
  settings: 'claude',
  modes: [
    // The default of every version; newer versions no longer accept it as a value.
    { id: 'default', args: [] },
    { id: 'plan', args: ['--permission-mode', 'plan'] },
    { id: 'acceptEdits', args: ['--permission-mode', 'acceptEdits'] },
    { id: 'auto', args: ['--permission-mode', 'auto'] },
    { id: 'dontAsk', args: ['--permission-mode', 'dontAsk'] },
    { id: 'bypassPermissions', args: ['--dangerously-skip-permissions'], bypass: true },
  ],
  models: ['sonnet', 'opus', 'haiku'],
  limits: [
    { name: 'maxTurns', minimum: 1, isInteger: true },
    { name: 'maxBudgetUsd', minimum: 0.01, isInteger: false },
  ],
  install: 'https://docs.claude.com/en/docs/claude-code/setup',
};
