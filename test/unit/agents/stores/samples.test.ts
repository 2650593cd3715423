import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { StoreRecord } from '../../../../src/agents/stores/storeFormat.ts';
import { storeFormats } from '../../../../src/agents/stores/formats.ts';
import { normalizedEntrySchema } from '../../../../src/model/transcript/entry.ts';
import { addUsage, type TokenUsage } from '../../../../src/model/usage/usage.ts';
import { vscodeChat, vscodeDocument } from '../../../support/stores/editorSamples.ts';
import { readRecords, settledEntries } from '../../../support/stores/readHome.ts';
import { samples } from '../../../support/stores/samples.ts';
import type { Sample } from '../../../support/stores/sample.ts';
import { assertGolden } from '../../../support/captures/golden.ts';

function read({ format, session, records, notes }: Sample) {
  return readRecords(format, session, records, notes);
}

/** Tokens and US dollars of a sample; what is copied from another session is in them. */
const figures: Readonly<Record<string, { readonly usage: TokenUsage; readonly usd: number }>> = {
  gemini: { usage: { input: 510, output: 60, cacheRead: 140, reasoning: 20 }, usd: 0 },
  qwen: { usage: { input: 140, output: 40, cacheRead: 60, reasoning: 10 }, usd: 0 },
  openCode: { usage: { input: 350, output: 44, cacheRead: 60, cacheWrite: 15, reasoning: 9 }, usd: 0.3 },
  vscodeChat: { usage: { input: 120, output: 30 }, usd: 0 },
  // The same figures: `tokensIn` is beside the cache in Cline, and holds it in Roo Code.
  cline: { usage: { input: 180, output: 25, cacheRead: 80, cacheWrite: 30 }, usd: 0.012 },
  rooCode: { usage: { input: 70, output: 25, cacheRead: 80, cacheWrite: 30 }, usd: 0.012 },
  pi: { usage: { input: 10, output: 5, cacheRead: 100, cacheWrite: 20 }, usd: 0.02 },
  cursor: { usage: {}, usd: 0 },
};

describe('made-up sessions of other agents', () => {
  for (const [name, sample] of Object.entries(samples)) {
    describe(name, () => {
      it('are read as expected', () => {
        const { facts, entries } = read(sample);
        assertGolden(`stores/${name}`, [facts, ...entries]);
        for (const entry of entries) normalizedEntrySchema.parse(entry);
      });

      it('have each request once', () => {
        const { requests } = read(sample).facts;
        const usage = requests.reduce<TokenUsage>((sum, request) => addUsage(sum, request.usage), {});
        const usd = requests.reduce((sum, request) => sum + (request.usd ?? 0), 0);
        assert.deepEqual(usage, figures[name]!.usage);
        assert.ok(Math.abs(usd - figures[name]!.usd) < 1e-9, `${usd}`);
      });

      it('count and keep unknown records', () => {
        const { facts, entries } = read(sample);
        assert.equal(facts.records.unknown, 1);
        const saved = entries.filter(({ type }) => type.kind === 'system_message' && type.subtype === 'unknown');
        assert.equal(saved.length, 1);
        assert.match(saved[0]!.metadata?.raw ?? '', /novel/);
      });

      it('change nothing when read again', () => {
        const { format, session, records, notes = new Map() } = sample;
        const parser = format.createParser({ needsEntries: true, session, notes });
        const once = [...records, ...records].flatMap((record) => parser.push(record));
        const again = settledEntries([...once, ...parser.end(false)]);
        const known = read(sample).entries;
        const prompts = again.filter(({ type }) => type.kind === 'user_message').length;
        if (format.agent !== 'gemini' && format.agent !== 'cursor') {
          assert.equal(prompts, known.filter(({ type }) => type.kind === 'user_message').length);
        }
        if (format.agent !== 'cursor') {
          const figure = parser.facts();
          assert.deepEqual(figure.requests, read(sample).facts.requests);
          assert.deepEqual(figure.prompts, read(sample).facts.prompts);
          assert.deepEqual(figure.toolCalls, read(sample).facts.toolCalls);
        }
      });

      it('leave calls open while the agent may be running', () => {
        const { format, session, records, notes = new Map() } = sample;
        const parser = format.createParser({ needsEntries: true, session, notes });
        const updates = records.flatMap((record) => parser.push(record));
        const statuses = (live: boolean) =>
          settledEntries([...updates, ...parser.end(live)]).flatMap(({ type }) =>
            type.kind === 'tool_use' ? [type.tool.status] : [],
          );
        const isTask = format.agent === 'cline' || format.agent === 'roo-code';
        assert.equal(statuses(true).includes('running'), isTask);
        assert.equal(statuses(false).includes('running'), false);
      });

      it('create no entries if only facts are requested', () => {
        const { format, session, records, notes = new Map() } = sample;
        const parser = format.createParser({ needsEntries: false, session, notes });
        assert.deepEqual(
          records.flatMap((record) => parser.push(record)),
          [],
        );
        assert.deepEqual(parser.end(false), []);
        assert.deepEqual(parser.facts(), read(sample).facts);
      });

      it('never throw for damage, and count it', () => {
        const { format, session, notes = new Map() } = sample;
        const damage = fc.tuple(
          fc.nat(sample.records.length - 1),
          fc.nat(2000),
          fc.string(),
          fc.constantFrom(...kinds),
        );
        fc.assert(
          fc.property(fc.array(damage, { minLength: 1, maxLength: 5 }), (damages) => {
            const records = [...sample.records];
            for (const [at, place, text, kind] of damages) records[at] = damaged(records[at]!, kind, place, text);
            const parser = format.createParser({ needsEntries: true, session, notes });
            const updates = records.flatMap((record) => parser.push(record));
            const entries = settledEntries([...updates, ...parser.end(false)]);
            for (const entry of entries) normalizedEntrySchema.parse(entry);
            const facts = parser.facts();
            assert.ok(facts.records.total <= records.length);
            const faults = entries.filter(({ type }) => type.kind === 'error' && type.error.code === 'malformed_line');
            assert.ok(faults.length <= facts.records.malformed);
          }),
          { numRuns: 300, seed: 20261124 },
        );
      });
    });
  }

  it('of VS Code are the same as a document and as a log', () => {
    const asLog = read(vscodeChat);
    const asDocument = read({ ...vscodeChat, records: [vscodeDocument] });
    const plain = (value: ReturnType<typeof read>) => ({
      entries: value.entries.map(({ type, content, origin }) => ({ type, content, origin })),
      facts: { ...value.facts, records: null },
    });
    const byContent = (value: ReturnType<typeof plain>) => ({
      ...value,
      entries: value.entries.map((entry) => JSON.stringify(entry)).sort(),
    });
    assert.deepEqual(byContent(plain(asLog)), byContent(plain(asDocument)));
    const both = read({ ...vscodeChat, records: [vscodeDocument, ...vscodeChat.records] });
    assert.equal(both.facts.prompts.length, 1);
    assert.equal(both.facts.requests.length, 1);
  });

  it('have a listed format with roots on every system', () => {
    for (const { format } of Object.values(samples)) assert.ok(storeFormats.includes(format));
    for (const format of storeFormats) {
      for (const platform of ['linux', 'darwin', 'win32']) {
        const home = platform === 'win32' ? 'C:\\Users\\dev' : '/home/dev';
        const roots = format.roots({ env: {}, home, platform });
        assert.ok(roots.length > 0);
        for (const { path, depth } of roots) assert.ok(path.startsWith(home) && depth > 0, path);
      }
    }
  });
});

const kinds = ['cut', 'insert', 'replace', 'foreign', 'oversize', 'blank'] as const;

function damaged(record: StoreRecord, kind: (typeof kinds)[number], place: number, text: string): StoreRecord {
  if (kind === 'oversize') return { kind, part: record.part, path: record.path, bytes: 9_000_000, head: text };
  if (record.kind === 'oversize') return record;
  const raw = record.kind === 'row' ? JSON.stringify(record.row) : record.text;
  const at = place % (raw.length + 1);
  const changed = {
    cut: raw.slice(0, at),
    insert: raw.slice(0, at) + text + raw.slice(at),
    replace: raw.replace(/"[^"]*"/, JSON.stringify(text)).replace(/\d+/, 'null'),
    foreign: JSON.stringify({ [text]: [text, place, null] }),
    blank: '',
  }[kind];
  if (record.kind !== 'row') return { ...record, text: changed };
  return { ...record, row: { ...record.row, data: changed, id: text } };
}
