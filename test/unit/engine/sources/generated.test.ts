import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ObservedSummary } from '../../../../src/insight/observed/summary.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { turn, uuidOf, writeSession } from '../../../support/stores/claudeStore.ts';
import { sourcesOf } from '../../../support/stores/homes.ts';

const [root, fork, forkOfFork] = [uuidOf(901), uuidOf(902), uuidOf(903)];

describe('stores of Claude Code that were made for it', () => {
  let home = '';

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'vitrine-sources-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  async function rows(): Promise<Map<string, ObservedSummary>> {
    const listed = await sourcesOf(home).list(await loadPrices());
    return new Map(listed.map((row) => [row.executor_session_ids[0] ?? '', row]));
  }

  for (const says of [true, false]) {
    it(`counts a fork of a fork once where the copies ${says ? 'name' : 'do not name'} their session`, async () => {
      const copied = (session: string) => (says ? { from: session } : {});
      writeSession(home, forkOfFork, [
        ...turn(forkOfFork, 1, { id: 'msg_1', ...copied(root) }),
        ...turn(forkOfFork, 2, { id: 'msg_2', ...copied(fork) }),
        ...turn(forkOfFork, 5, { id: 'msg_5', input: 50 }),
      ]);
      writeSession(home, fork, [
        ...turn(fork, 1, { id: 'msg_1', ...copied(root) }),
        ...turn(fork, 2, { id: 'msg_2', input: 20 }),
      ]);
      writeSession(home, root, [...turn(root, 1, { id: 'msg_1' })]);
      const found = await rows();
      const figures = [root, fork, forkOfFork]
        .map((id) => found.get(id))
        .map((row) => [row?.prompts, row?.total_usage.input]);
      assert.deepEqual(figures, [
        [1, 10],
        [1, 20],
        [1, 50],
      ]);
      assert.equal(found.get(forkOfFork)?.parent_session_id, found.get(fork)?.session_id);
      assert.equal(found.get(fork)?.parent_session_id, found.get(root)?.session_id);
    });
  }

  it('leaves the history with the fork where the session that it comes from is gone', async () => {
    writeSession(home, fork, [...turn(fork, 1, { id: 'msg_1', from: root }), ...turn(fork, 2, { id: 'msg_2' })]);
    const row = (await rows()).get(fork);
    assert.deepEqual([row?.prompts, row?.total_usage.input, row?.parent_session_id], [2, 20, undefined]);
  });

  it('prices two models apart, and says where a price is not known', async () => {
    writeSession(home, root, [
      ...turn(root, 1, { id: 'msg_1', input: 1_000_000, output: 0 }),
      ...turn(root, 2, { id: 'msg_2', input: 1_000_000, output: 0, model: 'claude-haiku-4-5-20251001' }),
    ]);
    writeSession(home, fork, turn(fork, 3, { id: 'msg_3', model: 'claude-of-tomorrow' }));
    const found = await rows();
    const cost = found.get(root)?.total_cost;
    assert.ok(cost?.provenance === 'estimated' && cost.usd >= 4);
    assert.equal(found.get(root)?.model, 'claude-haiku-4-5-20251001');
    const unknown = found.get(fork)?.total_cost;
    assert.ok(unknown?.provenance === 'unknown' && unknown.reason.includes('claude-of-tomorrow'));
  });

  it('counts by message where there is no request id, and takes the line with the most tokens', async () => {
    const [prompt = {}, first = {}] = turn(root, 1, { id: 'msg_1', output: 1 });
    const [, last = {}] = turn(root, 1, { id: 'msg_1', output: 777 });
    writeSession(home, root, [prompt, first, { ...last, uuid: uuidOf(77) }, first]);
    assert.equal((await rows()).get(root)?.total_usage.output, 777);
  });

  it('keeps both branches of a rewind, and takes an empty file for no session', async () => {
    writeSession(home, root, [...turn(root, 1, { id: 'msg_1' }), ...turn(root, 2, { id: 'msg_2' })]);
    writeSession(home, fork, []);
    const found = await rows();
    assert.deepEqual([...found.keys()], [root]);
    assert.equal(found.get(root)?.prompts, 2);
  });

  it('takes the title of 1.0 from a file of its own', async () => {
    writeSession(home, root, turn(root, 1, { id: 'msg_1' }));
    writeSession(home, fork, [{ type: 'summary', summary: 'A parser', leafUuid: uuidOf(3) }]);
    const found = await rows();
    assert.deepEqual(
      [...found.values()].map(({ title }) => title),
      ['A parser'],
    );
  });

  it('reads what changed, and nothing else, when it lists again', async () => {
    writeSession(home, root, turn(root, 1, { id: 'msg_1' }));
    const sources = sourcesOf(home);
    await sources.list(await loadPrices());
    writeSession(home, root, [...turn(root, 1, { id: 'msg_1' }), ...turn(root, 2, { id: 'msg_2' })]);
    const [row] = await sources.list(await loadPrices());
    assert.equal(row?.prompts, 2);
  });

  it('counts a prompt once where a resume copies the conversation under new ids', async () => {
    const copy = (session: string, n: number, id: string, times: number): object[] =>
      turn(session, n, { id }).map((record, at) => ({ ...record, uuid: uuidOf(1000 * times + 10 * n + at) }));
    writeSession(home, root, turn(root, 1, { id: 'msg_1' }));
    writeSession(home, fork, [...copy(fork, 5, 'msg_1', 1), ...turn(fork, 6, { id: 'msg_2' })]);
    writeSession(home, forkOfFork, [
      ...copy(forkOfFork, 8, 'msg_1', 2),
      ...copy(forkOfFork, 9, 'msg_2', 2),
      ...turn(forkOfFork, 10, { id: 'msg_3' }),
    ]);
    const found = await rows();
    assert.deepEqual(
      [root, fork, forkOfFork].map((id) => found.get(id)?.prompts),
      [1, 1, 1],
    );
    assert.equal(found.get(forkOfFork)?.parent_session_id, found.get(fork)?.session_id);
  });

  it('names the model of the conversation, not that of a subagent', async () => {
    const sonnet = 'claude-sonnet-4-5-20250929';
    const haiku = 'claude-haiku-4-5-20251001';
    const aside = turn(root, 3, { id: 'msg_3', model: haiku }).map((record) => ({ ...record, isSidechain: true }));
    writeSession(home, root, [...turn(root, 1, { id: 'msg_1', model: sonnet }), ...aside]);
    assert.equal((await rows()).get(root)?.model, sonnet);
    writeSession(home, root, [
      ...turn(root, 1, { id: 'msg_1', model: sonnet }),
      ...turn(root, 2, { id: 'msg_2', model: haiku }),
      ...turn(root, 3, { id: 'msg_3', model: sonnet }),
    ]);
    assert.equal((await rows()).get(root)?.model, sonnet);
  });

  it('says that tokens are missing where an answer was interrupted', async () => {
    const [prompt = {}, answer = {}] = turn(root, 1, { id: 'msg_1' });
    const said = (text: string): object => ({ ...prompt, uuid: uuidOf(50), message: { role: 'user', content: text } });
    const placeholder = {
      ...answer,
      message: {
        role: 'assistant',
        model: '<synthetic>',
        content: [{ type: 'text', text: 'No response requested.' }],
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    };
    const reasonOf = async (...records: object[]): Promise<string | null | undefined> => {
      writeSession(home, root, [...records, ...turn(root, 9, { id: 'msg_9' })]);
      return (await rows()).get(root)?.usage_reason;
    };
    assert.match((await reasonOf(prompt, placeholder)) ?? '', /interrupted/);
    assert.match((await reasonOf(prompt, answer, said('[Request interrupted by user]'))) ?? '', /interrupted/);
    assert.equal(await reasonOf(prompt, answer, said('[Request interrupted by user for tool use]')), null);
    assert.equal(await reasonOf(prompt, answer, placeholder), null);
  });
});

describe('stores of Codex that were made for it', () => {
  let home = '';
  beforeEach(() => (home = mkdtempSync(path.join(tmpdir(), 'vitrine-sources-'))));
  afterEach(() => rmSync(home, { recursive: true }));

  type Line = readonly [type: string, payload: object];

  function write(session: string, lines: readonly Line[]): void {
    const folder = path.join(home, '.codex/sessions/2026/11/02');
    mkdirSync(folder, { recursive: true });
    const text = lines.map(([type, payload], at) => {
      const timestamp = new Date(Date.UTC(2026, 10, 2, 10, 0, at)).toISOString();
      return `${JSON.stringify({ timestamp, type, payload })}\n`;
    });
    writeFileSync(path.join(folder, `rollout-2026-11-02T10-00-00-${session}.jsonl`), text.join(''));
  }

  const meta = (id: string, overrides: object = {}): Line => [
    'session_meta',
    { id, session_id: id, cwd: '/home/dev/project', source: 'exec', ...overrides },
  ];
  const context: Line = ['turn_context', { model: 'gpt-5.2', cwd: '/home/dev/project' }];
  const prompt = (message: string): Line => ['event_msg', { type: 'user_message', message }];
  const count = (total: number | null, last = 0): Line => {
    const usage = (tokens: number): object => ({ input_tokens: tokens, cached_input_tokens: 0, output_tokens: 1 });
    const info = total === null ? null : { total_token_usage: usage(total), last_token_usage: usage(last) };
    return ['event_msg', { type: 'token_count', info }];
  };
  async function list(): Promise<ObservedSummary[]> {
    return sourcesOf(home).list(await loadPrices());
  }

  it('count each process from 0 in old versions, whether its total is smaller, the same or greater', async () => {
    const turnOf = (text: string, tokens: number): Line[] => [
      prompt(text),
      context,
      count(null),
      count(tokens, tokens),
      count(tokens, tokens),
    ];
    const lines = [meta(root), ...turnOf('One', 100), ...turnOf('Two', 300), ...turnOf('Three', 300)];
    write(root, [...lines, ...turnOf('Four', 50), count(120, 70)]);
    const [row] = await list();
    assert.equal(row?.total_usage.input, 100 + 300 + 300 + 120);
    assert.equal(row.prompts, 4);
    // An old fork repeats the history at other times.
    write(fork, [
      meta(fork, { forked_from_id: root }),
      ...lines,
      prompt('Five'),
      context,
      count(null),
      count(300, 300),
    ]);
    const rows = await list();
    assert.equal(
      rows.reduce((sum, { total_usage: usage }) => sum + (usage.input ?? 0), 0),
      820 + 300,
    );
    assert.equal(
      rows.reduce((sum, { prompts }) => sum + prompts, 0),
      5,
    );
  });

  it('price a request before the first model of a fork', async () => {
    const base = { history_mode: 'paginated', forked_from_id: root, history_base: { thread_id: root } };
    const usage = { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 10 };
    write(fork, [meta(fork, base), ['token_usage_record', { response_id: 'resp_1', usage }], context]);
    const [row] = await list();
    assert.equal(row?.total_cost.provenance, 'estimated');
  });

  it('reads the oldest versions, whose records have no envelope, times or tokens', async () => {
    const said = (role: string, text: string): object => ({
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    });
    const call = { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'call_1' };
    const output = { type: 'function_call_output', call_id: 'call_1', output: '{"output":"a.txt"}' };
    const records = [
      { id: root, timestamp: '2026-11-02T10:00:00.000Z', instructions: null, git: {} },
      { record_type: 'state' },
      said('user', '<environment_context>…</environment_context>'),
      said('user', 'What is here?'),
      ...[call, output, said('assistant', 'One file.'), said('user', 'What is here?'), said('assistant', 'The same.')],
    ];
    write(root, []);
    const folder = path.join(home, '.codex/sessions/2026/11/02');
    const file = path.join(folder, `rollout-2026-11-02T10-00-00-${root}.jsonl`);
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const sources = sourcesOf(home);
    const [row] = await sources.list(await loadPrices());
    assert.deepEqual([row?.title, row?.prompts, row?.tool_calls, row?.unknown_lines], ['What is here?', 2, 1, 0]);
    assert.match(row?.usage_reason ?? '', /does not store tokens/);
    const { entries = [] } = (await sources.read(row?.session_id ?? '')) ?? {};
    const texts = entries.filter(({ type }) => type.kind !== 'tool_use').map(({ content }) => content);
    assert.deepEqual(texts, ['What is here?', 'One file.', 'What is here?', 'The same.']);
    assert.equal(entries.filter(({ type }) => type.kind === 'tool_use').length, 1);
  });
});
