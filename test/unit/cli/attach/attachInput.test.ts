import assert from 'node:assert/strict';
import { parseJsonInput, parseTypedInput } from '../../../../src/cli/attach/input.ts';
import type { AgentRequest } from '../../../../src/model/agent/request.ts';

const permission: AgentRequest = { id: 'p', kind: 'permission', title: 'Run', asked_at: '2026-11-24T00:00:00.000Z' };
const question: AgentRequest = {
  ...permission,
  id: 'q',
  kind: 'question',
  questions: [{ question: 'Which?', multiSelect: false, freeText: false, options: [{ label: 'A' }, { label: 'B' }] }],
};

describe('input at an attached terminal', function () {
  const allowed = { type: 'answer', request: 'p', answer: { kind: 'allow', scope: 'once' } };
  const cases: [string, AgentRequest[], unknown][] = [
    ['y', [permission], allowed],
    ['YES', [permission], allowed],
    ['n', [permission], { type: 'answer', request: 'p', answer: { kind: 'deny' } }],
    ['n use a copy', [permission], { type: 'answer', request: 'p', answer: { kind: 'deny', reason: 'use a copy' } }],
    ['2', [question], { type: 'answer', request: 'q', answer: { kind: 'answer', answers: ['B'] } }],
    ['/stop', [permission], { type: 'stop' }],
    ['  ', [], null],
    ['y', [], { type: 'say', text: 'y' }],
    ['go on', [], { type: 'say', text: 'go on' }],
  ];
  for (const [line, waiting, expected] of cases) {
    it(`"${line}" with ${waiting[0]?.kind ?? 'nothing'} waiting`, () => {
      assert.deepEqual(parseTypedInput(line, waiting), expected);
    });
  }

  it('is not mistaken for an answer', () => {
    for (const line of ['yes please', 'a', 'sure']) assert.equal(parseTypedInput(line, [permission])?.type, 'invalid');
    for (const line of ['3', 'C']) assert.equal(parseTypedInput(line, [question])?.type, 'invalid');
  });
});

describe('a line of attach --json', function () {
  it('answers, sends messages and stops', () => {
    assert.deepEqual(parseJsonInput('{"say":"hi"}'), { type: 'say', text: 'hi' });
    assert.deepEqual(parseJsonInput('{"stop":true}'), { type: 'stop' });
    assert.deepEqual(parseJsonInput('{"answer":{"request":"p","decision":"deny","reason":"no"}}'), {
      type: 'answer',
      request: 'p',
      answer: { kind: 'deny', reason: 'no' },
    });
  });

  it('answers questions in order, or by text', () => {
    const asked = ['__proto__', 'Which?', '2', '1'].map((text) => ({ ...question.questions![0]!, question: text }));
    const waiting = [{ ...question, questions: asked }];
    const expected = { type: 'answer', request: 'q', answer: { kind: 'answer', answers: ['p', 'A', 'b', 'a'] } };
    for (const answers of ['["p","A","b","a"]', '{"1":"a","2":"b","Which?":"A","__proto__":"p"}']) {
      const line = `{"answer":{"request":"q","decision":"allow","answers":${answers}}}`;
      assert.deepEqual(parseJsonInput(line, waiting), expected);
    }
    const wrong = '{"answer":{"request":"q","decision":"allow","answers":{"Which?":7}}}';
    assert.equal(parseJsonInput(wrong, waiting).type, 'invalid');
  });

  it('is rejected if it is unknown', () => {
    for (const line of ['', 'y', '{}', '{"stop":false}', '{"answer":{"request":"p","decision":"maybe"}}'])
      assert.equal(parseJsonInput(line).type, 'invalid', line);
  });
});
