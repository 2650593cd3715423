import { ensureCopilot } from '../../support/agents/copilot.ts';
import { copilotVariables } from '../../support/agents/environment.ts';
import { startModelServer } from '../../support/models/anthropic.ts';
import { copilotScenarios } from '../../support/models/scripts/copilotScenarios.ts';
import { describeAgent } from '../agentFlow.ts';

describeAgent(
  {
    label: 'Copilot CLI',
    name: 'copilot',
    install: ensureCopilot,
    serve: startModelServer,
    scenarios: copilotScenarios,
    variables: copilotVariables,
    permissionMode: 'acceptEdits',
  },
  {
    rows: ['menu.js', 'NOTES.md'],
    tokens: ['24 input, 100 output, 4,000 cache read, 2,000 cache write', '36 input, 150 output'],
    cost: 'estimated',
  },
);
