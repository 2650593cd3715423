import assert from 'node:assert/strict';
import path from 'node:path';
import { acpPresets } from '../../../../src/agents/acp/presets.ts';
import { capabilities, options, ScriptedAgent } from '../../../support/acpAgent/scripted.ts';

const modes = {
  modes: {
    currentModeId: 'ask',
    availableModes: [
      { id: 'ask', name: 'Ask' },
      { id: 'https://x#plan', name: 'Plan' },
    ],
  },
  configOptions: [
    { id: 'm', category: 'model', type: 'select', options: [{ value: 'opus', name: 'Opus 5' }] },
    {
      id: 'mode',
      category: 'mode',
      type: 'select',
      options: [{ group: 'g', options: [{ value: 'yolo', name: 'All' }] }],
    },
  ],
};

describe('a conversation in the Agent Client Protocol', () => {
  let agent: ScriptedAgent;
  const begin = (...args: ConstructorParameters<typeof ScriptedAgent>): ScriptedAgent =>
    (agent = new ScriptedAgent(...args));
  afterEach(() => agent.end());

  it('initializes, opens a session, sends the prompt, and then the next message in the same process', async () => {
    begin();
    agent.dialogue.begin();
    const greeting = await agent.sent.next();
    assert.equal(greeting.method, 'initialize');
    assert.deepEqual(greeting.params, {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
      clientInfo: { name: 'vitrine', title: 'Vitrine', version: '0.0.0' },
    });
    agent.answer(greeting, capabilities);
    const opening = await agent.sent.next();
    assert.equal(opening.method, 'session/new');
    assert.deepEqual(opening.params, { cwd: agent.folder, mcpServers: [] });
    agent.answer(opening, { sessionId: 's1' });
    const first = await agent.sent.next();
    assert.equal(first.method, 'session/prompt');
    assert.deepEqual(first.params, { sessionId: 's1', prompt: [{ type: 'text', text: 'Hello' }] });
    agent.answer(first, { stopReason: 'end_turn' });
    await agent.turnsOver.next();
    agent.dialogue.sendMessage('And again');
    agent.dialogue.sendMessage('And once more');
    const second = await agent.sent.next();
    assert.equal(second.params?.prompt?.[0]?.text, 'And again');
    assert.equal(agent.sent.size, 0);
    agent.answer(second, { stopReason: 'end_turn' });
    const third = await agent.sent.next();
    assert.equal(third.params?.prompt?.[0]?.text, 'And once more');
    agent.answer(third, { stopReason: 'end_turn' });
    await agent.turnsOver.next();
    assert.equal(agent.turnsOver.size, 0);
  });

  it('reports both versions if the agent uses another one', async () => {
    begin();
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), { ...capabilities, protocolVersion: 7 });
    assert.match(await agent.failures.next(), /uses version 7 of .*Vitrine supports version 1/);
    agent.end();
    begin();
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), {});
    assert.match(await agent.failures.next(), /does not say which version/);
  });

  it('times out if an agent does not answer', async () => {
    const deadlines = { greeting: 1, opening: 1, cancel: 1 };
    begin({ deadlines });
    agent.dialogue.begin();
    assert.match(await agent.failures.next(), /no answer to initialize .*scripted --acp/);
    agent.end();
    begin({ deadlines });
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    assert.match(await agent.failures.next(), /no answer to session\/new/);
    agent.end();
    begin({ deadlines });
    await agent.toPrompt();
    agent.dialogue.interrupt();
    assert.match(await agent.failures.next(), /did not end its turn/);
  });

  it('says how to log in, and never logs in on its own', async () => {
    begin();
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    agent.refuse(await agent.sent.next(), -32000, 'Authentication required');
    assert.match(await agent.failures.next(), /not logged in.*\(scripted --acp\).*Account: Run `scripted login`/);
    assert.equal(agent.sent.size, 0);
    agent.end();
    begin({ preset: acpPresets.find(({ id }) => id === 'codex-acp') });
    agent.refuse(await agent.toPrompt(), -32000, 'Authentication required');
    assert.match(await agent.failures.next(), /\(codex login\)/);
    assert.equal(agent.turnsOver.size, 0);
  });

  it('reports the error of an agent that does not open a session', async () => {
    begin();
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    agent.refuse(await agent.sent.next(), -32603, 'Internal error', { details: 'no disk' });
    assert.equal(await agent.failures.next(), 'it returned an error: Internal error: no disk');
    agent.end();
    begin();
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    agent.answer(await agent.sent.next(), { sessionId: 7 });
    assert.match(await agent.failures.next(), /without an ID/);
  });

  it('resumes a session in the way that the agent supports', async () => {
    const opening = async (greeting: object, resume = 'old') => {
      begin({ conversation: { resume } });
      agent.dialogue.begin();
      agent.answer(await agent.sent.next(), greeting);
      const { method, params } = await agent.sent.next();
      agent.end();
      return [method, params?.sessionId] as const;
    };
    assert.deepEqual(await opening(capabilities), ['session/resume', 'old']);
    const loads = { ...capabilities, agentCapabilities: { loadSession: true } };
    assert.deepEqual(await opening(loads), ['session/load', 'old']);
    assert.deepEqual(await opening({ ...capabilities, agentInfo: { name: 'Copilot' } }), ['session/load', 'old']);
    for (const greeting of [{ ...loads, agentInfo: { name: 'gemini-cli' } }, { protocolVersion: 1 }]) {
      begin({ conversation: { resume: 'old' } });
      agent.dialogue.begin();
      agent.answer(await agent.sent.next(), greeting);
      assert.match(await agent.failures.next(), /cannot resume an earlier conversation\. Start a new conversation/);
      agent.end();
    }
    begin({ conversation: { resume: 'old' } });
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    agent.answer(await agent.sent.next(), null);
    assert.equal((await agent.sent.next()).params?.sessionId, 'old');
  });

  it('forks a conversation only if the agent offers it', async () => {
    const offers = {
      ...capabilities,
      agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, fork: {} } },
    };
    begin({ conversation: { fork: 'old' } });
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), offers);
    const opening = await agent.sent.next();
    assert.deepEqual([opening.method, opening.params?.sessionId], ['session/fork', 'old']);
    agent.answer(opening, { sessionId: 'new' });
    assert.equal((await agent.sent.next()).params?.sessionId, 'new');
    agent.end();
    begin({ conversation: { fork: 'old' } });
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    assert.match(await agent.failures.next(), /does not offer to fork a conversation/);
  });

  it('sets mode and model before the prompt, in the way that the agent supports', async () => {
    begin({ options: { permissionMode: 'plan', model: 'OPUS 5' } });
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    agent.answer(await agent.sent.next(), { sessionId: 's1', ...modes });
    const mode = await agent.sent.next();
    assert.equal(mode.method, 'session/set_mode');
    assert.deepEqual(mode.params, { sessionId: 's1', modeId: 'https://x#plan' });
    agent.answer(mode, {});
    const model = await agent.sent.next();
    assert.equal(model.method, 'session/set_config_option');
    assert.deepEqual(model.params, { sessionId: 's1', configId: 'm', value: 'opus' });
    agent.answer(model, { configOptions: modes.configOptions });
    assert.equal((await agent.sent.next()).method, 'session/prompt');
    agent.dialogue.setPermissionMode('yolo');
    const grouped = await agent.sent.next();
    assert.deepEqual(grouped.params, { sessionId: 's1', configId: 'mode', value: 'yolo' });
    agent.refuse(grouped, -32602, 'Not now');
    agent.dialogue.setModel('haiku');
    const older = { models: { availableModels: [{ modelId: 'haiku', name: 'Haiku' }] } };
    agent.end();
    begin({ options: { model: 'haiku' } });
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    agent.answer(await agent.sent.next(), { sessionId: 's1', ...older });
    const set = await agent.sent.next();
    assert.equal(set.method, 'session/set_model');
    assert.deepEqual(set.params, { sessionId: 's1', modelId: 'haiku' });
  });

  it('does not start in another mode than requested, but with another model', async () => {
    begin({ options: { permissionMode: 'readonly' } });
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    agent.answer(await agent.sent.next(), { sessionId: 's1', ...modes });
    assert.equal(await agent.failures.next(), 'it has no permission mode "readonly". It has: ask, plan, yolo.');
    assert.equal(agent.sent.size, 0);
    agent.end();
    begin({ options: { permissionMode: 'default', model: 'haiku' } });
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    agent.answer(await agent.sent.next(), { sessionId: 's1', ...modes });
    assert.equal((await agent.sent.next()).method, 'session/prompt');
    assert.deepEqual(agent.receivedPrompts, [
      { type: 'note', subtype: 'option_ignored', content: 'The agent has no model "haiku". It has: opus.' },
    ]);
  });

  it('returns to the initial mode if no mode is called default', async () => {
    const file = () => path.join(agent.folder, 'x');
    const writes = () => agent.request('fs/write_text_file', { path: file(), content: 'x' });
    const yolo = { id: 'yolo', name: 'All' };
    const own = { id: 'own', name: 'Own' };
    const gemini = acpPresets.find(({ id }) => id === 'gemini-acp');
    const configured = {
      configOptions: [
        { id: 'mode', type: 'select', currentValue: 'own', options: [{ value: 'own' }, { value: 'yolo' }] },
      ],
    };
    for (const [opened, back] of [
      [{ modes: { currentModeId: 'own', availableModes: [own, yolo] } }, { modeId: 'own' }],
      [{ modes: { currentModeId: 'own', availableModes: [{ ...own, id: 'default' }, yolo] } }, { modeId: 'default' }],
      [configured, { configId: 'mode', value: 'own' }],
      [{ modes: { availableModes: [own, yolo] } }, /not changed: it does not report its initial permission mode/],
      [{ modes: { currentModeId: 'gone', availableModes: [yolo] } }, /not changed: it has no permission mode "gone"/],
    ] as const) {
      begin({ preset: gemini, options: { permissionMode: 'yolo' } });
      agent.dialogue.begin();
      agent.answer(await agent.sent.next(), { protocolVersion: 1 });
      agent.answer(await agent.sent.next(), { sessionId: 's1', ...opened });
      agent.answer(await agent.sent.next(), {});
      assert.equal((await agent.sent.next()).method, 'session/prompt');
      assert.equal((await writes()).error, undefined);
      agent.dialogue.setPermissionMode('default');
      const asked = writes();
      (await agent.asked.next()).decide({ kind: 'deny' });
      assert.match((await asked).error?.message ?? '', /not allowed to write/);
      if (back instanceof RegExp) {
        assert.equal(agent.sent.size, 0);
        assert.match(agent.receivedPrompts.map((line) => ('content' in line ? line.content : '')).join('\n'), back);
      } else {
        assert.deepEqual((await agent.sent.next()).params, { sessionId: 's1', ...back });
      }
      agent.end();
    }
  });

  it('applies the last requested mode, whenever the agent answers', async () => {
    begin({ preset: acpPresets.find(({ id }) => id === 'gemini-acp') });
    await agent.toPrompt(modes, { protocolVersion: 1 });
    agent.dialogue.setPermissionMode('yolo');
    agent.dialogue.setPermissionMode('default');
    const [all, own] = [await agent.sent.next(), await agent.sent.next()];
    assert.deepEqual(own.params, { sessionId: 's1', modeId: 'ask' });
    agent.answer(all, {});
    agent.answer(own, {});
    const asked = agent.request('terminal/create', { command: 'true' });
    (await agent.asked.next()).decide({ kind: 'deny' });
    assert.match((await asked).error?.message ?? '', /not allowed to run/);
  });

  it('ignores unexpected answers, invalid lines, and unknown requests', async () => {
    begin();
    const prompt = await agent.toPrompt();
    for (const line of ['', 'no JSON', '[]', '7', '{"jsonrpc":"2.0","id":999,"result":{}}', '{"id":null,"error":{}}']) {
      agent.line(line);
    }
    agent.line({ jsonrpc: '2.0', method: 'session/update', params: 'nothing' });
    agent.line({ jsonrpc: '2.0', id: null, method: 'fs/read_text_file' });
    agent.line({ jsonrpc: '2.0', method: 7, id: 5 });
    assert.equal((await agent.request('session/dance', {})).error?.code, -32601);
    assert.equal((await agent.request('fs/read_text_file', { path: 7 })).error?.code, -32602);
    agent.line({ jsonrpc: '2.0', id: prompt.id });
    await agent.turnsOver.next();
    agent.answer(prompt, { stopReason: 'end_turn' });
    assert.equal(agent.failures.size, 0);
    agent.dialogue.sendMessage('Next');
    assert.equal((await agent.sent.next()).method, 'session/prompt');
  });

  it('ends the turn at an error, and continues', async () => {
    begin();
    agent.refuse(await agent.toPrompt(), -32603, 'Internal error: API Error: 400');
    await agent.turnsOver.next();
    agent.dialogue.sendMessage('Again');
    agent.answer(await agent.sent.next(), { stopReason: 'end_turn' });
    await agent.turnsOver.next();
    assert.equal(agent.failures.size, 0);
  });

  it('does not wait for a response in an oversized line', async () => {
    begin();
    const prompt = await agent.toPrompt();
    agent.dialogue.handleOversizeLine(
      '{"jsonrpc":"2.0","id":"w1","method":"fs/write_text_file","params":{"content":"aaaa',
    );
    const answer = await agent.sent.next();
    assert.deepEqual([answer.id, answer.error?.code], ['w1', -32603]);
    agent.dialogue.handleOversizeLine('{"jsonrpc":"2.0","method":"session/update","params":{"id":7');
    agent.dialogue.handleOversizeLine(`{"jsonrpc":"2.0","id":${String(prompt.id)},"result":{"aaaa`);
    await agent.turnsOver.next();
  });

  it('cancels a turn: pending requests are cancelled, and the turn ends when the agent says so', async () => {
    begin();
    const prompt = await agent.toPrompt();
    const permission = agent.request('session/request_permission', { toolCall: { toolCallId: 'c' }, options });
    await agent.asked.next();
    agent.dialogue.interrupt();
    agent.dialogue.interrupt();
    assert.deepEqual((await permission).result, { outcome: { outcome: 'cancelled' } });
    const cancel = await agent.sent.next();
    assert.deepEqual([cancel.method, cancel.params, cancel.id], ['session/cancel', { sessionId: 's1' }, undefined]);
    const late = agent.request('session/request_permission', { toolCall: { toolCallId: 'd' }, options });
    assert.deepEqual((await late).result, { outcome: { outcome: 'cancelled' } });
    agent.answer(prompt, { stopReason: 'cancelled' });
    await agent.turnsOver.next();
    assert.equal(agent.sent.size, 0);
    agent.dialogue.sendMessage('Something else');
    await agent.sent.next();
    const fresh = agent.request('session/request_permission', { toolCall: { toolCallId: 'e' }, options });
    await agent.asked.next();
    agent.dialogue.interrupt();
    await fresh;
  });

  it('cancels a turn that was interrupted before it started', async () => {
    begin();
    agent.dialogue.begin();
    agent.dialogue.interrupt();
    agent.answer(await agent.sent.next(), capabilities);
    agent.answer(await agent.sent.next(), { sessionId: 's1' });
    assert.equal((await agent.sent.next()).method, 'session/prompt');
    assert.equal((await agent.sent.next()).method, 'session/cancel');
  });

  it('cancels once after the prompt if interrupted while the model was set', async () => {
    begin({ options: { model: 'opus' } });
    agent.dialogue.begin();
    agent.answer(await agent.sent.next(), capabilities);
    agent.answer(await agent.sent.next(), { sessionId: 's1', ...modes });
    const set = await agent.sent.next();
    agent.dialogue.interrupt();
    assert.equal(agent.sent.size, 0);
    agent.answer(set, {});
    const prompt = await agent.sent.next();
    assert.deepEqual([prompt.method, (await agent.sent.next()).method], ['session/prompt', 'session/cancel']);
    agent.dialogue.interrupt();
    agent.answer(prompt, { stopReason: 'cancelled' });
    await agent.turnsOver.next();
    assert.equal(agent.sent.size, 0);
  });

  it('sends nothing after the agent has exited', async () => {
    begin();
    await agent.toPrompt();
    await agent.dialogue.end();
    agent.line({ jsonrpc: '2.0', id: 5, method: 'fs/read_text_file', params: { path: '/x' } });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([agent.failures.size, agent.turnsOver.size, agent.sent.size], [0, 0, 0]);
  });

  it('limits concurrent requests', async () => {
    begin();
    await agent.toPrompt();
    const many = Array.from({ length: 300 }, () =>
      agent.request('session/request_permission', { toolCall: { toolCallId: 'c' }, options }),
    );
    const answers = await Promise.all(many.slice(256));
    assert.ok(answers.every(({ error }) => error?.message === 'Too many requests at once.'));
    agent.dialogue.interrupt();
    await Promise.all(many);
  });
});
