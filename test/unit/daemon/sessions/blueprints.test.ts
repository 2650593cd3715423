import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { daemonBlueprints } from '../../../../src/daemon/sessions/blueprints.ts';
import { ClientContexts } from '../../../../src/daemon/clients/contexts.ts';
import type { BlueprintAccess } from '../../../../src/engine/blueprints/access.ts';
import { findBlueprint, startRequest } from '../../../../src/engine/blueprints/request.ts';
import { rememberTrust } from '../../../../src/engine/blueprints/trusted.ts';
import type { ClientContext } from '../../../../src/protocol/daemon/context.ts';

const plain = 'description: Plain\nsystem_prompt: Be plain.\n';
const serving =
  'description: Serves\nmcp_servers: { tool: { type: stdio, command: ./tool, args: ["${input:key}"] } }\n';

describe('agent files of a repository, in the daemon', () => {
  let dir: string;
  let cwd: string;
  let contexts: ClientContexts;
  let access: BlueprintAccess;
  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'vitrine-blueprints-'));
    cwd = path.join(dir, 'work');
    await mkdir(path.join(cwd, '.vitrine/agents'), { recursive: true });
    await writeFile(path.join(cwd, '.vitrine/agents/plain.yaml'), plain);
    await writeFile(path.join(cwd, '.vitrine/agents/serves.yaml'), serving);
    contexts = new ClientContexts();
    access = daemonBlueprints({
      contexts,
      input: () => Promise.resolve('typed'),
      onUndeliveredCallbacks: () => undefined,
    });
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const context = (change: Partial<ClientContext>): ClientContext => ({
    folder: cwd,
    trusted: true,
    environment: { HOME: dir },
    settings: {},
    ...change,
  });
  const startable = async (): Promise<string[]> =>
    (await access.load(cwd)).filter(({ agent }) => agent !== null).map(({ name }) => name);

  it('start for a terminal if they need no trust, or the user trusts their current content', async () => {
    contexts.add(context({}), 'terminal');
    assert.deepEqual(await startable(), ['plain']);
    contexts.add(context({ trusted: false, workspaceAgents: true }), 'terminal');
    assert.deepEqual(await startable(), []);
    contexts.add(context({ workspaceAgents: true }), 'window');
    assert.deepEqual(await startable(), ['plain', 'serves']);
    const all = await access.load(cwd);
    const [serves] = all.filter(({ name }) => name === 'serves');
    assert.ok(serves);
    await rememberTrust(serves, dir);
    contexts.add(context({}), 'window');
    assert.deepEqual(await startable(), ['plain', 'serves']);
  });

  it("get inputs from the client's environment, else from the user", async () => {
    contexts.add(context({ workspaceAgents: true, environment: { HOME: dir, VITRINE_INPUT_KEY: 'given' } }), 'window');
    const agent = findBlueprint(await access.load(cwd), 'serves');
    const args = async (): Promise<unknown> => {
      const { options } = await startRequest(agent, { ...access.use, prompt: 'x', cwd });
      const server = options?.mcpServers?.['tool'];
      return server !== undefined && 'args' in server ? server.args : undefined;
    };
    assert.deepEqual(await args(), ['given']);
    contexts.add(context({ workspaceAgents: true }), 'window');
    assert.deepEqual(await args(), ['typed']);
  });
});
