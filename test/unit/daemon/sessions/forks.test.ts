import assert from 'node:assert/strict';
import path from 'node:path';
import { acp } from '../../../../src/agents/acp/adapter.ts';
import { Forks } from '../../../../src/daemon/sessions/forks.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { EngineFailure } from '../../../../src/engine/failures/failures.ts';
import { Bench, readEntries, waitForResult, prompt } from '../../../support/fakeAgent/engine.ts';

const answer = (text: string) => [{ init: true }, { say: text }, { result: {} }];

describe('a fork of a session whose conversation the agent does not have', () => {
  let bench: Bench;
  let engine: Engine;
  let forks: Forks;

  beforeEach(async () => {
    bench = new Bench();
    engine = await bench.engine({});
    const sources = { historyOf: () => Promise.resolve(undefined) };
    forks = new Forks({ engine, sources, open: (id) => engine.open(id) });
  });
  afterEach(() => bench.close());

  it('gets the transcript before the prompt as text, at no cost, and nothing of what followed', async () => {
    const handle = await engine.start(bench.request(answer('The first answer.')));
    await waitForResult(handle);
    const origin = await engine.resume(handle.id, { prompt: prompt(answer('The second answer.')) });
    await waitForResult(origin);
    const [first = -1, second = -1] = origin.turns().map(({ firstIndex }) => firstIndex);
    assert.equal((await forks.plan(origin.id, first)).way, 'nothing');
    const planned = await forks.plan(origin.id, second);
    assert.deepEqual(planned, { way: 'transcript', prompt: prompt(answer('The second answer.')) });

    const asked = prompt([{ init: true }, { sayPrompt: {} }, { result: {} }]);
    const id = await forks.create(origin.summary(), { at: second, prompt: asked });
    const created = await engine.open(id);
    const { total_cost, total_usage, forked_from, runs } = created.summary();
    assert.deepEqual([total_cost, total_usage, runs], [{ provenance: 'reported', usd: 0 }, {}, 1]);
    assert.deepEqual(forked_from, { session_id: origin.id, last: null });
    const before = (await readEntries(origin)).slice(0, second).map(({ type, content }) => [type, content]);
    assert.deepEqual(
      (await readEntries(created)).map(({ type, content }) => [type, content]),
      before,
    );
    created.dispose();

    const forked = await engine.resume(id, { prompt: asked });
    assert.equal((await waitForResult(forked)).success, true);
    const received =
      (await readEntries(forked)).slice(before.length).find(({ type }) => type.kind === 'assistant_message')?.content ??
      '';
    assert.match(received, /^told: Note written by Vitrine, not by the user/);
    assert.match(received, /\n> Assistant: The first answer\.\n[^]*The user now says:/);
    assert.doesNotMatch(received, /The second answer/);
    const own = forked.summary();
    assert.deepEqual(own.total_usage, own.usage);
    assert.notEqual(own.executor_session_id, origin.summary().executor_session_id);
    for (const sessionHandle of [handle, origin, forked]) sessionHandle.dispose();
  });

  it('starts at a prompt only', async () => {
    const handle = await engine.start(bench.request(answer('The answer.')));
    await waitForResult(handle);
    const at = (await readEntries(handle)).findIndex(({ type }) => type.kind === 'assistant_message');
    await assert.rejects(forks.plan(handle.id, at), (error) => EngineFailure.is(error, 'fork_failed'));
    await assert.rejects(forks.plan(handle.id, 1000), (error) => EngineFailure.is(error, 'fork_failed'));
    handle.dispose();
  });
});

describe('a fork at the end of a session of the Agent Client Protocol', () => {
  const program = path.resolve('test/support/acpAgent/agent.mjs');
  const asked = prompt([{ sayPrompt: {} }]);
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  async function forkedWith(args: readonly string[]) {
    const settings = () => ({ acp: [{ id: 'fake', label: 'Fake', program, args }] });
    const engine = await bench.engine({ adapters: [acp], settings });
    const forks = new Forks({
      engine,
      sources: { historyOf: () => Promise.resolve(undefined) },
      open: (id) => engine.open(id),
    });
    const first = prompt([{ say: 'The first answer.' }]);
    const origin = await engine.start({ agent: 'acp', profile: 'fake', cwd: bench.cwd, prompt: first });
    await waitForResult(origin);
    const { way } = await forks.plan(origin.id);
    const forked = await engine.resume(await forks.create(origin.summary()), { prompt: asked });
    const result = await waitForResult(forked);
    assert.equal(result.success, true, result.error);
    const all = await readEntries(forked);
    const received = all.findLast(({ type }) => type.kind === 'assistant_message')?.content ?? '';
    const [before, after] = [origin.summary(), forked.summary()];
    assert.ok(all.some(({ content }) => content === 'The first answer.'));
    assert.equal(after.forked_from?.session_id, origin.id);
    assert.deepEqual(after.total_usage, { input: 10, output: 5 }, 'what came before is not counted again');
    for (const handle of [origin, forked]) handle.dispose();
    return { way, received, before: before.executor_session_id ?? '', after: after.executor_session_id ?? '' };
  }

  it('continues a copy of the conversation of an agent that offers it', async () => {
    const { way, received, before, after } = await forkedWith(['--fork']);
    assert.equal(way, 'conversation');
    assert.equal(received, `told: ${asked}`, 'no transcript');
    assert.ok(after.startsWith(`${before}-fork-`), after);
  });

  it('gets the transcript as text if the agent does not offer it', async () => {
    const { way, received, before, after } = await forkedWith([]);
    assert.equal(way, 'transcript');
    assert.match(received, /^told: Note written by Vitrine, not by the user[^]*> Assistant: The first answer\./);
    assert.match(after, /^fake-\d+$/);
    assert.notEqual(after, before);
  });
});
