import type { AgentChoices } from '../shared/choices.ts';

export const geminiChoices: AgentChoices = {
  settings: 'gemini',
  modes: [
    { id: 'default', args: [] },
    { id: 'plan', args: ['--approval-mode', 'plan'] },
    { id: 'auto_edit', args: ['--approval-mode', 'auto_edit'] },
    { id: 'yolo', args: ['--approval-mode', 'yolo'], bypass: true },
  ],
  models: ['auto'],
  limits: [],
  install: 'https://github.com/google-gemini/gemini-cli#-installation',
};
