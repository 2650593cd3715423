/**
 * `serve.ts [--port N] [--workdir DIR]`: the scripted model by hand. Start an agent with ANTHROPIC_BASE_URL set to the
 * address it prints, and name a scenario in the prompt: "[[hello]]". Ends with Ctrl-C.
 */
import { parseArgs } from 'node:util';
import { startModelServer } from './anthropic.ts';
import { testScenarios } from './scenarios.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, workdir: { type: 'string', default: process.cwd() } },
});
const scenarios = testScenarios(values.workdir);
const server = await startModelServer({ scenarios, port: Number(values.port) });
console.log(`ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=dummy`);
console.log(`Scenarios: ${Object.keys(scenarios).join(', ')}`);
process.once('SIGINT', () => void server.stop());
