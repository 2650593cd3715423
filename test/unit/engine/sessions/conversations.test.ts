import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Bench, readEntries, waitForResult, prompt } from '../../../support/fakeAgent/engine.ts';

describe('conversations of an agent', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  const answer = (words: string, usd: number) => [{ init: true }, { say: words }, { result: { usd, text: words } }];
  const notes = async (handle: Parameters<typeof readEntries>[0], subtype: string): Promise<string[]> =>
    (await readEntries(handle)).flatMap(({ type, content }) =>
      type.kind === 'system_message' && type.subtype === subtype ? [content] : [],
    );

  /** A session whose agent changed its id: first `old`, then `new`. */
  async function withTwoIds(bench: Bench) {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request([{ session: 'old' }, ...answer('a', 0.1)]));
    await waitForResult(handle);
    await waitForResult(await engine.resume(handle.id, { prompt: prompt([{ session: 'new' }, ...answer('b', 0.1)]) }));
    return { engine, handle };
  }

  it('keeps the chain of ids', async () => {
    const { handle } = await withTwoIds(bench);
    const { executor_session_ids: ids, executor_session_id: newest } = handle.summary();
    assert.deepEqual(ids.slice(1), ['old', 'new']);
    assert.equal(newest, 'new');
  });

  it('tries the other id when the agent does not know the first, and reports it', async () => {
    const { engine, handle } = await withTwoIds(bench);
    const original = handle.summary().executor_session_ids[0];
    const steps = [{ unknownUnless: original }, ...answer('found', 0.1)];
    const result = await waitForResult(await engine.resume(handle.id, { prompt: prompt(steps) }));
    assert.equal(result.success, true, result.error);
    assert.equal(result.data, 'found');
    assert.equal((await notes(handle, 'resume_retry')).length, 1);
    const turn = handle.turns().at(-1);
    assert.match(await readFile(handle.rawPath(turn?.runId ?? '').stderr, 'utf8'), /No conversation found/);
  });

  it('resumes by the original id if configured', async () => {
    const { engine, handle } = await withTwoIds(bench);
    const original = handle.summary().executor_session_ids[0];
    const steps = [{ unknownUnless: original }, ...answer('found', 0.1)];
    await waitForResult(await engine.resume(handle.id, { prompt: prompt(steps), from: 'original' }));
    assert.equal((await notes(handle, 'resume_retry')).length, 0);
  });

  it('fails with advice when the agent knows neither, and starts a new conversation with a summary', async () => {
    const { engine, handle } = await withTwoIds(bench);
    const failed = await engine.resume(handle.id, { prompt: prompt([{ unknownUnless: 'neither' }]) });
    const codes: string[] = [];
    failed.onNotice(({ failure }) => codes.push(`${failure.code} ${failure.action ?? ''}`));
    assert.equal((await waitForResult(failed)).success, false);
    assert.deepEqual(codes, ['conversation_unknown startAfresh']);

    const before = handle.summary();
    const fresh = await engine.startNewConversation(handle.id, { prompt: prompt(answer('new life', 0.5)) });
    const result = await waitForResult(fresh);
    assert.equal(result.success, true, result.error);
    assert.equal(result.metadata?.cost, 0.5);
    assert.ok(before.total_cost.provenance === 'reported');
    assert.equal(result.metadata.totalCost, before.total_cost.usd + 0.5);
    const [note = ''] = await notes(fresh, 'fresh_start');
    assert.match(note, /Note written by Vitrine, not by the user/);
    assert.match(note, /The last answer was:/);
    assert.ok(Buffer.byteLength(note) < 9000);
    const ids = fresh.summary().executor_session_ids;
    assert.equal(ids.length, 1);
    const typed = (await readEntries(fresh)).filter(({ type }) => type.kind === 'user_message').at(-1);
    assert.equal(typed?.content, prompt(answer('new life', 0.5)));
    const known = await engine.resume(handle.id, { prompt: prompt([{ unknownUnless: ids[0] }, ...answer('on', 0.5)]) });
    assert.equal((await waitForResult(known)).data, 'on');
  });
});
