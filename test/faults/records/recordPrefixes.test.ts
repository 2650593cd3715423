import assert from 'node:assert/strict';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isSessionLive } from '../../../src/model/session/status.ts';
import { Bench, benchDeps, waitForResult, prompt } from '../../support/fakeAgent/engine.ts';
import { isFullSize } from '../../support/hostile/fuzz.ts';

const steps = [{ init: true }, { say: 'hello' }, { result: {} }];

describe('a record that ends within a transition', function () {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('opens with its actual state and can be resumed, wherever it was cut', async () => {
    const first = await bench.engine();
    const handle = await first.start(bench.request(steps));
    await waitForResult(handle);
    const { id } = handle;
    handle.dispose();
    const resumed = await first.resume(id, { prompt: prompt(steps) });
    await waitForResult(resumed);
    resumed.dispose();
    const [known] = handle.summary().executor_session_ids;
    const anew = await first.startNewConversation(id, { prompt: prompt(steps) });
    await waitForResult(anew);
    anew.dispose();
    const last = anew.summary().executor_session_ids;
    assert.notDeepEqual(last, [known]);
    await first.dispose();
    const file = path.join(bench.store, 'sessions', id, 'record.jsonl');
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const whole = path.join(bench.dir, 'whole');
    await cp(path.join(bench.store, 'sessions', id), whole, { recursive: true });

    let seen = false;
    const step = isFullSize ? 1 : 3;
    // The header and the session are written before anybody knows of it.
    for (let count = 2; count <= lines.length; count += step) {
      const folder = path.join(bench.store, 'sessions', id);
      await rm(folder, { recursive: true });
      await cp(whole, folder, { recursive: true });
      await rm(path.join(folder, 'record.head'), { force: true });
      await writeFile(file, `${lines.slice(0, count).join('\n')}\n`);
      const engine = await bench.engine();
      await engine.sweep();
      const opened = await engine.open(id);
      assert.equal(isSessionLive(opened.summary().status), false, `after line ${count}`);
      const [listed] = await engine.list();
      assert.equal(listed?.status, opened.summary().status, `after line ${count}`);
      opened.dispose();
      const ids = opened.summary().executor_session_ids;
      const isKnown = (seen ||= ids.length > 0);
      assert.equal(ids.length > 0, isKnown, `a conversation is never forgotten, after line ${count}`);
      const again = isKnown
        ? await engine.resume(id, { prompt: prompt(steps) })
        : await engine.startNewConversation(id, { prompt: prompt(steps) });
      assert.equal((await waitForResult(again)).success, true, `after line ${count}`);
      again.dispose();
      await engine.dispose();
    }
  });
});

describe('a new conversation that fails', function () {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('leaves the earlier one resumable', async () => {
    let program: string | undefined;
    const { settings } = benchDeps(bench.store);
    const engine = await bench.engine({
      settings: () => (program === undefined ? settings() : { agents: { 'claude-code': { program } } }),
    });
    const handle = await engine.start(bench.request(steps));
    await waitForResult(handle);
    const before = handle.summary().executor_session_ids;
    assert.equal(before.length, 1);

    const broken = path.join(bench.dir, 'broken');
    await writeFile(broken, '#!/bin/sh\necho offline >&2\nexit 1\n', { mode: 0o755 });
    program = broken;
    const failed = await engine.startNewConversation(handle.id, { prompt: prompt(steps) });
    assert.equal((await waitForResult(failed)).success, false);
    failed.dispose();
    assert.deepEqual(handle.summary().executor_session_ids, before, 'it never answered');

    program = path.join(bench.dir, 'missing');
    await assert.rejects(engine.startNewConversation(handle.id, { prompt: prompt(steps) }));
    assert.deepEqual(handle.summary().executor_session_ids, before, 'it never started');

    program = undefined;
    const resumed = await engine.resume(handle.id, { prompt: prompt(steps) });
    assert.equal((await waitForResult(resumed)).success, true);
    resumed.dispose();
    handle.dispose();
  });
});
