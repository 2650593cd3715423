import assert from 'node:assert/strict';
import { normalizeLines, stdoutLines } from '../../../support/captures/captures.ts';
import {
  assistant,
  call,
  delta,
  event,
  init,
  kinds,
  result,
  started,
  success,
  text,
} from '../../../support/captures/claudeLines.ts';

const thinks = (thinking: string) => ({ type: 'thinking', thinking });
const fallback = (...retracted_message_uuids: string[]) => ({
  type: 'system',
  subtype: 'model_refusal_fallback',
  content: 'Another model goes on.',
  retracted_message_uuids,
});
const stop = event({ type: 'message_stop' });

describe('retracted output of Claude Code', () => {
  const refused = [
    { ...assistant('m1', thinks('Hm.')), uuid: 'a1' },
    { ...assistant('m1', text('Half')), uuid: 'a2' },
    { ...assistant('m1', call('run')), uuid: 'a3' },
    { ...assistant('m1', call('open')), uuid: 'a4' },
    { ...result('run', 'done'), uuid: 'a5' },
  ];
  const uuids = refused.map(({ uuid }) => uuid);
  const again = { ...assistant('m2', text('Whole')), uuid: 'b1' };
  const reported: Readonly<Record<string, readonly object[]>> = {
    'by the message that replaces it': [{ ...again, supersedes: uuids }],
    'by the notice of the fallback': [again, fallback(...uuids)],
    'by both': [{ ...again, supersedes: uuids }, fallback(...uuids, 'nobody')],
  };
  for (const [how, lines] of Object.entries(reported)) {
    it(`is not part of the answer, but stays in the transcript: ${how}`, () => {
      const { entries, facts, open } = normalizeLines(stdoutLines(init, ...refused, ...lines, success));
      assert.deepEqual([facts.answer, facts.finalText], ['Whole', 'Whole']);
      assert.deepEqual(
        entries
          .filter(({ metadata }) => metadata?.['aborted'] === true)
          .map(({ type, content }) => [type.kind, content]),
        [
          ['thinking', 'Hm.'],
          ['assistant_message', 'Half'],
          ['tool_use', 'Run `ls`'],
          ['tool_use', 'Run `ls`\n\nNot run: the response with this call was retracted.'],
        ],
      );
      const calls = kinds(entries).filter((kind) => kind.startsWith('tool_use'));
      assert.deepEqual(calls, ['tool_use run success', 'tool_use open cancelled']);
      assert.deepEqual(open, []);
    });
  }

  it('is recognized by the final line of the stream', () => {
    const final = { ...assistant('m1', text('Half')), uuid: 'a1' };
    const next = [started('m2'), delta(0, 'Who'), { ...assistant('m2', text('Whole')), supersedes: ['a1'] }, stop];
    const { entries, facts } = normalizeLines(
      stdoutLines(init, started('m1'), delta(0, 'Ha'), final, stop, ...next, success),
    );
    assert.equal(facts.answer, 'Whole');
    const said = entries.filter(({ type }) => type.kind === 'assistant_message');
    assert.deepEqual(
      said.map(({ content, metadata }) => [content, metadata?.['aborted']]),
      [
        ['Half', true],
        ['Whole', undefined],
      ],
    );
  });

  it("is another message's call with a reused id", () => {
    const first = [{ ...assistant('m1', call('a')), uuid: 'a1' }, result('a', 'one')];
    const second = { ...assistant('m2', call('a', 'Bash', { command: 'pwd' })), uuid: 'a2' };
    const { entries } = normalizeLines(stdoutLines(init, ...first, second, fallback('a2'), success));
    assert.deepEqual(kinds(entries).slice(1, 3), ['tool_use a success', 'tool_use a~2 cancelled']);
    assert.equal(entries[1]?.metadata?.['aborted'], undefined);
    assert.equal(entries[2]?.metadata?.['aborted'], true);
  });

  it('is remembered for the latest messages only', () => {
    const lines = Array.from({ length: 1000 }, (_, n) => ({ ...assistant(`m${n}`, text(`${n}.`)), uuid: `u${n}` }));
    const taken = normalizeLines(stdoutLines(init, ...lines, fallback('u0', 'u999'), success));
    const aborted = taken.entries.filter(({ metadata }) => metadata?.['aborted'] === true);
    assert.deepEqual(
      aborted.map(({ content }) => content),
      ['999.'],
    );
  });
});

describe('structured output of Claude Code', () => {
  const structured_output = { colour: 'blue' };
  const json = JSON.stringify(structured_output);
  const closing = { ...success, result: '', structured_output };

  it('is the answer if no line shows its call', () => {
    const { entries, facts } = normalizeLines(stdoutLines(closing));
    assert.equal(facts.finalText, json);
    assert.deepEqual((entries.at(-1)?.metadata?.['result'] as { structuredOutput?: unknown }).structuredOutput, {
      colour: 'blue',
    });
    assert.equal(normalizeLines(stdoutLines({ ...closing, result: json })).facts.answer, json);
    const spaced = JSON.stringify(structured_output, undefined, 2);
    assert.equal(normalizeLines(stdoutLines({ ...closing, result: spaced })).facts.answer, spaced);
    assert.equal(normalizeLines(stdoutLines({ ...closing, result: 'Here.' })).facts.finalText, json);
    assert.equal(normalizeLines(stdoutLines({ ...closing, structured_output: null })).facts.answer, '');
  });

  it('is shown in its call if there is one', () => {
    const gives = assistant('m', call('a', 'StructuredOutput', structured_output));
    const { facts } = normalizeLines(stdoutLines(init, gives, result('a', 'ok'), closing));
    assert.equal(facts.answer, '');
  });
});
