import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import path from 'node:path';
import type { McpServer } from '../../src/model/agent/mcpServer.ts';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { codexVariables, configureCodex, ensureCodex } from '../support/agents/codex.ts';
import { ensureCopilot } from '../support/agents/copilot.ts';
import { copilotVariables } from '../support/agents/environment.ts';
import { configureGemini, ensureGemini, geminiVariables } from '../support/agents/gemini.ts';
import { ended, entriesOf } from '../support/agents/runs.ts';
import { agentSuite, type AgentSuiteOptions } from '../support/agents/suite.ts';
import type { Scenarios } from '../support/models/scripts/scenario.ts';
import { startGeminiServer } from '../support/models/gemini.ts';
import { startOpenaiServer } from '../support/models/openai.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';

const secret = 'kept-from-the-record';
const probe = path.resolve('test/support/agents/probeServer.mjs');

/** An agent ends with the answer, started servers or not: the model leaves it all the time to start them. */
const scenarios = (): Scenarios => ({ hello: [{ hang: true }] });

const codex = (version: '0.169.0' | '0.77.0'): AgentSuiteOptions => ({
  ensure: () => ensureCodex(version),
  runs: 'codex',
  name: 'codex',
  variables: codexVariables,
  serve: startOpenaiServer,
  configure: (home, modelUrl) => configureCodex(home, modelUrl, version),
});

const gemini: Omit<AgentSuiteOptions, 'runs'> = {
  ensure: ensureGemini,
  name: 'gemini',
  variables: geminiVariables,
  serve: startGeminiServer,
  configure: configureGemini,
};

const agents: Readonly<Record<string, AgentSuiteOptions>> = {
  'Claude Code 2.1.328': { ensure: () => ensureClaudeCode('2.1.328'), runs: 'claude-code' },
  'Claude Code 2.0.77': { ensure: () => ensureClaudeCode('2.0.77'), runs: 'claude-code' },
  'Claude Code 1.0.3': { ensure: () => ensureClaudeCode('1.0.3'), runs: 'claude-code' },
  'Codex 0.169.0': codex('0.169.0'),
  'Codex 0.77.0': codex('0.77.0'),
  'Copilot CLI': { ensure: ensureCopilot, runs: 'copilot', name: 'copilot', variables: copilotVariables },
  'Gemini CLI': { ...gemini, runs: 'gemini' },
  'Gemini CLI by the Agent Client Protocol': { ...gemini, runs: 'acp', profile: 'gemini-acp' },
};

for (const [name, options] of Object.entries(agents)) {
  describe(`MCP servers given to ${name}`, function () {
    const agent = agentSuite({ ...options, scenarios });
    const asked: IncomingHttpHeaders[] = [];
    let remote: Server | undefined;
    after(() => remote?.close());

    it('are started and called, with their environment', async function () {
      if (name === 'Gemini CLI' && !isRootsOwn(agent.place.store)) skip(this, 'not all folders above belong to root');
      remote = createServer((request, response) => {
        asked.push(request.headers);
        response.writeHead(404).end();
      });
      remote.listen(0, '127.0.0.1');
      await once(remote, 'listening');
      const address = remote.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const note = path.join(agent.place.store, '..', 'probe.json');
      const handle = await agent.runs.start('Say hello. [[hello]]', {
        mcpServers: {
          probe: {
            type: 'stdio',
            command: process.execPath,
            args: [probe, 'an "argument" of two'],
            env: { PROBE_NOTE: note, PROBE_SECRET: secret },
          },
          remote: { type: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: `Bearer ${secret}` } },
        },
      });
      const noted = await until('the server over stdio', () => {
        try {
          return JSON.parse(readFileSync(note, 'utf8')) as unknown;
        } catch {
          return undefined;
        }
      });
      assert.deepEqual(noted, { args: ['an "argument" of two'], secret });
      if (name.endsWith(' 1.0.3')) {
        await agent.runs.engine.stop(handle.id);
        await ended(handle);
        const said = (await entriesOf(handle)).map(({ content }) => content);
        assert.ok(said.some((warning) => warning.includes('MCP servers over HTTP, so it runs without remote')));
        return;
      }
      await until('a request to the server over HTTP', () =>
        asked.some(({ authorization }) => authorization === `Bearer ${secret}`),
      );
      await agent.runs.engine.stop(handle.id);
      await ended(handle);
      const record = readFileSync(path.join(agent.place.store, 'sessions', handle.id, 'record.jsonl'), 'utf8');
      assert.ok(!record.includes(secret));
    });
  });
}

describe('MCP servers given to Gemini CLI from a folder that others can write to', function () {
  const agent = agentSuite({ ...gemini, runs: 'gemini' });

  it('are not started, and the transcript says so', async () => {
    mkdirSync(agent.place.store);
    chmodSync(agent.place.store, 0o777);
    const probed: McpServer = { type: 'stdio', command: process.execPath, args: [probe], env: {} };
    const handle = await agent.runs.start('Say hello. [[hello]]', { mcpServers: { probe: probed } });
    const { success, warnings } = await ended(handle);
    assert.equal(success, true);
    assert.match(
      warnings?.join('\n') ?? '',
      /files that root owns, so it runs without them\. To use them, set executor_type to acp/,
    );
  });
});

/** Whether only root can write to a folder and to those above it. */
function isRootsOwn(folder: string): boolean {
  if (!existsSync(folder)) return isRootsOwn(path.dirname(folder));
  const { uid, mode } = statSync(folder);
  const above = path.dirname(folder);
  return uid === 0 && (mode & 0o022) === 0 && (above === folder || isRootsOwn(above));
}
