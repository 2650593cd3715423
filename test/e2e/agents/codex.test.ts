import { codexVariables, configureCodex, ensureCodex } from '../../support/agents/codex.ts';
import { codexScenarios } from '../../support/models/scripts/codexScenarios.ts';
import { startOpenaiServer } from '../../support/models/openai.ts';
import { describeAgent } from '../agentFlow.ts';

const version = '0.169.0';

describeAgent(
  {
    label: 'Codex',
    name: 'codex',
    install: () => ensureCodex(version),
    serve: startOpenaiServer,
    scenarios: () => codexScenarios(version),
    variables: codexVariables,
    configure: (home, modelUrl) => configureCodex(home, modelUrl, version),
    permissionMode: 'danger-full-access',
  },
  {
    rows: ['echo seen; exit 3', 'NOTES.md'],
    tokens: ['1,200 input, 180 output, 2,400 cache read, 300 cache write', '1,600 input, 240 output'],
    cost: 'estimated',
  },
);
