import * as assert from 'node:assert/strict';
import type { AgentRequest, Answer } from '../../../../src/model/agent/request.ts';
import { answersOf, pickAnswer, type } from '../../../../webview/request/answers.ts';
import type { AnswerDraft } from '../../../../webview/request/answerDraft.ts';
import { findUnshownInput } from '../../../../webview/request/restOfInput.ts';
import { requestSubject, outcome, requestTitle } from '../../../../webview/request/approvalText.ts';
import { isBypassMode } from '../../../../webview/text/mode.ts';

const request = (overrides: Partial<AgentRequest>): AgentRequest => ({
  id: 'r',
  kind: 'permission',
  title: 'Title',
  asked_at: '2026-01-02T10:00:00.000Z',
  expires_at: '2026-01-02T10:10:00.000Z',
  ...overrides,
});

describe('remaining input', () => {
  it('is what its action does not show', () => {
    const action = { kind: 'command_run', command: 'ls' } as const;
    const input = { command: 'ls', description: 'List', timeout: 600_000, run_in_background: true };
    assert.deepEqual(findUnshownInput(request({ action, input, description: 'List' })), {
      timeout: 600_000,
      run_in_background: true,
    });
    assert.equal(findUnshownInput(request({ action, input: { command: 'ls' } })), undefined);
  });

  it('excludes a text once for each time that it is shown', () => {
    const action = { kind: 'command_run', command: 'ls' } as const;
    assert.deepEqual(findUnshownInput(request({ action, input: { command: 'ls', then: 'ls' } })), { then: 'ls' });
  });

  it('is all that is not shown under its own name, whatever its text', () => {
    const command = { kind: 'command_run', command: 'git', cwd: '/p' } as const;
    const env = [{ name: 'PATH', value: '/p' }];
    const cases: [Partial<AgentRequest>, unknown][] = [
      [{ action: command, input: { command: 'git', args: [], env, cwd: '/p' }, cwd: '/p' }, { env }],
      [{ action: command, input: { command: 'git', env: { command: 'git' } } }, { env: { command: 'git' } }],
      [{ action: command, input: { command: ['git'] } }, { command: ['git'] }],
      [{ action: { ...command, description: 'd' }, input: { command: 'git', description: 'd' } }, { description: 'd' }],
      [
        {
          action: { kind: 'file_edit', changes: [{ path: 'n', kind: 'update', newText: 'x' }] },
          input: { notebook_path: 'n', new_source: 'x', cell_id: 'update', edit_mode: 'x' },
        },
        { cell_id: 'update', edit_mode: 'x' },
      ],
      [
        {
          action: { kind: 'file_edit', changes: [{ path: 'a', kind: 'update', patch: '@@', newText: 'x' }] },
          input: { path: 'a', newText: 'x' },
        },
        { newText: 'x' },
      ],
      [
        { action: { kind: 'search', query: 'q' }, input: { pattern: 'q', glob: 'search', path: 'q' } },
        { glob: 'search', path: 'q' },
      ],
      [
        {
          action: { kind: 'task', description: 'd', prompt: 'p', agentType: 'a' },
          input: { description: 'd', prompt: 'p', subagent_type: 'a', model: 'p' },
        },
        { description: 'd', model: 'p' },
      ],
      [
        {
          action: { kind: 'todo', todos: [{ text: 'a', status: 'pending' }] },
          input: { todos: [{ content: 'a', status: 'pending' }] },
        },
        { todos: [{ status: 'pending' }] },
      ],
    ];
    for (const [over, left] of cases) assert.deepEqual(findUnshownInput(request(over)), left);
  });

  it('includes fields next to the texts of several edits', () => {
    const action = {
      kind: 'file_edit',
      changes: [
        { path: 'a', kind: 'update', oldText: '1', newText: '2' },
        { path: 'a', kind: 'update', oldText: '2', newText: '' },
      ],
    } as const;
    const edits = [
      { old_string: '1', new_string: '2' },
      { old_string: '2', new_string: '', replace_all: true },
    ];
    const changed = { ...action, changes: [...action.changes] };
    assert.deepEqual(findUnshownInput(request({ action: changed, input: { file_path: 'a', edits } })), {
      edits: [{ replace_all: true }],
    });
  });

  it('of a plan is its additional data', () => {
    const allowedPrompts = [{ tool: 'Bash', prompt: 'run tests' }];
    const plan = request({ kind: 'plan', plan: 'Do it', input: { plan: 'Do it', allowedPrompts } });
    assert.deepEqual(findUnshownInput(plan), { allowedPrompts });
    assert.equal(findUnshownInput({ ...plan, input: { plan: 'Do it' } }), undefined);
    assert.deepEqual(findUnshownInput({ ...plan, input: { plan: 'Do' } }), { plan: 'Do' });
  });

  it('of an unknown tool is everything', () => {
    const input = { any: ['thing'] };
    assert.equal(findUnshownInput(request({ input })), input);
    assert.equal(findUnshownInput(request({ action: { kind: 'mcp', server: 's', tool: 't', input }, input })), input);
  });
});

describe('answers to questions', () => {
  const blank: AnswerDraft = { reason: '', picks: [], other: [], whole: false };
  const one = { question: 'One?', multiSelect: false, freeText: true, options: [{ label: 'a' }, { label: 'b' }] };
  const some = { ...one, question: 'Some?', multiSelect: true };
  const asked = request({ kind: 'question', questions: [one, some] });
  const after = (...steps: ((draft: AnswerDraft) => Partial<AnswerDraft>)[]): AnswerDraft =>
    steps.reduce((draft, step) => ({ ...draft, ...step(draft) }), blank);

  it('are complete when each question has one', () => {
    assert.equal(answersOf(asked, blank), undefined);
    const half = after((draft) => pickAnswer(draft, 1, 'b', true));
    assert.equal(answersOf(asked, half), undefined);
    const all = after(
      (draft) => pickAnswer(draft, 1, 'b', true),
      (draft) => pickAnswer(draft, 1, 'a', true),
      (draft) => type(draft, 1, ' c ', true),
      (draft) => pickAnswer(draft, 0, 'a', false),
    );
    assert.deepEqual(answersOf(asked, all), ['a', 'a, b, c']);
  });

  it('are identified by position if questions have the same text', () => {
    const same = { multiSelect: false, freeText: true, options: [] };
    const questions = ['Same?', '__proto__', 'Same?'].map((question) => ({ ...same, question }));
    const asked: AgentRequest = {
      id: 'q',
      kind: 'question',
      title: 'Q',
      asked_at: '2026-11-24T00:00:00.000Z',
      questions,
    };
    const draft = { ...blank, other: ['one', 'proto', 'two'] };
    assert.deepEqual(answersOf(asked, draft), ['one', 'proto', 'two']);
  });

  it('are limited to one if only one is requested: typed and chosen answers replace each other', () => {
    const typed = after(
      (draft) => pickAnswer(draft, 0, 'a', false),
      (draft) => type(draft, 0, 'mine', false),
    );
    assert.deepEqual(typed.picks[0], []);
    const chosen = after(
      (draft) => type(draft, 0, 'mine', false),
      (draft) => pickAnswer(draft, 0, 'b', false),
    );
    assert.deepEqual([chosen.picks[0], chosen.other[0]], [['b'], '']);
    const undone = after(
      (draft) => pickAnswer(draft, 1, 'a', true),
      (draft) => pickAnswer(draft, 1, 'a', true),
    );
    assert.deepEqual(undone.picks[1], []);
  });
});

describe('words about a request', () => {
  it('name the action and its target', () => {
    const edit = request({
      action: {
        kind: 'file_edit',
        changes: [
          { path: '/p/src/a.ts', kind: 'update' },
          { path: '/p/src/b.ts', kind: 'add' },
        ],
      },
    });
    assert.deepEqual([requestTitle(edit), requestSubject(edit, '/p')], ['Wants to edit', 'a.ts and 1 more']);
    assert.equal(requestSubject(request({ action: { kind: 'command_run', command: 'a\nb' } }), undefined), 'a …');
    assert.equal(requestTitle(request({ toolName: 'Nuke' })), 'Wants to use “Nuke”');
  });

  it('describe the end, in whole minutes, or its absence', () => {
    const deny = { kind: 'deny' } as const;
    const at = (minutes: number): string =>
      new Date(Date.parse('2026-01-02T10:00:00Z') + minutes * 60_000).toISOString();
    const words = (kind: AgentRequest['kind'], minutes: number): string =>
      outcome({ request: request({ kind }), decision: { by: 'timeout', at: at(minutes), answer: deny } }).words;
    assert.equal(words('permission', 10), 'Denied: no answer within 10 minutes');
    assert.equal(words('permission', 0.5), 'Denied: no answer within 30 seconds');
    assert.equal(words('question', 1), 'No answer within 1 minute');
    assert.equal(outcome({ request: request({}) }).words, 'Not answered: the run ended');
    const rule = outcome({ request: request({}), decision: { by: 'policy', at: at(0), answer: deny } });
    assert.deepEqual([rule.words, rule.state], ['Denied by a rule', 'denied']);
  });

  it('name the team member who answered in a shared session', () => {
    const wordsOf = (answer: Answer, member?: string): string =>
      outcome({ request: request({}), decision: { by: 'user', at: '2026-01-02T10:00:00Z', answer } }, member).words;
    assert.equal(wordsOf({ kind: 'deny' }), 'Denied by you');
    assert.equal(wordsOf({ kind: 'deny' }, 'bob'), 'Denied by bob');
    assert.equal(wordsOf({ kind: 'allow', scope: 'session' }, 'bob\u202E'), 'Allowed by bob⟨U+202E⟩');
    assert.equal(wordsOf({ kind: 'answer', answers: ['Yes'] }, 'bob'), 'Answered by bob');
  });

  it('know every name of a bypass mode', () => {
    for (const mode of ['bypassPermissions', 'yolo', 'danger-full-access', 'force', 'full-auto', 'allow-all-tools']) {
      assert.equal(isBypassMode(mode), true, mode);
    }
    for (const mode of ['default', 'plan', 'acceptEdits', 'auto_edit', 'read-only', 'workspace-write', 'dontAsk']) {
      assert.equal(isBypassMode(mode), false, mode);
    }
  });
});
