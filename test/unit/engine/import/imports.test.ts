import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { adapters } from '../../../../src/agents/registry.ts';
import { randomHex } from '../../../../src/engine/ids.ts';
import { importFile, type ImportRequest } from '../../../../src/engine/import/importFile.ts';
import type { ImportDeps } from '../../../../src/engine/import/draft.ts';
import { EngineFailure } from '../../../../src/engine/failures/failures.ts';
import type { RecordReader } from '../../../../src/engine/record/contract.ts';
import type { RecordLine } from '../../../../src/formats/record.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { exportText, richEntries, richSource, sourceOf } from '../../../support/sessions/exported.ts';
import {
  aSession,
  appendAll,
  runId,
  sessionId,
  temporaryStore,
  time,
  wholeSession,
} from '../../../support/sessions/records.ts';

describe('imports', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  beforeEach(async () => (place = await temporaryStore()));
  afterEach(() => place.remove());

  const bring = async (request: ImportRequest) => {
    const deps: ImportDeps = {
      store: place.store,
      adapters,
      prices: await loadPrices(),
      clock: () => Date.parse(time(1000)),
      randomHex,
    };
    return importFile(request, deps);
  };
  const file = (name: string, text: string | Buffer): string => {
    const full = path.join(place.dir, name);
    writeFileSync(full, text);
    return full;
  };
  const opened = async <T>(id: string, read: (reader: RecordReader) => Promise<T>): Promise<T> => {
    const reader = await place.store.openReader(id);
    try {
      return await read(reader);
    } finally {
      await reader.close();
    }
  };

  describe('a record', () => {
    const lines = wholeSession(20);
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');

    it('keeps its id if it is free, its entries, figures and raw output', async () => {
      mkdirSync(path.join(place.dir, 'runs'));
      file(`runs/${runId}.stdout`, 'printed\n');
      const report = await bring({ file: file('record.jsonl', text) });
      assert.deepEqual(report, { sessionId, format: 'record', entries: 20, problems: 0, original: null });
      await opened(sessionId, async (reader) => {
        const { summary } = reader;
        const hash = createHash('sha256').update(text).digest('hex');
        assert.deepEqual(summary.imported, { format: 'record', file: 'record.jsonl', at: time(1000), sha256: hash });
        assert.equal(summary.title, undefined);
        assert.deepEqual(summary.total_cost, { provenance: 'reported', usd: 0.25 });
        const before = lines.flatMap((line) => (line.kind === 'entry' ? [line.entry] : []));
        assert.deepEqual(await reader.read(0, 100), before);
        assert.equal((await reader.results()).length, 1);
        const chunks: Buffer[] = [];
        for await (const chunk of reader.raw(runId, 'stdout')) chunks.push(chunk);
        assert.equal(Buffer.concat(chunks).toString(), 'printed\n');
      });
    });

    it('gets another id if its own is taken, in every line', async () => {
      const writer = await place.store.create(aSession());
      await appendAll(writer, lines.slice(2));
      await writer.close();
      const report = await bring({ file: place.store.path(sessionId) });
      assert.notEqual(report.sessionId, sessionId);
      assert.equal(report.original, sessionId);
      await opened(report.sessionId, async (reader) => {
        const all: RecordLine[] = [];
        for await (const line of reader.lines()) all.push(line);
        const decision = all.find((line) => line.kind === 'decision');
        assert.equal(decision?.decision['session_id'], sessionId);
        const others = all.filter((line) => line !== decision);
        assert.ok(!JSON.stringify(others).includes(sessionId));
        assert.equal(reader.total, 20);
        assert.deepEqual(reader.problems, []);
      });
    });

    it('is imported as far as it is intact, and damage is counted', async () => {
      const broken = `${text.slice(0, 2000)}\u0000\u0000garbage\n${text.slice(2300)}`;
      const report = await bring({ file: file('record.jsonl', broken) });
      assert.ok(report.problems > 0);
      assert.ok(report.entries > 10);
    });

    const [header = '', ...others] = text.split('\n');
    const damagedHeads: readonly [string, string][] = [
      ['is gone', others.join('\n')],
      ['is torn', text.slice(40)],
      ['begins with what a crash left', `\0\0\0${text}`],
      ['begins with another text', `>>> ${text}`],
      ['stands in one line with the second', text.replace('\n', '')],
      ['stands behind a mark of its encoding', `\uFEFF${text}`],
    ];
    for (const [name, damaged] of damagedHeads) {
      it(`is recognized even if its first line ${name}`, async () => {
        const report = await bring({ file: file('record.jsonl', damaged) });
        assert.deepEqual([report.format, report.sessionId, report.entries], ['record', sessionId, 20]);
      });
    }

    it('printed by an agent is treated as output on request', async () => {
      const printed = file('out.txt', `Here it is:\n${header}\n`);
      assert.equal((await bring({ file: printed, agent: 'copilot' })).format, 'output');
      assert.equal((await bring({ file: printed })).format, 'record');
    });

    it('can be compressed, even if damaged', async () => {
      const packed = gzipSync(text);
      const whole = await bring({ file: file('record.jsonl.gz', packed) });
      assert.deepEqual(whole, { sessionId, format: 'record', entries: 20, problems: 0, original: null });
      await opened(sessionId, ({ summary }) => {
        const sha256 = createHash('sha256').update(packed).digest('hex');
        assert.deepEqual(summary.imported, { format: 'record', file: 'record.jsonl.gz', at: time(1000), sha256 });
        return Promise.resolve();
      });
      const cut = await bring({ file: file('cut.jsonl.gz', packed.subarray(0, packed.length / 2)) });
      assert.ok(cut.problems > 0);
      assert.ok(cut.entries > 5 && cut.entries < 20, String(cut.entries));
      await assert.rejects(bring({ file: file('none.gz', 'no archive') }), (error) =>
        EngineFailure.is(error, 'import_failed'),
      );
    });

    it('of a newer version is rejected, and leaves nothing behind', async () => {
      const newer = text.replace('"version":1', '"version":99').replace('"version":2', '"version":99');
      await assert.rejects(bring({ file: file('record.jsonl', newer) }), (error) =>
        EngineFailure.is(error, 'import_failed'),
      );
      assert.deepEqual(await place.store.list(), []);
    });
  });

  it('messages equal the exported ones, except for what the format lacks', async () => {
    const report = await bring({ file: file('messages.json', await exportText('acp', richSource)) });
    assert.equal(report.format, 'acp');
    await opened(report.sessionId, async (reader) => {
      const entries = await reader.read(0, 100);
      const said = (kind: string, list: typeof entries) =>
        list.filter(({ type }) => type.kind === kind).map(({ content }) => content);
      for (const kind of ['user_message', 'assistant_message', 'thinking']) {
        const errors = kind === 'assistant_message' ? ['Rate limited'] : [];
        assert.deepEqual(said(kind, entries), [...said(kind, [...richEntries]), ...errors]);
      }
      const answer = entries.find(({ content }) => content === richEntries[7]?.content);
      const citations = (entry: typeof answer) =>
        (entry?.metadata?.annotations ?? [])
          .filter(({ kind }) => kind === 'citation')
          .map((annotation) => JSON.stringify(annotation))
          .sort();
      assert.deepEqual(citations(answer), citations(richEntries[7]));
      const tools = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
      assert.deepEqual(
        tools.map(({ toolName, status, result }) => [toolName, status, result?.text]),
        [
          ['Bash', 'success', 'a.txt\n'],
          ['Bash', 'failed', 'no such file'],
          ['Task', 'success', 'a.txt\n'],
          ['Bash', 'cancelled', undefined],
          ['lookup', 'success', undefined],
        ],
      );
      assert.equal(reader.summary.total_cost.provenance, 'unknown');
    });
  });

  it('messages of other programs keep unknown data', async () => {
    const messages = [
      {
        role: 'user',
        parts: [
          { content: 'hi' },
          { content_type: 'image/png', content: 'AAAA', content_encoding: 'base64', name: 'a.png' },
        ],
      },
      {
        role: 'agent/x',
        parts: [{ content: 'yes', metadata: { kind: 'mood', value: 1 } }, { content_url: 'https://x.test/a' }],
      },
    ];
    const report = await bring({ file: file('messages.json', JSON.stringify({ output: messages })) });
    const contents = await opened(report.sessionId, async (reader) =>
      (await reader.read(0, 10)).map(({ content, metadata }) => [content, metadata?.raw]),
    );
    assert.deepEqual(contents, [
      ['hi[a.png, image/png, 4 characters]', undefined],
      ['yes[text/plain](https://x.test/a)', undefined],
      ['Unknown metadata type.', '{"kind":"mood","value":1}'],
    ]);
  });

  describe('messages of other programs', () => {
    const taken = async (messages: readonly object[]) => {
      const report = await bring({ file: file('messages.json', JSON.stringify(messages)) });
      return opened(report.sessionId, async (reader) => ({
        report,
        entries: await reader.read(0, 100),
        runs: await reader.runs(),
        summary: reader.summary,
      }));
    };
    const said = (content: string, args: object = {}) => ({ role: 'agent/x', parts: [{ content }], ...args });
    const step = (fields: object) => ({
      role: 'agent/x',
      parts: [{ metadata: { kind: 'trajectory', tool_name: 't', ...fields } }],
    });

    const own = { text: 'no', isError: true };
    const outcomes: readonly [string, object | undefined, string, object | undefined | 'as data'][] = [
      ['without a result', undefined, 'success', undefined],
      ['of the export', { status: 'failed', ...own }, 'failed', own],
      ['of the export, with data', { status: 'success', data: [1] }, 'success', { data: [1] }],
      ['of the export, without a result', { status: 'denied' }, 'denied', undefined],
      ['with an own status', { status: 'success', temperature: 72 }, 'success', 'as data'],
      ['with an own status that is none', { status: 200, text: 'ok' }, 'success', 'as data'],
      ['of the export, that goes on', { status: 'running', text: 'so far' }, 'cancelled', { text: 'so far' }],
      ['of the export, that has not begun', { status: 'created' }, 'cancelled', undefined],
      ['that failed', { status: 'failed', reason: 'x' }, 'failed', 'as data'],
      ['that is said to go on', { status: 'running', progress: 3 }, 'success', 'as data'],
      ['with a text and more', { text: 'abc', language: 'en' }, 'success', 'as data'],
      ['with a text alone', { text: 'abc' }, 'success', 'as data'],
      ['with a text that is none', { status: 'success', text: { a: 1 } }, 'success', 'as data'],
    ];
    for (const [name, output, status, result] of outcomes) {
      it(`keep all of a step ${name}`, async () => {
        const { entries } = await taken([step({ tool_output: output })]);
        const [call] = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
        assert.deepEqual([call?.status, call?.result], [status, result === 'as data' ? { data: output } : result]);
      });
    }

    it('can be compressed, without a final line end', async () => {
      const packed = gzipSync(JSON.stringify([said('a'), said('b')]));
      const report = await bring({ file: file('messages.json.gz', packed) });
      assert.deepEqual([report.format, report.entries, report.problems], ['acp', 2, 0]);
      await assert.rejects(bring({ file: file('empty.gz', gzipSync('')) }), (error) =>
        EngineFailure.is(error, 'import_failed'),
      );
    });

    it('skip invalid times, and count them', async () => {
      const { entries, runs, summary, report } = await taken([
        said('a', { created_at: 'yesterday' }),
        said('b', { created_at: '2025-01-01T02:00:00+02:00', completed_at: '2025-01-01T00:00:09Z' }),
        said('c', { created_at: 'step 1', completed_at: '' }),
        said('d'),
      ]);
      const started = '2025-01-01T00:00:00.000Z';
      assert.deepEqual(
        entries.map(({ timestamp }) => timestamp),
        [started, started, started, started],
      );
      assert.equal(report.problems, 2);
      assert.deepEqual([summary.created_at, runs[0]?.completed_at], [started, '2025-01-01T00:00:09.000Z']);
      const { entries: none } = await taken([said('a', { created_at: 'yesterday' })]);
      assert.equal(none[0]?.timestamp, time(1000));
    });

    it('keep their authors, also when exported again', async () => {
      const roles = ['user', 'agent/researcher', 'agent', 'agent/writer', 'agent/vitrine', 'assistant'];
      const { entries } = await taken(roles.map((role) => said('x', { role })));
      const again: unknown = JSON.parse(await exportText('acp', sourceOf(entries)));
      const back = (again as { role: string }[]).map(({ role }) => role);
      assert.deepEqual(back, [...roles.slice(0, -1), 'agent/claude-code']);
    });

    it('can be empty', async () => {
      const { entries } = await taken([said(''), { role: 'user', parts: [] }, said('x')]);
      assert.deepEqual(
        entries.map(({ type, content }) => [type.kind, content]),
        [
          ['assistant_message', ''],
          ['user_message', ''],
          ['assistant_message', 'x'],
        ],
      );
    });

    it('are truncated at a nesting depth that no program reads', async () => {
      const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
      const parts = (metadata: string) => `{"role":"agent/x","parts":[{"content":"a","metadata":${metadata}}]}`;
      const messages = [
        parts(`{"kind":"trajectory","tool_name":"t","tool_input":${deep(20_000)},"tool_output":${deep(150)}}`),
        parts(`{"kind":"mood","value":${deep(20_000)}}`),
      ];
      const report = await bring({ file: file('messages.json', `[${messages.join(',')}]`) });
      assert.deepEqual([report.format, report.entries, report.problems], ['acp', 3, 2]);
      await opened(report.sessionId, async (reader) => {
        const [said] = await reader.read(0, 10);
        const step = said?.metadata?.annotations?.find((annotation) => annotation.kind === 'trajectory');
        assert.equal(step?.tool_name, 't');
        assert.match(JSON.stringify(step.tool_input), /^(?:\{"a":){199}"\(nested deeper than 200 levels\)"\}+$/);
        assert.deepEqual(step.tool_output, JSON.parse(deep(150)));
      });
    });
  });

  it('output is read by its agent, and kept byte for byte', async () => {
    const output = readFileSync('test/fixtures/claude-code/2.1.328/tools.stdout.jsonl');
    const report = await bring({ file: file('out.txt', output) });
    assert.equal(report.format, 'output');
    await opened(report.sessionId, async (reader) => {
      const { summary } = reader;
      assert.equal(summary.executor_type, 'claude-code');
      assert.equal(summary.agent_label, 'Claude Code');
      assert.equal(summary.imported?.format, 'output');
      assert.equal(summary.total_cost.provenance, 'reported');
      assert.ok(reader.total > 3);
      const [run] = await reader.runs();
      const chunks: Buffer[] = [];
      for await (const chunk of reader.raw(run?.run_id ?? '', 'stdout')) chunks.push(chunk);
      assert.ok(Buffer.concat(chunks).equals(output));
    });
  });

  it('unidentified output needs the name of its agent', async () => {
    const plain = file('out.txt', 'hello\nworld\n');
    await assert.rejects(bring({ file: plain }), /Could not determine which agent produced .*out\.txt/);
    const report = await bring({ file: plain, agent: 'copilot' });
    assert.ok(report.entries > 0);
    await assert.rejects(bring({ file: path.join(place.dir, 'none') }), /none cannot be read/);
  });
});
