import assert from 'node:assert/strict';
import { codexDialogue, type CodexThread, joinThread } from '../../../../src/agents/codex/appServer/dialogue.ts';
import type { Dialogue, DialogueFactory } from '../../../../src/agents/dialogue.ts';
import { isObject, type JsonObject } from '../../../../src/model/text/json.ts';
import type { ClientLine } from '../../../../src/model/transcript/clientLine.ts';
import { recordQuestions, type AskedQuestion } from '../../../support/agents/askedQuestions.ts';

/** A dialogue, what it did, and the app-server's lines for it. */
class Script {
  readonly written: JsonObject[] = [];
  readonly asked: AskedQuestion[] = [];
  readonly clientLines: ClientLine[] = [];
  readonly failed: string[] = [];
  ended = 0;
  started = 0;
  left = 0;
  readonly dialogue: Dialogue;

  constructor(thread: Partial<CodexThread> | DialogueFactory = {}) {
    const factory = typeof thread === 'function' ? thread : codexDialogue({ prompt: 'Do it.', ...thread });
    this.dialogue = factory({
      write: (line) => {
        const value: unknown = JSON.parse(line);
        assert.ok(isObject(value));
        this.written.push(value);
      },
      ask: recordQuestions(this.asked),
      record: (line) => void this.clientLines.push(line),
      onTurnEnded: () => void (this.ended += 1),
      onTurnStarted: () => void (this.started += 1),
      leave: () => void (this.left += 1),
      fail: (message) => void this.failed.push(message),
    });
    this.dialogue.begin();
  }

  says(message: JsonObject): void {
    this.dialogue.handleLine(JSON.stringify(message));
  }

  /** Answers the newest request of this method. */
  answers(method: string, result: JsonObject): void {
    this.says({ id: this.#idOf(method), result });
  }

  refuses(method: string, message: string): void {
    this.says({ id: this.#idOf(method), error: { code: -32600, message } });
  }

  /** Opens the thread and begins its first turn. */
  begin(): this {
    this.answers('initialize', {});
    this.answers('thread/start', { thread: { id: 'thread' } });
    return this.turn('one');
  }

  turn(id: string): this {
    this.answers('turn/start', { turn: { id } });
    this.says({ method: 'turn/started', params: { threadId: 'thread', turn: { id, status: 'inProgress' } } });
    return this;
  }

  completes(id: string): void {
    this.says({ method: 'turn/completed', params: { threadId: 'thread', turn: { id, status: 'completed' } } });
  }

  sent(method: string): unknown[] {
    return this.written.filter((line) => line['method'] === method).map(({ params }) => params);
  }

  #idOf(method: string): unknown {
    return this.written.findLast((line) => line['method'] === method)?.['id'];
  }
}

const input = (text: string) => [{ type: 'text', text, text_elements: [] }];
const command = {
  id: 7,
  method: 'item/commandExecution/requestApproval',
  params: { threadId: 'thread', turnId: 'one', itemId: 'call', command: 'ls', cwd: '/w', reason: 'May I?' },
};

describe('the dialogue with the app-server of Codex', () => {
  it('initializes, opens the requested thread and sends the prompt', () => {
    const script = new Script({ cwd: '/w', model: 'm', sandbox: 'read-only' });
    assert.equal(script.written.length, 1);
    script.begin();
    assert.deepEqual(script.sent('thread/start'), [{ cwd: '/w', model: 'm', sandbox: 'read-only' }]);
    assert.deepEqual(script.sent('turn/start'), [{ threadId: 'thread', input: input('Do it.') }]);
    script.completes('one');
    assert.equal(script.ended, 1);
  });

  it('resumes and forks with the approval policy of the configuration, not of the last turn', () => {
    for (const [fork, method] of [
      [false, 'thread/resume'],
      [true, 'thread/fork'],
    ] as const) {
      const script = new Script({ resume: 'old', fork });
      script.answers('initialize', {});
      script.answers('config/read', { config: { approval_policy: 'never' } });
      assert.deepEqual(script.sent(method), [{ threadId: 'old', excludeTurns: true, approvalPolicy: 'never' }]);
    }
    const part = new Script({ resume: 'old', fork: true, lastTurn: 'turn' });
    part.answers('initialize', {});
    part.answers('config/read', { config: { approval_policy: 'never' } });
    assert.deepEqual(part.sent('thread/fork'), [
      { threadId: 'old', excludeTurns: true, approvalPolicy: 'never', lastTurnId: 'turn' },
    ]);
    const unknown = new Script({ resume: 'old' });
    unknown.answers('initialize', {});
    unknown.refuses('config/read', 'no');
    assert.deepEqual(unknown.sent('thread/resume'), [
      { threadId: 'old', excludeTurns: true, approvalPolicy: 'on-request' },
    ]);
    unknown.refuses('thread/resume', 'no rollout found for thread id old');
    assert.deepEqual([unknown.left, unknown.sent('turn/start').length], [1, 0]);
  });

  it('says why the app-server does not start', () => {
    const script = new Script();
    script.refuses('initialize', 'Not today.');
    assert.deepEqual(script.failed, ['The Codex app-server did not start: Not today.']);
  });

  for (const [answer, decision] of [
    [{ kind: 'allow', scope: 'once' }, 'accept'],
    [{ kind: 'allow', scope: 'session' }, 'acceptForSession'],
    [{ kind: 'deny' }, 'decline'],
    [{ kind: 'deny', interrupt: true }, 'cancel'],
  ] as const) {
    it(`answers a request with ${decision}`, async () => {
      const script = new Script().begin();
      script.says(command);
      const [asked] = script.asked;
      assert.deepEqual(
        [asked?.request.title, asked?.request.reason, asked?.request.callId, asked?.request.cwd],
        ['Run ls', 'May I?', 'call', '/w'],
      );
      await asked?.decide(answer);
      assert.deepEqual(script.written.at(-1), { id: 7, result: { decision } });
    });
  }

  it('shows the changes that it asks about', async () => {
    const script = new Script().begin();
    const changes = [
      { path: '/w/a', kind: { type: 'add' }, diff: 'new\n' },
      { path: '/w/b', kind: { type: 'update', move_path: null }, diff: '@@ -1 +1 @@\n-x\n+y\n' },
    ];
    script.says({
      method: 'item/started',
      params: { threadId: 'thread', item: { type: 'fileChange', id: 'edit', changes } },
    });
    script.says({
      id: 8,
      method: 'item/fileChange/requestApproval',
      params: { threadId: 'thread', turnId: 'one', itemId: 'edit', reason: null, grantRoot: null },
    });
    assert.deepEqual(script.asked[0]?.request.action, {
      kind: 'file_edit',
      changes: [
        { path: '/w/a', kind: 'add', newText: 'new\n' },
        { path: '/w/b', kind: 'update', patch: '@@ -1 +1 @@\n-x\n+y\n', added: 1, removed: 1 },
      ],
    });
    await script.asked[0].decide({ kind: 'allow', scope: 'once' });
    assert.deepEqual(script.written.at(-1), { id: 8, result: { decision: 'accept' } });
  });

  it('passes on questions and their answers', async () => {
    const script = new Script().begin();
    const questions = [{ id: 'tea', header: 'Tea', question: 'Which?', isOther: false, options: [{ label: 'Green' }] }];
    const params = { threadId: 'thread', turnId: 'one', itemId: 'q', questions };
    script.says({ id: 'x', method: 'item/tool/requestUserInput', params });
    assert.deepEqual(script.asked[0]?.request.questions, [
      { question: 'Which?', header: 'Tea', multiSelect: false, freeText: false, options: [{ label: 'Green' }] },
    ]);
    await script.asked[0].decide({ kind: 'answer', answers: ['Green'] });
    assert.deepEqual(script.written.at(-1), { id: 'x', result: { answers: { tea: { answers: ['Green'] } } } });
  });

  it('withdraws what the app-server no longer waits for, and refuses what it does not know', async () => {
    const script = new Script().begin();
    script.says(command);
    script.says({ method: 'serverRequest/resolved', params: { threadId: 'thread', requestId: 7 } });
    await new Promise(setImmediate);
    assert.equal(script.asked[0]?.withdrawn, true);
    const before = script.written.length;
    await script.asked[0].decide({ kind: 'deny' }, 'withdrawn');
    assert.equal(script.written.length, before);
    script.says({ id: 9, method: 'item/tool/call', params: { threadId: 'thread' } });
    assert.equal(script.written.at(-1)?.['id'], 9);
    assert.ok(isObject(script.written.at(-1)?.['error']));
    assert.equal(script.clientLines[0]?.type, 'note');
  });

  it('steers a turn, and begins another with a message that came too late', () => {
    const script = new Script().begin();
    script.dialogue.sendMessage('Faster.');
    assert.deepEqual(script.sent('turn/steer'), [
      { threadId: 'thread', input: input('Faster.'), expectedTurnId: 'one' },
    ]);
    script.answers('turn/steer', { turnId: 'one' });
    script.dialogue.sendMessage('Now stop.');
    script.completes('one');
    assert.equal(script.ended, 0, 'a message is on its way');
    script.refuses('turn/steer', 'no active turn to steer');
    assert.deepEqual(script.sent('turn/start').at(-1), { threadId: 'thread', input: input('Now stop.') });
    script.turn('two').completes('two');
    assert.equal(script.ended, 1);
  });

  it('keeps a message until its turn has an id', () => {
    const script = new Script();
    script.answers('initialize', {});
    script.dialogue.sendMessage('First this.');
    script.answers('thread/start', { thread: { id: 'thread' } });
    assert.equal(script.sent('turn/steer').length, 0);
    script.turn('one');
    assert.deepEqual(script.sent('turn/steer'), [
      { threadId: 'thread', input: input('First this.'), expectedTurnId: 'one' },
    ]);
  });

  it('interrupts a turn, also one that is about to begin', () => {
    const script = new Script().begin();
    script.dialogue.interrupt();
    assert.deepEqual(script.sent('turn/interrupt'), [{ threadId: 'thread', turnId: 'one' }]);
    script.says({
      method: 'turn/completed',
      params: { threadId: 'thread', turn: { id: 'one', status: 'interrupted' } },
    });
    assert.equal(script.ended, 1);
    script.dialogue.sendMessage('Again.');
    script.dialogue.interrupt();
    script.turn('two');
    assert.deepEqual(script.sent('turn/interrupt').at(-1), { threadId: 'thread', turnId: 'two' });
  });

  it('uses another model from the next turn on', () => {
    const script = new Script().begin();
    script.dialogue.setModel?.('other');
    script.completes('one');
    script.dialogue.sendMessage('Go on.');
    assert.deepEqual(script.sent('turn/start').at(-1), { threadId: 'thread', input: input('Go on.'), model: 'other' });
  });

  it('does not take the turns of subagents for its own', () => {
    const script = new Script().begin();
    script.says({ method: 'turn/completed', params: { threadId: 'other', turn: { id: 'x', status: 'completed' } } });
    assert.equal(script.ended, 0);
  });

  describe('of another program', () => {
    const joined = (turns: readonly JsonObject[] = []): Script => {
      const script = new Script(joinThread('thread'));
      script.answers('initialize', {});
      script.answers('thread/loaded/list', { data: ['other', 'thread'] });
      script.answers('thread/resume', { thread: { id: 'thread' } });
      script.answers('thread/turns/list', { data: turns });
      return script;
    };

    it('is joined unchanged, without sending anything', () => {
      const script = joined();
      assert.deepEqual(script.sent('thread/resume'), [{ threadId: 'thread', excludeTurns: true }]);
      assert.deepEqual(script.sent('turn/start'), []);
      assert.deepEqual([script.started, script.ended, script.left], [0, 1, 0]);
      script.dialogue.sendMessage('And now?');
      assert.deepEqual(script.sent('turn/start'), [{ threadId: 'thread', input: input('And now?') }]);
    });

    it('is joined in the middle of a turn, which can be steered and interrupted', () => {
      const script = joined([{ id: 'now', status: 'inProgress' }]);
      assert.deepEqual([script.started, script.ended], [1, 0]);
      script.dialogue.sendMessage('Also this.');
      const [steered] = script.sent('turn/steer');
      assert.deepEqual(steered, { threadId: 'thread', input: input('Also this.'), expectedTurnId: 'now' });
      script.dialogue.interrupt();
      assert.deepEqual(script.sent('turn/interrupt'), [{ threadId: 'thread', turnId: 'now' }]);
    });

    it('is not opened where it is not open', () => {
      const script = new Script(joinThread('thread'));
      script.answers('initialize', {});
      script.answers('thread/loaded/list', { data: ['other'] });
      assert.deepEqual([script.left, script.sent('thread/resume')], [1, []]);
    });

    it('is left when the app-server closes it', () => {
      const script = joined();
      script.says({ method: 'thread/closed', params: { threadId: 'other' } });
      assert.equal(script.left, 0);
      script.says({ method: 'thread/closed', params: { threadId: 'thread' } });
      assert.equal(script.left, 1);
    });

    it('leaves requests that Vitrine does not know to the other program', async () => {
      const script = joined([{ id: 'one', status: 'inProgress' }]);
      const before = script.written.length;
      script.says({ id: 3, method: 'item/tool/call', params: { threadId: 'thread' } });
      script.dialogue.handleOversizeLine?.('{"method":"item/tool/call","id":4,"params":{"x":"');
      script.says(command);
      script.says({ method: 'serverRequest/resolved', params: { threadId: 'thread', requestId: 7 } });
      const [asked] = script.asked;
      assert.ok(asked !== undefined);
      await asked.decide({ kind: 'deny' }, 'withdrawn');
      assert.equal(asked.withdrawn, true);
      assert.equal(script.written.length, before);
      assert.deepEqual(script.clientLines, []);
    });
  });
});
