/**
 * `serve.ts [--api anthropic|openai|gemini] [--port N] [--workdir DIR]`: runs the scripted model manually. Start an
 * agent with the printed settings, and name a scenario in the prompt: "[[change]]". Ctrl-C stops it.
 */
import { parseArgs } from 'node:util';
import { startModelServer } from './anthropic.ts';
import { codexScenarios } from './scripts/codexScenarios.ts';
import { startGeminiServer } from './gemini.ts';
import { geminiScenarios } from './scripts/geminiScenarios.ts';
import { startOpenaiServer } from './openai.ts';
import type { Scenarios } from './scripts/scenario.ts';
import { testScenarios } from './scripts/scenarios.ts';
import type { ModelServer, ModelServerOptions } from './server.ts';

interface Api {
  readonly scenarios: (workspace: string) => Scenarios;
  readonly start: (options: ModelServerOptions) => Promise<ModelServer>;
  /** Instructions for the agent. */
  readonly use: (url: string) => string;
}

const apis: Readonly<Partial<Record<string, Api>>> = {
  anthropic: {
    scenarios: testScenarios,
    start: startModelServer,
    use: (url) => `ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=dummy`,
  },
  openai: {
    scenarios: () => codexScenarios('0.169.0'),
    start: startOpenaiServer,
    use: (url) => `config.toml of Codex, a model provider with: base_url = "${url}/v1", wire_api = "responses"`,
  },
  gemini: {
    scenarios: geminiScenarios,
    start: startGeminiServer,
    use: (url) => `GOOGLE_GEMINI_BASE_URL=${url} GEMINI_API_KEY=dummy`,
  },
};

const { values } = parseArgs({
  options: {
    api: { type: 'string', default: 'anthropic' },
    port: { type: 'string', default: '0' },
    workdir: { type: 'string', default: process.cwd() },
  },
});
const api = apis[values.api];
if (api === undefined) throw new Error(`There is no API "${values.api}": ${Object.keys(apis).join(', ')}`);
const scenarios = api.scenarios(values.workdir);
const server = await api.start({ scenarios, port: Number(values.port) });
console.log(api.use(server.url));
console.log(`Scenarios: ${Object.keys(scenarios).join(', ')}`);
process.once('SIGINT', () => void server.stop());
