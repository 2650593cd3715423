import assert from 'node:assert/strict';
import fc from 'fast-check';
import { acpHttp } from '../../../../src/agents/acp-http/adapter.ts';
import { acpMessageSchema, entriesOfMessage } from '../../../../src/formats/import/acpMessages.ts';
import { normalizedEntrySchema, type NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { readBy, type Read } from '../../../support/captures/agentCaptures.ts';

function read(events: readonly object[]): Read {
  return readBy(
    acpHttp,
    events.map((event) => ({ stream: 'stdout', text: JSON.stringify(event) })),
  );
}

const run = { run_id: 'r', agent_name: 'helper', session_id: 's', status: 'in-progress', output: [] };
const created = { type: 'run.created', run };
const part = (fields: object) => ({ type: 'message.part', part: { content_type: 'text/plain', ...fields } });
const messageCreated = { type: 'message.created', message: { role: 'agent/helper', parts: [] } };
const ends = (...parts: object[]) => ({ type: 'message.completed', message: { role: 'agent/helper', parts } });
const runCompleted = (...output: object[]) => ({ type: 'run.completed', run: { ...run, status: 'completed', output } });
const cites = (start: number, end: number, fields: object = {}) => ({
  metadata: { kind: 'citation', start_index: start, end_index: end, url: 'https://example.com', ...fields },
});

interface Range {
  readonly start_index: number;
  readonly end_index: number;
}

function answers({ entries }: Read): NormalizedEntry[] {
  return entries.filter(({ type }) => type.kind === 'assistant_message');
}

function cited(entry: NormalizedEntry | undefined): string[] {
  const points = Array.from(entry?.content ?? '');
  const annotations = (entry?.metadata?.annotations ?? []).filter(({ kind }) => kind === 'citation');
  return (annotations as unknown as Range[]).map(({ start_index, end_index }) =>
    points.slice(start_index, end_index).join(''),
  );
}

describe('citations in lines of the Agent Communication Protocol', () => {
  it('move their ranges with the text that they belong to', () => {
    const result = read([
      created,
      messageCreated,
      part({ content: 'Ünïcode 🚀🚀 first. ' }),
      part({ content: 'AI 🤖 adoption grew.', ...cites(3, 13) }),
      part({ content: ' The end.', ...cites(5, 8, { title: 'End' }) }),
      ends(),
    ]);
    const [answer] = answers(result);
    assert.equal(answer?.content, 'Ünïcode 🚀🚀 first. AI 🤖 adoption grew. The end.');
    assert.deepEqual(cited(answer), ['🤖 adoption', 'end']);
    assert.deepEqual(answer.metadata?.annotations?.[1], {
      kind: 'citation',
      start_index: 42,
      end_index: 45,
      url: 'https://example.com',
      title: 'End',
    });
  });

  it('keep their ranges if they arrive without text', () => {
    const after = read([created, messageCreated, part({ content: 'A claim.' }), part(cites(2, 7)), ends()]);
    assert.deepEqual(cited(answers(after)[0]), ['claim']);
    const before = read([created, messageCreated, part(cites(2, 7)), part({ content: 'A claim.' }), ends()]);
    assert.deepEqual(cited(answers(before)[0]), ['claim']);
    const late = read([
      created,
      messageCreated,
      part({ content: 'A claim.' }),
      part({ metadata: { kind: 'trajectory', message: 'Hm.' } }),
      part(cites(2, 7)),
      ends(),
    ]);
    assert.deepEqual(cited(answers(late)[0]), ['claim']);
    const alone = read([created, messageCreated, part(cites(0, 1)), ends(), runCompleted()]);
    assert.equal(alone.entries.at(-2)?.metadata?.annotations?.length, 1);
  });

  const cite = (range: object, url = 'https://example.com') => ({ metadata: { kind: 'citation', url, ...range } });
  const between = (start_index: number, end_index: number) => cite({ start_index, end_index });
  const tool = { metadata: { kind: 'trajectory', tool_name: 'search' } };
  const thought = { metadata: { kind: 'trajectory', message: 'Hm.' } };
  const image = { content_type: 'image/png', content_url: 'https://example.com/c.png' };
  const json = { content_type: 'application/json', content: '{"city":"Lisbon 🌞"}' };

  // Parts of one message, and the words of each source. None: the source is kept, and stands for no words.
  // An import has one text of them all: what differs there comes last.
  type Row = readonly [parts: readonly object[], words: readonly string[], imported?: readonly string[]];
  const placed: Readonly<Record<string, Row>> = {
    'across a call': [
      [{ content: 'First text. ' }, tool, { content: 'Second text here.' }, between(12, 18), between(0, 5)],
      ['First', 'Second'],
    ],
    'across a thought, in code points': [
      [{ content: '🚀 one. ' }, thought, { content: '🚀 two.' }, between(9, 12), between(2, 5)],
      ['one', 'two'],
    ],
    'across what the agent made': [
      [{ content: 'One. ' }, { name: 'a.txt', content: 'Made.' }, { content: 'Two.' }, between(5, 8)],
      ['Two'],
    ],
    'over both sides of a call: the side where it begins': [
      [{ content: 'One two. ' }, tool, { content: 'Three.' }, between(4, 12)],
      ['two. '],
      ['two. Thr'],
    ],
    'after the text of a call, which comes later': [
      [between(5, 8), { content: 'One. ' }, tool, between(0, 3), { content: 'Two.' }],
      ['One', 'Two'],
    ],
    'from somewhere on': [[{ content: 'One. Two.' }, cite({ start_index: 5 })], ['Two.']],
    'up to somewhere': [[{ content: 'One. ' }, tool, { content: 'Two.' }, cite({ end_index: 3 })], ['One']],
    'no range, which is for the newest text': [
      [{ content: 'One. ' }, tool, { content: 'Two.' }, cite({})],
      ['Two.'],
      ['One. Two.'],
    ],
    'no range, with a text': [
      [{ content: 'First text. ' }, { content: 'Second.', ...cite({}) }, { content: ' Third.' }],
      ['Second.'],
    ],
    'from somewhere on in its text': [
      [{ content: 'One. ' }, { content: 'Two three.', ...cite({ start_index: 4 }) }, { content: ' Four.' }],
      ['three.'],
    ],
    'up to somewhere in its text': [
      [{ content: 'One. ' }, { content: 'Two three.', ...cite({ end_index: 3 }) }, { content: ' Four.' }],
      ['Two'],
    ],
    'beyond its text': [
      [{ content: 'One.', ...between(2, 99) }, { content: ' Two.', ...between(5, 9) }, { content: ' Three.' }],
      ['e.', ''],
    ],
    'beyond the message': [
      [{ content: 'One.' }, between(4, 9), between(2, 9)],
      ['', 'e.'],
    ],
    'before its text': [[{ content: 'One. ' }, { content: 'Two.', ...between(-3, 2) }], ['']],
    'before the message': [
      [{ content: 'One. ' }, between(-3, 2), cite({ start_index: 'x', end_index: 2 })],
      ['', ''],
    ],
    'the wrong way round': [
      [{ content: 'One. ' }, { content: 'Two.', ...between(3, 1) }, between(3, 1)],
      ['', ''],
    ],
    'in JSON and after it': [
      [{ content: 'Here: ' }, { ...json, ...between(9, 17) }, { content: 'Done.' }, between(25, 29), between(15, 21)],
      ['Lisbon 🌞', 'Done', 'Lisbon'],
    ],
    'in base64': [
      [
        { content: 'One. ' },
        { content: Buffer.from('Naïve 🌞 two.').toString('base64'), content_encoding: 'base64', ...between(6, 11) },
        { content: ' Three.' },
        between(18, 23),
      ],
      ['🌞 two', 'Three'],
    ],
    'after an image': [[{ content: 'One. ' }, image, { content: 'Two.' }, between(5, 8)], ['Two']],
    'on both sides of an image': [
      [{ content: 'One. ' }, image, { content: 'Two.' }, between(0, 8)],
      ['One. \n\n[image/png](https://example.com/c.png)Two'],
    ],
    'of an image': [
      [{ content: 'One. ' }, { ...image, ...cite({}) }, { content: ' Two.' }],
      ['[image/png](https://example.com/c.png)'],
    ],
    'of a kind that is taken for granted': [
      [
        { content: 'One two.' },
        { metadata: { tool_name: 'search' } },
        { metadata: { url: 'https://example.com', start_index: 4, end_index: 7 } },
      ],
      ['two'],
    ],
    'two in a list': [
      [{ content: 'One two.', metadata: [between(0, 3).metadata, between(4, 7).metadata] }],
      ['One', 'two'],
    ],
  };
  for (const [what, [parts, words, imported = words]] of Object.entries(placed)) {
    it(`place a source: ${what}`, () => {
      const whole = parts.map((fields) => part(fields).part);
      const ways = {
        'part by part': [created, messageCreated, ...parts.map(part), ends()],
        whole: [created, ends(...whole)],
        'at the end': [created, runCompleted({ role: 'agent/helper', parts: whole })],
      };
      for (const [way, events] of Object.entries(ways)) {
        assert.deepEqual(answers(read(events)).flatMap(cited), words, way);
      }
      const message = acpMessageSchema.parse({ role: 'agent/helper', parts: whole });
      const entries = entriesOfMessage(message, 0, '2026-11-20T10:00:00Z');
      // One entry has them in the order they came in; the spaces around other content differ.
      const plain = (list: readonly string[]) => list.map((one) => one.replaceAll('\n\n', '')).sort();
      assert.deepEqual(plain(entries.flatMap(cited)), plain(imported), 'imported');
      for (const entry of entries) normalizedEntrySchema.parse(entry);
    });
  }

  it('keep the answer unchanged when an earlier text gets a citation', () => {
    const { facts } = read([
      created,
      messageCreated,
      part({ content: 'A. ' }),
      part(tool),
      part({ content: 'B.' }),
      part(between(0, 1)),
      ends(),
    ]);
    assert.equal(facts.finalText, 'B.');
    assert.equal(facts.answer, 'A. \n\nB.');
  });

  it('cite artifacts of the agent', () => {
    const { entries } = read([
      created,
      messageCreated,
      part({ name: 'a.md', content: 'x ``` Lisbon', ...between(6, 12) }),
      ends(),
    ]);
    const artifact = entries.find(({ type }) => type.kind === 'system_message' && type.subtype === 'artifact');
    assert.deepEqual(cited(artifact), ['Lisbon']);
  });

  it('find their range for any text', () => {
    const piece = fc
      .record({ text: fc.string({ minLength: 1, unit: 'grapheme' }), from: fc.nat(), length: fc.nat(10) })
      .map(({ text, from, length }) => {
        const points = Array.from(text);
        const start = from % points.length;
        return { text, start, end: Math.min(points.length, start + length) };
      });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        const parts = pieces.map(({ text, start, end }) => part({ content: text, ...cites(start, end) }));
        const [answer] = answers(read([created, messageCreated, ...parts, ends()]));
        assert.equal(answer?.content, pieces.map(({ text }) => text).join(''));
        assert.deepEqual(
          cited(answer),
          pieces.map(({ text, start, end }) => Array.from(text).slice(start, end).join('')),
        );
      }),
    );
  });

  it('without text find their range, whatever is in between', () => {
    const others = [tool, thought, image, { name: 'a.txt', content: 'Made.' }, undefined];
    const piece = fc.record({
      text: fc.string({ minLength: 1, unit: 'grapheme' }),
      isJson: fc.boolean(),
      from: fc.nat(),
      length: fc.integer({ min: 1, max: 10 }),
      next: fc.constantFrom(...others),
      isFirst: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        const [before, after]: [object[], object[]] = [[], []];
        const words: string[] = [];
        let base = 0;
        const texts = pieces.flatMap(({ text, isJson, from, length, next, isFirst }) => {
          const points = Array.from(text);
          const start = from % points.length;
          const end = Math.min(points.length, start + length);
          words.push(points.slice(start, end).join(''));
          (isFirst ? before : after).push(between(base + start, base + end));
          base += points.length;
          const own = { content: text, ...(isJson && { content_type: 'application/json' }) };
          return next === undefined ? [own] : [own, next];
        });
        const parts = [...before, ...texts, ...after].map((fields) => part(fields));
        const live = answers(read([created, messageCreated, ...parts, ends()])).flatMap(cited);
        assert.deepEqual(live.sort(), words.sort());
        const message = acpMessageSchema.parse({ role: 'agent', parts: parts.map(({ part: content }) => content) });
        assert.deepEqual(entriesOfMessage(message, 0, '2026-11-20T10:00:00Z').flatMap(cited).sort(), words);
      }),
    );
  });
});
