import { configureGemini, ensureGemini, geminiVariables } from '../../support/agents/gemini.ts';
import { startGeminiServer } from '../../support/models/gemini.ts';
import { geminiScenarios } from '../../support/models/scripts/geminiScenarios.ts';
import { describeAgent } from '../agentFlow.ts';

describeAgent(
  {
    label: 'Gemini CLI',
    name: 'gemini',
    install: ensureGemini,
    serve: startGeminiServer,
    scenarios: geminiScenarios,
    variables: (url) => ({ ...geminiVariables(url), GEMINI_MODEL: 'gemini-2.5-pro' }),
    configure: configureGemini,
    permissionMode: 'auto_edit',
  },
  {
    rows: ['menu.js', 'NOTES.md'],
    tokens: ['1,200 input, 180 output, 2,400 cache read', '1,600 input, 240 output'],
    cost: 'estimated',
  },
);
