import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type PendingRequest, type Message, options, ScriptedAgent } from '../../../support/acpAgent/scripted.ts';

const once = { kind: 'allow', scope: 'once' } as const;

describe('files that Vitrine writes for an agent', () => {
  let agent: ScriptedAgent;
  let prompt: Message;
  beforeEach(async () => {
    agent = new ScriptedAgent();
    prompt = await agent.toPrompt();
  });
  afterEach(() => agent.end());

  const at = (name: string): string => path.join(agent.folder, name);
  const put = (name: string, text: string | Buffer): void => writeFileSync(at(name), text);
  const write = (name: string, content = 'new\n'): Promise<Message> =>
    agent.request('fs/write_text_file', { path: at(name), content });
  const changed = ({ request }: PendingRequest) => (request.action?.kind === 'file_edit' ? request.action.changes : []);
  const diff = (name: string, overrides: object = {}) => ({
    toolCallId: 'c1',
    kind: 'edit',
    status: 'pending',
    content: [{ type: 'diff', path: at(name), oldText: 'old\n', newText: 'new\n' }],
    ...overrides,
  });
  const ask = async (toolCall: object, answer: Parameters<PendingRequest['decide']>[0]): Promise<PendingRequest> => {
    const answered = agent.request('session/request_permission', { toolCall, options });
    const asked = await agent.asked.next();
    asked.decide(answer);
    await answered;
    return asked;
  };
  /** Whether a person is asked before it is done, who says no. */
  const asksFor = async (work: Promise<Message>): Promise<boolean> => {
    void agent.asked.next().then(({ decide }) => decide({ kind: 'deny' }));
    return (await work).error?.message.includes('not allowed to') === true;
  };
  const nextTurn = async (): Promise<void> => {
    agent.answer(prompt, { stopReason: 'end_turn' });
    await agent.turnsOver.next();
    agent.dialogue.sendMessage('Something else');
    await agent.sent.next();
  };

  it('are covered by the approval of the call that showed them', async () => {
    await ask(diff('a', { locations: [{ path: at('hook') }] }), once);
    assert.equal(await asksFor(write('hook')), true);
    assert.equal(await asksFor(write('a')), false);
  });

  it('are not covered by approvals of earlier turns', async () => {
    await ask(diff('a'), once);
    await ask({ toolCallId: 'c2', kind: 'execute', rawInput: { command: 'true' } }, once);
    await nextTurn();
    assert.equal(await asksFor(write('a')), true);
    assert.equal(await asksFor(agent.request('terminal/create', { command: 'true' })), true);
  });

  it('are not covered after the same call was denied', async () => {
    await ask(diff('a'), once);
    await ask(diff('a', { title: 'Another change' }), { kind: 'deny' });
    assert.equal(await asksFor(write('a')), true);
  });

  it('are the approved ones only, even if the agent offers a permanent approval', async () => {
    const forGood = { kind: 'allow', scope: 'session' } as const;
    await ask({ toolCallId: 'd', kind: 'delete', locations: [{ path: at('a') }] }, forGood);
    await ask(diff('b'), forGood);
    assert.equal(await asksFor(write('b')), false);
    assert.equal(await asksFor(write('other')), true);
  });

  it('are not written if they changed during the request', async () => {
    for (const [before, change] of [
      ['old\n', () => put('a', 'old\nmine\n')],
      ['old\n', () => rmSync(at('a'))],
      [undefined, () => put('a', '')],
      [Buffer.from([0xff]), () => put('a', Buffer.from([0xff, 0xfe]))],
    ] as const) {
      if (before === undefined) rmSync(at('a'), { force: true });
      else put('a', before);
      const answer = write('a');
      const asked = await agent.asked.next();
      change();
      const after = existsSync(at('a')) ? readFileSync(at('a')) : null;
      asked.decide(once);
      assert.match((await answer).error?.message ?? '', /changed after the request/);
      assert.deepEqual(existsSync(at('a')) ? readFileSync(at('a')) : null, after);
    }
    put('a', 'old\n');
    const answer = write('a');
    const asked = await agent.asked.next();
    put('a', 'old\n');
    asked.decide(once);
    assert.equal((await answer).error, undefined);
    assert.equal(readFileSync(at('a'), 'utf8'), 'new\n');
  });

  it('are not written through a link created during the request', async () => {
    for (const name of ['.git', 'docs']) mkdirSync(at(name));
    const answer = write('docs/config');
    const asked = await agent.asked.next();
    assert.equal(asked.request.title, `Create ${path.join('docs', 'config')}`);
    assert.equal(asked.request.description, undefined);
    rmSync(at('docs'), { recursive: true });
    symlinkSync('.git', at('docs'));
    asked.decide(once);
    assert.match((await answer).error?.message ?? '', /changed after the request/);
    assert.equal(existsSync(at('.git/config')), false);
  });

  it('appear in requests with their real path', async () => {
    mkdirSync(at('.git'));
    symlinkSync('.git', at('docs'));
    const answer = write('docs/config');
    const asked = await agent.asked.next();
    assert.equal(asked.request.title, `Create ${path.join('.git', 'config')}`);
    assert.equal(asked.request.description, 'The agent calls it docs/config.');
    assert.deepEqual(changed(asked), [{ path: at('.git/config'), kind: 'add', newText: 'new\n' }]);
    asked.decide(once);
    assert.equal((await answer).error, undefined);
    assert.equal(readFileSync(at('.git/config'), 'utf8'), 'new\n');
  });

  it('appear in requests with the replaced text, or why it is not shown', async () => {
    for (const [before, description, shown] of [
      ['', undefined, { oldText: '' }],
      ['old\n', undefined, { oldText: 'old\n' }],
      [Buffer.from([0xff]), /cannot be shown: .* is not UTF-8 text/, {}],
      [Buffer.alloc(11 * 1024 * 1024), /cannot be shown: .* is larger than 10 MB/, {}],
    ] as const) {
      put('a', before);
      const answer = write('a');
      const asked = await agent.asked.next();
      assert.equal(asked.request.title, 'Change a');
      if (description === undefined) assert.equal(asked.request.description, undefined);
      else assert.match(asked.request.description ?? '', description);
      assert.deepEqual(changed(asked), [{ path: at('a'), kind: 'update', ...shown, newText: 'new\n' }]);
      asked.decide({ kind: 'deny' });
      await answer;
    }
  });
});
