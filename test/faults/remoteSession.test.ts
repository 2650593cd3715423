import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { DaemonError } from '../../src/client/errors.ts';
import { RemoteSession } from '../../src/client/remoteSession.ts';
import type { EntryUpdate } from '../../src/model/transcript/entry.ts';
import { DaemonBench } from '../support/daemon/bench.ts';
import type { Step } from '../support/fakeAgent/engine.ts';
import { until } from '../support/until.ts';

describe('a session of the daemon', function () {
  let place: DaemonBench;

  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  const answer: Step[] = [{ init: true }, { say: 'one' }, { result: {} }];
  const question: Step[] = [{ init: true }, { say: 'before' }, { ask: { id: 'req-1', input: { command: 'true' } } }];
  const started = (link: ReturnType<DaemonBench['windowLink']>, steps: readonly Step[]) =>
    RemoteSession.begin(link, place.store, 'start', { ...place.startParams(steps), follow: true });

  it('reads and reports the same as in the engine, live and when another client resumes it', async () => {
    const link = place.windowLink();
    const session = await started(link, answer);
    const result = await session.done;
    assert.equal(result?.success, true);
    assert.equal(session.isLive(), false);
    const before = session.entryCount();
    const reported: EntryUpdate[] = [];
    session.onUpdates((updates) => reported.push(...updates));
    const other = await RemoteSession.open(place.windowLink(), place.store, session.id);
    assert.deepEqual(await other.read(0, other.entryCount()), await session.read(0, before));
    const again = JSON.stringify([{ init: true }, { say: 'two' }, { result: {} }]);
    const { context } = place.startParams([]);
    const resume = { context, session_id: session.id, request: { prompt: again }, follow: true };
    await RemoteSession.begin(place.windowLink(), place.store, 'resume', resume);
    await until('the second answer', async () => {
      const entries = await session.read(before, session.entryCount());
      return entries.some(({ type, content }) => type.kind === 'assistant_message' && content.includes('two'));
    });
    assert.ok(reported.some((update) => update.op === 'put' && update.entry.content.includes('two')));
    await until('the end', () => !session.isLive() && session.summary().runs === 2);
  });

  it('reports that its run was interrupted when the daemon is killed, and what another daemon finds', async () => {
    const link = place.windowLink();
    const session = await started(link, question);
    await until('the request', () => session.conversation()?.pendingRequests().length === 1);
    const summaries: string[] = [];
    session.onSummary(({ outcome }) => summaries.push(outcome));
    const { pid } = await link.status();
    process.kill(pid, 'SIGKILL');
    const result = await session.done;
    assert.equal(result?.success, false);
    assert.equal(session.isLive(), false);
    assert.equal(session.conversation(), null);
    assert.equal(session.summary().outcome, 'interrupted');
    assert.ok(summaries.includes('interrupted'));
    const entries = await session.read(0, session.entryCount());
    assert.ok(entries.some(({ content }) => content.includes('before')));
    assert.notEqual((await link.status()).pid, pid);
  });

  it('repeats a call that only reads if the daemon is killed before it answers', async () => {
    const link = place.windowLink();
    const session = await started(link, answer);
    await session.done;
    const { pid } = await link.status();
    process.kill(pid, 'SIGSTOP');
    const read = session.read(0, session.entryCount());
    const renamed = link.call('rename', { session_id: session.id, title: 'another' });
    process.kill(pid, 'SIGKILL');
    await assert.rejects(renamed, /connection|closed|EPIPE|reset/i);
    assert.ok((await read).some(({ content }) => content.includes('one')));
    assert.notEqual((await link.status()).pid, pid);
  });

  it('repeats such a call also if the daemon is killed before all of it was sent', async () => {
    const link = place.windowLink();
    const session = await started(link, answer);
    await session.done;
    const { pid } = await link.status();
    process.kill(pid, 'SIGSTOP');
    // More than the socket takes.
    const renamed = link.call('rename', { session_id: session.id, title: 'x'.repeat(4 << 20) });
    const read = session.read(0, session.entryCount());
    process.kill(pid, 'SIGKILL');
    await assert.rejects(renamed, (error) => DaemonError.is(error, 'unreachable'));
    assert.ok((await read).some(({ content }) => content.includes('one')));
  });

  it('ends a run whose record the next daemon cannot open', async () => {
    const link = place.windowLink();
    const session = await started(link, question);
    await until('the request', () => session.conversation()?.pendingRequests().length === 1);
    const { pid } = await link.status();
    process.kill(pid, 'SIGSTOP');
    await rm(path.join(place.store, 'sessions', session.id), { recursive: true });
    process.kill(pid, 'SIGKILL');
    assert.equal((await session.done)?.success, false);
  });

  it('leaves no connection behind if it could not be prepared', async () => {
    let prepared = 0;
    const link = place.windowLink({
      prepare: () => {
        prepared += 1;
        return prepared === 2 ? Promise.reject(new Error('not yet')) : Promise.resolve();
      },
    });
    let reconnected = 0;
    link.reconnected.on(() => (reconnected += 1));
    const { pid } = await link.status();
    process.kill(pid, 'SIGKILL');
    await until('the next daemon', () => reconnected > 0);
    await until('one client', async () => (await link.status()).clients === 1);
    assert.deepEqual([prepared, reconnected], [3, 1]);
  });
});
