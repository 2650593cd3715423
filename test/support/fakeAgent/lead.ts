import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { blueprintsFolder, loadBlueprints } from '../../../src/engine/blueprints/load.ts';
import { findBlueprint, startRequest, type BlueprintUse } from '../../../src/engine/blueprints/request.ts';
import type { EngineDeps } from '../../../src/engine/engineDeps.ts';
import type { SessionHandle } from '../../../src/engine/api.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { until } from '../until.ts';
import { type Bench, prompt, type Step } from './engine.ts';

type StartContext = Pick<BlueprintUse, 'options' | 'environment' | 'input'>;

/** Calls a tool of a run's MCP server from outside of the run. Returns the text of the answer. */
export type CallTool = (name: string, args?: object) => Promise<string>;

/** Agent files of a bench, and the tools with which they start each other. */
export class Leads {
  readonly #bench: Bench;
  readonly use: StartContext;

  constructor(bench: Bench, use: Partial<StartContext> = {}) {
    this.#bench = bench;
    this.use = { options: () => ({}), environment: {}, input: () => Promise.resolve(undefined), ...use };
  }

  readonly load = (folder: string) =>
    loadBlueprints([{ folder: path.join(folder, blueprintsFolder), level: 'workspace' }]);

  engine(access: Partial<EngineDeps['blueprints']> = {}): Promise<Engine> {
    return this.#bench.engine({ blueprints: { load: this.load, use: this.use, ...access } });
  }

  write(name: string, text: string): void {
    const folder = path.join(this.#bench.cwd, blueprintsFolder);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `${name}.yaml`), text);
  }

  async start(engine: Engine, name: string, steps: readonly Step[]): Promise<SessionHandle> {
    const { cwd } = this.#bench;
    const words = prompt([{ init: true }, ...steps, { result: {} }]);
    const agent = findBlueprint(await this.load(cwd), name);
    return engine.start(await startRequest(agent, { ...this.use, cwd, prompt: words }));
  }

  /** Tools of the run whose agent wrote its arguments to `note`. */
  async tools(note: string): Promise<CallTool> {
    const text = await until('what it was given', async () => {
      const read = await readFile(note, 'utf8').catch(() => '');
      return read.endsWith('}') ? read : undefined;
    });
    type McpConfig = { config: { mcpServers: { vitrine: { url: string; headers: Record<string, string> } } } };
    const { url, headers } = (JSON.parse(text) as McpConfig).config.mcpServers.vitrine;
    const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return async (name, args = {}) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, ...accept },
        body: JSON.stringify(call),
      });
      const body = await response.text();
      const data = body.split('\n').find((line) => line.startsWith('data: {'));
      type Answer = { result?: { content: { text: string }[] }; error?: { message: string } };
      const { result, error } = JSON.parse(data?.slice('data: '.length) ?? body) as Answer;
      return error?.message ?? result?.content[0]?.text ?? '';
    };
  }

  /** Files of pending callbacks. */
  callbacks(): readonly string[] {
    const folder = path.join(this.#bench.store, 'callbacks');
    return existsSync(folder) ? readdirSync(folder) : [];
  }
}
