import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { mapStoredMessagesToChatMessages, type StoredMessage } from '@langchain/core/messages';
import * as z from 'zod';
import { adapters } from '../../../src/agents/registry.ts';
import { randomHex } from '../../../src/engine/ids.ts';
import { importFile } from '../../../src/engine/import/importFile.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { loadPrices } from '../../../src/insight/prices/prices.ts';
import { isSynthetic } from '../../../src/model/transcript/synthetic.ts';
import { exportText, exportJson, sourceOf } from '../../support/sessions/exported.ts';
import { aRun, aSession, aSummary, sessionId, temporaryStore, time } from '../../support/sessions/records.ts';

const message = (index: number, content: string, overrides: Partial<NormalizedEntry> = {}): NormalizedEntry => ({
  index,
  timestamp: time(index),
  type: { kind: 'user_message' },
  content,
  origin: 'human',
  ...overrides,
});

const followUp = {
  synthetic: true,
  trigger_type: 'task_incomplete',
  trigger_reason: '2 of 3 to-dos are open',
} as const;
const callback = { synthetic: true, trigger_reason: 'ses_0123456789ab has ended' } as const;
const entries: readonly NormalizedEntry[] = [
  message(0, 'Make tea.'),
  message(1, 'Check in about the incomplete task we discussed.', { origin: 'follow_up', metadata: followUp }),
  message(2, 'A session that you started has ended.', { origin: 'callback', metadata: callback }),
  message(3, '{"synthetic": true, "trigger_type": "check_in"}'),
];
/** Who wrote each, as far as a format tells: the same for all of them. */
const marks = [{}, { origin: 'follow_up', ...followUp }, { origin: 'callback', ...callback }, {}];

const marksOf = ({ origin, ...others }: Readonly<Record<string, unknown>>): object => {
  const names = ['synthetic', 'trigger_type', 'trigger_reason'];
  const found = Object.fromEntries(Object.entries(others).filter(([name]) => names.includes(name)));
  return { ...(origin !== undefined && origin !== 'human' && { origin }), ...found };
};

describe('marks of automatic messages', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  beforeEach(async () => (place = await temporaryStore()));
  afterEach(() => place.remove());

  /** What comes back of a file. */
  async function imported(name: string, text: string) {
    const file = path.join(place.dir, name);
    writeFileSync(file, text);
    const report = await importFile(
      { file },
      {
        store: place.store,
        adapters,
        prices: await loadPrices(),
        clock: () => Date.parse(time(1000)),
        randomHex,
      },
    );
    const reader = await place.store.openReader(report.sessionId);
    try {
      const all = await reader.read(0, 100);
      const { summary } = reader;
      return { ...report, all, summary, runs: await reader.runs() };
    } finally {
      await reader.close();
    }
  }
  const marksIn = (all: readonly NormalizedEntry[]) =>
    all.map(({ origin, metadata }) => marksOf({ ...metadata, origin }));

  it('survive a record', async () => {
    const header = { kind: 'header', format: 'vitrine-record', version: 1, session_id: sessionId, created_at: time(0) };
    const run = { ...aRun({ status: 'completed', end_index: 4 }), ...callback, prompt_origin: 'callback' };
    const counted = { messages: 2, runs: 1, turns: 3 };
    const summary = aSummary({ entries: 4, synthetic: counted });
    const lines = [
      header,
      { kind: 'session', session: aSession() },
      { kind: 'run', run },
      ...entries.map((entry) => ({ kind: 'entry', entry })),
      { kind: 'summary', summary, turns: [], turns_omitted: 0 },
    ];
    const back = await imported('record.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    assert.deepEqual(marksIn(back.all), marks);
    assert.deepEqual(back.summary.synthetic, counted);
    const [{ synthetic, trigger_reason, prompt_origin } = aRun()] = back.runs;
    assert.deepEqual({ synthetic, trigger_reason, prompt_origin }, { ...callback, prompt_origin: 'callback' });
  });

  it('survive Agent Communication Protocol messages', async () => {
    const back = await imported('messages.json', await exportText('acp', sourceOf(entries)));
    assert.deepEqual(marksIn(back.all), marks);
    assert.deepEqual(
      back.all.map(({ content }) => content),
      entries.map(({ content }) => content),
    );
    assert.deepEqual(back.summary.synthetic, { messages: 2, runs: 0, turns: 0 });
    const again = await imported('again.json', await exportText('acp', sourceOf(back.all)));
    assert.deepEqual(marksIn(again.all), marks);
    assert.equal(again.problems, 0);
  });

  it('count as missing if they have a wrong type, and the import reports how many', async () => {
    const text = (await exportText('acp', sourceOf(entries))).replaceAll('"synthetic":true', '"synthetic":"true"');
    const back = await imported('messages.json', text);
    assert.deepEqual([back.problems, back.mistyped], [2, 2]);
    assert.deepEqual(back.all.map(isSynthetic), [false, false, false, false]);
    assert.equal(back.summary.synthetic, undefined);
  });

  it('are loaded by @langchain/core', async () => {
    const isStored = z.custom<StoredMessage>((value) => typeof value === 'object' && value !== null && 'data' in value);
    const stored = z.array(isStored).parse(await exportJson('langchain', sourceOf(entries)));
    const loaded = mapStoredMessagesToChatMessages(stored);
    assert.deepEqual(
      loaded.map(({ additional_kwargs }) => marksOf(additional_kwargs)),
      marks,
    );
    const saved = z.object({ messages: z.array(z.object({ additional_kwargs: z.record(z.string(), z.unknown()) })) });
    const checkpoint = z.object({ channel_values: saved });
    const { channel_values } = checkpoint.parse(await exportJson('langchain-checkpoint', sourceOf(entries)));
    assert.deepEqual(
      channel_values.messages.map(({ additional_kwargs }) => marksOf(additional_kwargs)),
      marks,
    );
  });

  it('are in the steps of ATIF', async () => {
    const trajectory = z.object({ steps: z.array(z.object({ extra: z.record(z.string(), z.unknown()) })) });
    const { steps } = trajectory.parse(await exportJson('atif', sourceOf(entries)));
    assert.deepEqual(
      steps.map(({ extra }) => marksOf(extra)),
      marks,
    );
  });

  it('are in the span of a run, and in readable exports', async () => {
    const run = { ...aRun({ status: 'completed', end_index: 4 }), ...followUp, prompt_origin: 'follow_up' as const };
    const source = sourceOf(entries, { runs: [run] });
    const spans = await exportText('otlp', source);
    for (const text of ['vitrine.prompt.synthetic', 'task_incomplete', '2 of 3 to-dos are open', 'follow_up'])
      assert.ok(spans.includes(text), text);
    assert.match(await exportText('markdown', source), /\*\*Trigger\*\*[^]*\*\*Callback\*\*[^]*\*\*User\*\*/);
  });
});
