import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SessionHandle } from '../../src/engine/api.ts';
import { blueprintsFolder, loadBlueprints } from '../../src/engine/blueprints/load.ts';
import { findBlueprint, startRequest } from '../../src/engine/blueprints/request.ts';
import { Engine } from '../../src/engine/engine.ts';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { agentPlace, type AgentPlace } from '../support/agents/place.ts';
import { toolsOf } from '../support/agents/runs.ts';
import { talkingDeps } from '../support/agents/talk.ts';
import { type Scenarios, text, tool } from '../support/models/scripts/scenario.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';

const start = (prompt: string, execution_mode: string) =>
  tool('mcp__vitrine__start_session', { agent_name: 'helper', prompt, execution_mode });

const scenarios = (): Scenarios => ({
  lead: [
    { blocks: [start('Help. [[help]]', 'sync')] },
    { blocks: [start('Help later. [[later]]', 'async_callback')] },
    { blocks: [text('Both were asked.')] },
  ],
  help: [{ blocks: [text('I helped at once.')] }],
  // What a child says chooses what its parent is told by the model when that has it.
  later: [{ blocks: [text('I helped later. [[told]]')] }],
  told: [{ blocks: [text('Now I know of both.')] }],
});

for (const version of ['2.1.328', '2.0.77'] as const) {
  describe(`Claude Code ${version} with agents from files`, function () {
    let place: AgentPlace | undefined;
    let engine: Engine | undefined;
    afterEach(async () => {
      await engine?.dispose();
      await place?.remove();
    });

    it('starts two children, waits for one, and is notified of the other', async function () {
      const installed = await ensureClaudeCode(version);
      if ('missing' in installed) skip(this, installed.missing);
      // Nothing is allowed unasked but what Vitrine allows.
      place = await agentPlace(installed.program, { scenarios, configure: () => undefined });
      const { workspace } = place;
      const folder = path.join(workspace, blueprintsFolder);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'lead.yaml'), 'system_prompt: You lead.\nlimits: { max_children: 2 }\n');
      writeFileSync(path.join(folder, 'helper.yaml'), 'description: Helps\nsystem_prompt: You help.\n');
      const load = (from: string) =>
        loadBlueprints([{ folder: path.join(from, blueprintsFolder), level: 'workspace' }]);
      const use = { options: () => ({}), environment: {}, input: () => Promise.resolve(undefined) };
      engine = new Engine({ ...talkingDeps(place), interactive: false, blueprints: { load, use } });
      const lead = findBlueprint(await load(workspace), 'lead');
      const parent = await engine.start(await startRequest(lead, { ...use, cwd: workspace, prompt: 'Lead. [[lead]]' }));
      const result = await parent.done;
      assert.equal(result?.success, true, result?.error);
      const all = (): Promise<readonly (readonly [string, string])[]> => said(parent);
      await until('the callback', async () => (await all()).some(([, content]) => content === 'Now I know of both.'));
      await until('its end', () => parent.summary().status === 'finished');

      const calls = await toolsOf(parent);
      assert.deepEqual(
        calls.map(({ toolName, status }) => [toolName, status]),
        [
          ['mcp__vitrine__start_session', 'success'],
          ['mcp__vitrine__start_session', 'success'],
        ],
      );
      assert.match(JSON.stringify(calls[0]), /I helped at once\./);
      assert.doesNotMatch(JSON.stringify(calls[1]), /I helped later\./);
      const origins = (await all()).filter(([kind]) => kind.startsWith('user_message')).map(([kind]) => kind);
      assert.deepEqual(origins, ['user_message human', 'user_message callback']);
      const children = (await engine.list()).filter(({ parent_session_id: id }) => id === parent.id);
      assert.deepEqual(
        children.map(({ agent_name, execution_mode, outcome }) => [agent_name, execution_mode, outcome]).sort(),
        [
          ['helper', 'async_callback', 'completed'],
          ['helper', 'sync', 'completed'],
        ],
      );
      // Each was given its own instructions.
      const reported = (scenario: string) =>
        JSON.stringify(place?.model.asked.find((request) => request.scenario === scenario)?.request);
      assert.match(reported('lead'), /You lead\./);
      assert.match(reported('help'), /You help\./);
      assert.ok(!reported('help').includes('mcp__vitrine'), 'a helper may start nobody');
      parent.dispose();
    });
  });
}

async function said(handle: SessionHandle): Promise<(readonly [string, string])[]> {
  const entries = await handle.read(0, handle.entryCount());
  return entries.map(({ type, origin, content }) => [`${type.kind} ${origin ?? ''}`.trim(), content] as const);
}
