import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import path from 'node:path';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { codexVariables, configureCodex, ensureCodex } from '../support/agents/codex.ts';
import { ensureCopilot } from '../support/agents/copilot.ts';
import { copilotVariables } from '../support/agents/environment.ts';
import { configureGemini, ensureGemini, geminiVariables } from '../support/agents/gemini.ts';
import { ended, entriesOf } from '../support/agents/runs.ts';
import { agentSuite, type AgentSuiteOptions } from '../support/agents/suite.ts';
import { startGeminiServer } from '../support/models/gemini.ts';
import { startOpenaiServer } from '../support/models/openai.ts';
import { until } from '../support/until.ts';

const secret = 'kept-from-the-record';
const probe = path.resolve('test/support/agents/probeServer.mjs');

const codex = (version: '0.169.0' | '0.77.0'): AgentSuiteOptions => ({
  ensure: () => ensureCodex(version),
  runs: 'codex',
  name: 'codex',
  variables: codexVariables,
  serve: startOpenaiServer,
  configure: (home, modelUrl) => configureCodex(home, modelUrl, version),
});

const agents: Readonly<Record<string, AgentSuiteOptions>> = {
  'Claude Code 2.1.328': { ensure: () => ensureClaudeCode('2.1.328'), runs: 'claude-code' },
  'Claude Code 2.0.77': { ensure: () => ensureClaudeCode('2.0.77'), runs: 'claude-code' },
  'Claude Code 1.0.3': { ensure: () => ensureClaudeCode('1.0.3'), runs: 'claude-code' },
  'Codex 0.169.0': codex('0.169.0'),
  'Codex 0.77.0': codex('0.77.0'),
  'Copilot CLI': { ensure: ensureCopilot, runs: 'copilot', name: 'copilot', variables: copilotVariables },
  'Gemini CLI': {
    ensure: ensureGemini,
    runs: 'gemini',
    name: 'gemini',
    variables: geminiVariables,
    // It ends with the answer, started servers or not: the model leaves it all the time to start them.
    serve: (options) => startGeminiServer({ ...options, scenarios: { hello: [{ hang: true }] } }),
    configure: configureGemini,
  },
};

for (const [name, options] of Object.entries(agents)) {
  describe(`MCP servers given to ${name}`, function () {
    this.timeout(120_000);
    const agent = agentSuite(options);
    const asked: IncomingHttpHeaders[] = [];
    let remote: Server | undefined;
    after(() => remote?.close());

    it('are started and asked, with what they need', async () => {
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
        await ended(handle);
        const said = (await entriesOf(handle)).map(({ content }) => content);
        assert.ok(said.some((each) => each.includes('no MCP servers over HTTP; it runs without remote')));
        return;
      }
      await until('a request to the server over HTTP', () =>
        asked.some(({ authorization }) => authorization === `Bearer ${secret}`),
      );
      if (name === 'Gemini CLI') await agent.runs.engine.stop(handle.id);
      await ended(handle);
      const record = readFileSync(path.join(agent.place.store, 'sessions', handle.id, 'record.jsonl'), 'utf8');
      assert.ok(!record.includes(secret));
    });
  });
}
