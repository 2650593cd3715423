import type { AgentChoices } from '../shared/choices.ts';

export const codexChoices: AgentChoices = {
  settings: 'codex',
  modes: [
    { id: 'default', args: [] },
    { id: 'read-only', args: ['--sandbox', 'read-only'] },
    { id: 'workspace-write', args: ['--sandbox', 'workspace-write'] },
    { id: 'danger-full-access', args: ['--sandbox', 'danger-full-access'], bypass: true },
    { id: 'bypassPermissions', args: ['--dangerously-bypass-approvals-and-sandbox'], bypass: true },
  ],
  models: [],
  limits: [],
  install: 'https://developers.openai.com/codex/cli',
};
