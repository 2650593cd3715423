import assert from 'node:assert/strict';
import type { DaemonConnection } from '../../src/client/connection.ts';
import type { DaemonError } from '../../src/client/errors.ts';
import { RemoteSession } from '../../src/client/remoteSession.ts';
import { requestMetadataSchema } from '../../src/model/agent/request.ts';
import type { SessionSummary } from '../../src/model/session/summary.ts';
import type { NormalizedEntry } from '../../src/model/transcript/entry.ts';
import { daemonProtocol } from '../../src/protocol/daemon/version.ts';
import { DaemonBench } from '../support/daemon/bench.ts';
import { daemonOf, otherProtocols } from '../support/daemon/otherProtocol.ts';
import { prompt } from '../support/fakeAgent/engine.ts';
import { until } from '../support/until.ts';

const older = daemonProtocol - 1;

describe('a run of a daemon of another version, in a window of this one', function () {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  async function otherDaemon(protocol: number): Promise<DaemonConnection> {
    const client = { kind: 'window', person: true, id: 'before' } as const;
    return place.connect({ daemonFile: await daemonOf(protocol), protocol, client });
  }

  const windowLink = () => place.windowLink({ id: 'after' });

  /** What a page has of the session: what it read first, and each update. */
  async function pageOf(session: RemoteSession<DaemonError>): Promise<Map<number, NormalizedEntry>> {
    const shown = new Map<number, NormalizedEntry>();
    session.onUpdates((updates) => {
      for (const update of updates) if (update.op === 'put') shown.set(update.entry.index, update.entry);
    });
    for (const entry of await session.read(0, session.entryCount()))
      if (!shown.has(entry.index)) shown.set(entry.index, entry);
    return shown;
  }

  const texts = (shown: ReadonlyMap<number, NormalizedEntry>): string[] =>
    [...shown.values()].sort((a, b) => a.index - b.index).map(({ content }) => content);

  for (const [change, protocol] of otherProtocols) {
    it(`is live after ${change}: it is followed, answered and sent to, and resumed when it has ended`, async () => {
      const other = await otherDaemon(protocol);
      const steps = [
        { init: true },
        { say: 'before' },
        { tool: { id: 'call-1', command: 'make' } },
        { ask: { id: 'req-1', input: { command: 'make' }, tool_use_id: 'call-1' } },
        { say: 'waiting' },
        { until: `${place.bench.dir}/go` },
        { toolResult: { id: 'call-1', text: 'built' } },
        { result: {} },
        { hear: null },
        { result: {} },
      ];
      const { session_id } = await other.call('start', place.startParams(steps));
      const link = windowLink();
      const session = await RemoteSession.open(link, place.store, session_id);
      const shown = await pageOf(session);
      assert.deepEqual([session.isLive(), session.otherVersion()], [true, other.daemon.version]);
      await until('the request', () => session.conversation()?.pendingRequests().length === 1);
      assert.equal(session.summary().status, 'running');
      assert.equal(session.summary().needs_you?.count, 1);
      const listed = JSON.parse((await place.vitrine('sessions', '--json').ended).stdout) as { status: string };
      assert.equal(listed.status, 'running');
      const [at = -1] = await until('its entry', () => session.openIndexes().length === 1 && session.openIndexes());
      assert.equal(requestMetadataSchema.parse(shown.get(at)?.metadata).request.id, 'req-1');
      assert.deepEqual(
        (await session.read(at, at + 1)).map(({ index }) => index),
        [at],
      );

      const denied = { kind: 'deny', reason: 'Not now.' } as const;
      assert.equal(await session.conversation()?.answer('req-1', denied), true);
      assert.equal(await session.conversation()?.answer('req-1', denied), false);
      await until('the next text', () => texts(shown).includes('waiting'));
      assert.equal(session.conversation()?.takesMessages, true);
      assert.deepEqual(await session.conversation()?.changeOptions({ model: 'other' }), []);
      await session.conversation()?.sendMessage('a message', 'queue');
      await place.bench.go();

      assert.deepEqual(await session.done, { success: true });
      assert.deepEqual([session.isLive(), session.otherVersion(), session.conversation()], [false, undefined, null]);
      assert.equal(session.summary().outcome, 'completed');
      await until('the last entry', () => texts(shown).includes('heard a message'));
      const recorded = await session.read(0, session.entryCount());
      assert.deepEqual(
        [...shown.keys()].sort((a, b) => a - b),
        recorded.map(({ index }) => index),
        'no gap',
      );
      await until('the page to equal the record', () => texts(shown).join() === recorded.map((e) => e.content).join());
      const decisions = recorded.flatMap(({ metadata }) => requestMetadataSchema.safeParse(metadata).data ?? []);
      assert.deepEqual(
        decisions.map(({ decision }) => [decision?.by, decision?.answer, decision?.client]),
        [['user', denied, { kind: 'window', id: 'after' }]],
      );

      const { context } = place.startParams([]);
      const request = { prompt: prompt([{ init: true }, { say: 'resumed' }, { result: {} }]) };
      await link.call('resume', { context, session_id, request });
      await until('the second run', () => texts(shown).includes('resumed') && !session.isLive());
      assert.equal(session.summary().runs, 2);
      assert.equal((await place.vitrine('verify', session_id).ended).code, 0);
    });
  }

  it('is listed with its pending request before it is opened', async () => {
    const other = await otherDaemon(older);
    const steps = [{ init: true }, { ask: { id: 'req-1' } }, { result: {} }];
    const { session_id } = await other.call('start', place.startParams(steps));
    const listed = new Map<string, SessionSummary>();
    const take = (summaries: readonly SessionSummary[]): Promise<void> => {
      for (const summary of summaries) listed.set(summary.session_id, summary);
      return Promise.resolve();
    };
    const connection = await place.connect({ onNews: ({ summaries }) => take(summaries) });
    await take((await connection.call('watch', { events: false })).live);
    await until('the request', () => listed.get(session_id)?.needs_you?.count === 1);

    const later = await other.call('start', place.startParams(steps));
    await until('the request of a run that began later', () => listed.get(later.session_id)?.needs_you?.count === 1);
    const answer = { kind: 'allow', scope: 'once' } as const;
    await connection.call('answer', { session_id, request_id: 'req-1', answer });
    await until('its end', () => listed.get(session_id)?.outcome === 'completed');
    assert.equal(listed.get(session_id)?.needs_you ?? null, null);
    assert.equal((await connection.call('status', {})).runs, 0);
    await other.call('stop', { session_id: later.session_id, kill: true });
    await until('the other end', () => listed.get(later.session_id)?.outcome === 'stopped');
  });

  it('is followed when it begins while the session is open', async () => {
    const other = await otherDaemon(older);
    const start = place.startParams([{ init: true }, { say: 'first' }, { result: {} }]);
    const { session_id } = await other.call('start', start);
    await until('the end', async () => (await other.call('status', {})).runs === 0);
    const session = await RemoteSession.open(windowLink(), place.store, session_id);
    assert.equal(session.isLive(), false);
    const shown = await pageOf(session);
    const request = { prompt: prompt([{ init: true }, { ask: { id: 'req-2' } }, { say: 'second' }, { result: {} }]) };
    await other.call('resume', { context: start.context, session_id, request });
    await until('the request', () => session.conversation()?.pendingRequests().length === 1);
    assert.equal(session.otherVersion(), other.daemon.version);
    await session.conversation()?.answer('req-2', { kind: 'allow', scope: 'once' });
    await until('the answer', () => texts(shown).includes('second') && !session.isLive());
    assert.equal(session.summary().runs, 2);
  });

  it('is stopped, and says so', async () => {
    const other = await otherDaemon(older);
    const { session_id } = await other.call('start', place.startParams([{ init: true }, { forever: true }]));
    const link = windowLink();
    const session = await RemoteSession.open(link, place.store, session_id);
    assert.equal(session.isLive(), true);
    await link.call('stop', { session_id, kill: false });
    assert.equal((await other.call('status', {})).runs, 0);
    assert.equal((await session.done)?.success, false);
    assert.deepEqual([session.isLive(), session.summary().outcome], [false, 'stopped']);
  });

  it('says why an agent takes no message', async () => {
    const other = await otherDaemon(older);
    const start = place.startParams([{ init: true }, { forever: true }]);
    const { session_id } = await other.call('start', { ...start, request: { ...start.request, interactive: false } });
    const session = await RemoteSession.open(windowLink(), place.store, session_id);
    assert.equal(session.conversation()?.takesMessages, false);
    await assert.rejects(
      session.conversation()?.sendMessage('a message', 'queue') ?? Promise.resolve(),
      /does not accept messages now/,
    );
    await other.call('stop', { session_id, kill: true });
  });

  it('is interrupted when its daemon is killed', async () => {
    const other = await otherDaemon(older);
    const steps = [{ init: true }, { say: 'before' }, { ask: { id: 'req-1' } }];
    const { session_id } = await other.call('start', place.startParams(steps));
    const session = await RemoteSession.open(windowLink(), place.store, session_id);
    await until('the request', () => session.conversation()?.pendingRequests().length === 1);
    process.kill(other.daemon.pid, 'SIGKILL');
    assert.equal((await session.done)?.success, false);
    assert.deepEqual([session.isLive(), session.summary().outcome], [false, 'interrupted']);
    const entries = await session.read(0, session.entryCount());
    assert.ok(entries.some(({ content }) => content === 'before'));
  });
});
