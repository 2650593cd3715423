import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
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
});
