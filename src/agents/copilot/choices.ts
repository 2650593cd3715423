import type { AgentChoices } from '../shared/choices.ts';

export const copilotChoices: AgentChoices = {
  settings: 'copilot',
  modes: [
    { id: 'default', args: [] },
    { id: 'plan', args: ['--mode', 'plan'] },
    { id: 'acceptEdits', args: ['--allow-tool=write'] },
    { id: 'bypassPermissions', args: ['--allow-all-tools'], bypass: true },
  ],
  models: [],
  limits: [{ name: 'maxAiCredits', minimum: 30, isInteger: true }],
  install: 'https://docs.github.com/en/copilot/how-tos/set-up/install-copilot-cli',
};
