import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { claudeCommand } from '../../../../src/agents/claude-code/command.ts';
import { claudeDialogue } from '../../../../src/agents/claude-code/dialogue.ts';
import type { Dialogue, Continuation } from '../../../../src/agents/dialogue.ts';
import { answerSchema } from '../../../../src/model/agent/request.ts';
import type { ClientLine } from '../../../../src/model/transcript/clientLine.ts';
import { recordQuestions, type AskedQuestion } from '../../../support/agents/askedQuestions.ts';

/** A dialogue, what it did, and the agent's lines for it. */
class Script {
  readonly written: unknown[] = [];
  readonly asked: AskedQuestion[] = [];
  readonly sent: ClientLine[] = [];
  readonly turns: (Continuation | 'began')[] = [];
  readonly failed: string[] = [];
  readonly dialogue: Dialogue;

  constructor(prompt = 'Do it.') {
    this.dialogue = claudeDialogue(prompt)({
      write: (line) => void this.written.push(JSON.parse(line)),
      ask: recordQuestions(this.asked),
      record: (line) => void this.sent.push(line),
      onTurnEnded: (continuation = 'done') => void this.turns.push(continuation),
      onTurnStarted: () => void this.turns.push('began'),
      leave: () => undefined,
      fail: (message) => void this.failed.push(message),
    });
  }

  line(...messages: unknown[]): void {
    for (const message of messages) this.dialogue.handleLine(JSON.stringify(message));
  }

  /** What was written after the greeting and the prompt. */
  get answers(): unknown[] {
    return this.written.slice(2);
  }
}

const canUse = (id: string, tool_name: string, input: unknown, overrides = {}): unknown => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'can_use_tool', tool_name, input, tool_use_id: `call_${id}`, ...overrides },
});
const response = (id: string, answer: unknown): unknown => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response: answer },
});
const started = (): Script => {
  const script = new Script();
  script.dialogue.begin();
  return script;
};

describe('the dialogue of Claude Code', () => {
  it('initializes and sends the prompt', () => {
    assert.deepEqual(started().written, [
      { type: 'control_request', request_id: 'vitrine-1', request: { subtype: 'initialize', hooks: null } },
      {
        type: 'user',
        session_id: '',
        parent_tool_use_id: null,
        message: { role: 'user', content: [{ type: 'text', text: 'Do it.' }] },
      },
    ]);
  });

  it('shows permission requests of the real program with the whole command or file', () => {
    const script = started();
    const file = 'test/fixtures/claude-code/2.1.328/permission-stdio-allow.stdout.jsonl';
    for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) script.dialogue.handleLine(line);
    assert.deepEqual(
      script.asked.map(({ request }) => request),
      [
        {
          id: '0fc240ce-80ce-41a2-94e9-4e7d0520e24d',
          kind: 'permission',
          callId: 'toolu_mock0075',
          toolName: 'Bash',
          title: 'Run curl http://127.0.0.1:9/',
          description: 'Call the network',
          reason: 'This command requires approval',
          action: { kind: 'command_run', command: 'curl http://127.0.0.1:9/', description: 'Call the network' },
          input: { command: 'curl http://127.0.0.1:9/', description: 'Call the network' },
          session: 'Bash(curl http://127.0.0.1:9/)',
        },
        {
          id: 'b8b715df-8068-4b9c-a4f3-a316216025c6',
          kind: 'permission',
          callId: 'toolu_mock0076',
          toolName: 'Write',
          title: 'Write /workspace/denied.txt',
          action: { kind: 'file_write', path: '/workspace/denied.txt', content: 'x' },
          input: { file_path: '/workspace/denied.txt', content: 'x' },
          session: 'all file edits (permission mode acceptEdits)',
          editable: true,
        },
      ],
    );
    assert.deepEqual(script.turns, ['done']);
  });

  it('allows what a person wrote in place of an edit', async () => {
    const edited = { path: '/w/a.ts', oldText: 'one', newText: 'two' };
    for (const [name, input, updatedInput] of [
      ['Write', { file_path: '/w/a.ts', content: 'x' }, { file_path: '/w/a.ts', content: 'two' }],
      [
        'Edit',
        { file_path: '/w/a.ts', old_string: 'o', new_string: 'p', replace_all: true },
        { file_path: '/w/a.ts', old_string: 'one', new_string: 'two', replace_all: false },
      ],
      [
        'MultiEdit',
        {
          file_path: '/w/a.ts',
          edits: [
            { old_string: 'o', new_string: 'p' },
            { old_string: 'q', new_string: 'r' },
          ],
        },
        { file_path: '/w/a.ts', edits: [{ old_string: 'one', new_string: 'two' }] },
      ],
    ] as const) {
      const script = started();
      script.line(canUse('r', name, input));
      assert.equal(script.asked[0]?.request.editable, true);
      await script.asked[0].decide({ kind: 'allow', scope: 'once', edited });
      assert.deepEqual(script.answers, [response('r', { behavior: 'allow', updatedInput })]);
    }
    const script = started();
    script.line(canUse('r', 'Bash', { command: 'ls' }));
    assert.equal(script.asked[0]?.request.editable, undefined);
  });

  it('allows a request once, unchanged', async () => {
    const script = started();
    const input = { command: 'a\u202eb', timeout: 5, dangerouslyDisableSandbox: true };
    script.line(canUse('r', 'Bash', input));
    await script.asked[0]?.decide({ kind: 'allow', scope: 'once' });
    assert.deepEqual(script.answers, [response('r', { behavior: 'allow', updatedInput: input })]);
  });

  const rule = (behavior: string, destination: string) => ({
    type: 'addRules',
    rules: [{ toolName: 'Bash', ruleContent: 'ls:*' }],
    behavior,
    destination,
  });
  const folder = { type: 'addDirectories', directories: ['/elsewhere'], destination: 'localSettings' };
  const mode = (name: string) => ({ type: 'setMode', mode: name, destination: 'projectSettings' });
  for (const [what, suggestions, words, granted] of [
    [
      'its rules',
      [mode('acceptEdits'), folder, rule('allow', 'localSettings')],
      'Bash(ls:*)',
      [rule('allow', 'session')],
    ],
    ['a folder', [mode('acceptEdits'), folder], 'everything in /elsewhere', [{ ...folder, destination: 'session' }]],
    [
      'a mode',
      [mode('acceptEdits')],
      'all file edits (permission mode acceptEdits)',
      [{ ...mode('acceptEdits'), destination: 'session' }],
    ],
    [
      'nothing that is wider',
      [mode('bypassPermissions'), rule('deny', 'session'), { type: 'new' }, 7],
      undefined,
      undefined,
    ],
  ] as const) {
    it(`allows for the session by ${what}, and for no longer`, async () => {
      const script = started();
      script.line(canUse('r', 'Bash', { command: 'ls' }, { permission_suggestions: suggestions }));
      assert.equal(script.asked[0]?.request.session, words);
      await script.asked[0]?.decide({ kind: 'allow', scope: 'session' });
      const allowed = { behavior: 'allow', updatedInput: { command: 'ls' } };
      const answer = granted === undefined ? allowed : { ...allowed, updatedPermissions: granted };
      assert.deepEqual(script.answers, [response('r', answer)]);
    });
  }

  it('denies with the reason, and ends the turn on request', async () => {
    const script = started();
    script.line(canUse('a', 'Bash', {}), canUse('b', 'Bash', {}), canUse('c', 'Bash', {}));
    await script.asked[2]?.decide({ kind: 'deny', reason: 'Too late.' }, 'timeout');
    await script.asked[0]?.decide({ kind: 'deny', reason: 'No.' });
    await script.asked[1]?.decide({ kind: 'deny', interrupt: true });
    assert.deepEqual(script.answers, [
      response('c', { behavior: 'deny', message: 'Denied: Too late.' }),
      response('a', { behavior: 'deny', message: 'The user does not allow this, and says: No.' }),
      response('b', { behavior: 'deny', message: 'The user does not allow this.', interrupt: true }),
    ]);
  });

  it('does not answer withdrawn or ended requests', async () => {
    const script = started();
    script.line(canUse('a', 'Bash', {}), canUse('b', 'Bash', {}));
    script.line({ type: 'control_cancel_request', request_id: 'a' });
    await script.asked[1]?.decide({ kind: 'deny' }, 'run_over');
    assert.equal(script.asked[0]?.withdrawn, true);
    assert.deepEqual(script.answers, []);
  });

  it('answers questions by their text', async () => {
    const script = started();
    const questions = [
      {
        question: 'Which?',
        header: 'H',
        multiSelect: true,
        options: [{ label: 'A', description: 'a' }, { label: 'B' }],
      },
      { question: 'Why?' },
    ];
    script.line(canUse('q', 'AskUserQuestion', { questions }, { requires_user_interaction: true }));
    const request = script.asked[0]?.request;
    assert.equal(request?.kind, 'question');
    assert.deepEqual(request.questions, [
      {
        question: 'Which?',
        header: 'H',
        multiSelect: true,
        freeText: true,
        options: [{ label: 'A', description: 'a' }, { label: 'B' }],
      },
      { question: 'Why?', multiSelect: false, freeText: true, options: [] },
    ]);
    await script.asked[0]?.decide({ kind: 'answer', answers: ['A, B', 'so'] });
    const updatedInput = { questions, answers: { 'Which?': 'A, B', 'Why?': 'so' } };
    assert.deepEqual(script.answers, [response('q', { behavior: 'allow', updatedInput })]);
  });

  it('reads answers from older records by text', () => {
    const recorded = { kind: 'answer', answers: { 'Which?': 'A', 'Why?': 'so' } };
    assert.deepEqual(answerSchema.parse(recorded), { kind: 'answer', answers: ['A', 'so'] });
  });

  it('answers questions with the same text, or with the name of a prototype property', async () => {
    const script = started();
    const questions = ['Same?', '__proto__', 'Same?', 'constructor'].map((question) => ({ question }));
    script.line(canUse('q', 'AskUserQuestion', { questions }, { requires_user_interaction: true }));
    await script.asked[0]?.decide({ kind: 'answer', answers: ['one', 'proto', 'two', 'made'] });
    const sent = JSON.stringify(script.answers);
    assert.ok(sent.includes('"answers":{"Same?":"one, two","__proto__":"proto","constructor":"made"}'), sent);
  });

  const assistant = (name: string, id: string, input: unknown): unknown => ({
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id, name, input }] },
  });
  it('shows the plan to approve, wherever it was printed', () => {
    const script = started();
    const file_path = '/home/x/.claude/plans/some-plan.md';
    script.line(canUse('1', 'ExitPlanMode', { plan: 'in the request' }));
    script.line(assistant('Write', 'w', { file_path, content: 'one two' }), canUse('2', 'ExitPlanMode', {}));
    script.line(assistant('Edit', 'e', { file_path, old_string: 'two', new_string: '$& three' }));
    script.line(canUse('3', 'ExitPlanMode', {}));
    script.line(assistant('ExitPlanMode', 'call_4', { plan: 'in the call' }), canUse('4', 'ExitPlanMode', {}));
    script.line(assistant('Edit', 'e', { file_path, old_string: 'not there', new_string: '' }));
    script.line(canUse('5', 'ExitPlanMode', {}));
    assert.deepEqual(
      script.asked.map(({ request }) => [request.kind, request.plan]),
      [
        ['plan', 'in the request'],
        ['plan', 'one two'],
        ['plan', 'one $& three'],
        ['plan', 'in the call'],
        ['plan', undefined],
      ],
    );
  });

  it('knows when a turn has ended and whether another follows', () => {
    const result = { type: 'result', subtype: 'success' };
    const system = (subtype: string, args = {}) => ({ type: 'system', subtype, ...args });
    const script = started();
    script.line(system('init'), system('background_tasks_changed', { tasks: [{ task_id: 'a' }] }), result);
    script.line(system('task_notification'), system('background_tasks_changed', { tasks: [] }));
    script.line(system('init'), { ...result, origin: { kind: 'task-notification' } });
    assert.deepEqual(script.turns, ['continues', 'may_continue', 'began', 'done']);
    script.dialogue.sendMessage('More.');
    script.line(system('init'), system('task_notification'), result);
    assert.deepEqual(script.turns.slice(4), ['may_continue']);
  });

  it('waits for the exit of a program that does not know the conversation', () => {
    const script = started();
    const errors = ['No conversation found with session ID: 5336d6b9'];
    script.line({ type: 'result', subtype: 'error_during_execution', is_error: true, errors });
    assert.deepEqual(script.turns, []);
  });

  it('interrupts, and sets model and mode, with requests of its own', () => {
    const script = started();
    script.dialogue.interrupt();
    script.dialogue.setModel?.('opus');
    script.dialogue.setPermissionMode?.('plan');
    assert.deepEqual(script.answers, [
      { type: 'control_request', request_id: 'vitrine-2', request: { subtype: 'interrupt' } },
      { type: 'control_request', request_id: 'vitrine-3', request: { subtype: 'set_model', model: 'opus' } },
      { type: 'control_request', request_id: 'vitrine-4', request: { subtype: 'set_permission_mode', mode: 'plan' } },
    ]);
  });

  it('never throws', () => {
    const script = started();
    const odd = [
      '',
      '[]',
      'null',
      '{',
      '{"type":7}',
      '{"type":"result","errors":7}',
      '{"type":"assistant","message":[]}',
    ];
    for (const line of odd) script.dialogue.handleLine(line);
    script.line({ type: 'control_request' }, { type: 'control_request', request_id: 'x', request: null });
    script.line({ type: 'system', subtype: 'background_tasks_changed', tasks: 'none' });
    script.line(canUse('deep', 'AskUserQuestion', { questions: [null, 3, { options: 'no' }] }));
    script.dialogue.handleOversizeLine?.('{"type":"control_request","request_id":"long');
    void script.dialogue.end();
    assert.deepEqual(script.failed, []);
    assert.equal(script.asked[0]?.withdrawn ?? false, false);
  });

  it('starts only if a user is present and the version supports it', () => {
    const of = (version: string | null, interactive: boolean) =>
      claudeCommand({
        prompt: 'p',
        options: { model: 'opus' },
        program: { version },
        newSessionId: 'new',
        interactive,
      });
    const command = of('2.1.328', true);
    assert.deepEqual(command.args.slice(0, 8), [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--input-format',
      'stream-json',
      '--permission-prompt-tool',
      'stdio',
    ]);
    assert.equal(command.stdin, null);
    assert.ok(command.dialogue);
    assert.deepEqual(
      command.args.filter((arg) => !['--input-format', 'stdio', '--permission-prompt-tool'].includes(arg)).length,
      of('2.1.328', false).args.length + 1,
    );
    for (const [version, interactive] of [
      ['2.1.328', false],
      ['1.0.127', true],
      ['1.0.3', true],
    ] as const) {
      assert.equal(of(version, interactive).dialogue, undefined);
      assert.equal(of(version, interactive).stdin, 'p');
    }
    assert.ok(of('1.0.128', true).dialogue);
  });
});
