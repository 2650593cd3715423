import assert from 'node:assert/strict';
import type { News } from '../../../src/protocol/daemon/calls.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { fakeAgent } from '../../support/fakeAgent/engine.ts';
import { until } from '../../support/until.ts';

const steps = [{ init: true }, { say: 'Done.' }, { result: {} }];

describe('follow-ups of the daemon', function () {
  let place: DaemonBench;
  let news: News[];
  beforeEach(() => {
    place = new DaemonBench();
    news = [];
  });
  afterEach(() => place.close());

  const window = (id: string) =>
    place.connect({
      client: { kind: 'window', person: true, id },
      onNews: (update) => {
        news.push(update);
        return Promise.resolve();
      },
    });
  const contextOf = (delay_minutes: number) => {
    const followUps = { executors: ['claude-code'], triggers: ['check_in'], delay_minutes, max_per_session: 1 };
    const settings = { agents: { 'claude-code': { program: fakeAgent } }, followUps };
    return place.startParams(steps, { settings, workspaceAgents: true });
  };
  const announced = async (id: string, delay: number) => {
    const connection = await window(id);
    const { context } = contextOf(delay);
    await connection.call('announce', { contexts: [context], when_windows_close: 'finishRuns' });
    return { connection, told: (await connection.call('watch', { events: false })).follow_ups };
  };
  const planned = () => news.findLast(({ follow_ups }) => follow_ups !== undefined)?.follow_ups;

  it('are sent once, even after the window that configured them was closed', async () => {
    const { connection } = await announced('w1', 0.01);
    const { session_id } = await connection.call('start', contextOf(0.01));
    connection.close();
    const { turns } = await place.stateOf(session_id, (state) => state.turns.length === 2 && !state.live);
    assert.equal(turns.length, 2);
    const reader = await place.connect();
    const { entries } = await reader.call('read', { session_id, from: 0, to: 100 });
    const prompts = entries.filter(({ type }) => type.kind === 'user_message').map(({ origin }) => origin);
    assert.deepEqual(prompts, ['human', 'follow_up']);
  });

  it('are announced to every window, can be cancelled, and paused for all', async () => {
    const { connection, told: reported } = await announced('w1', 5);
    assert.deepEqual(reported, { due: [], paused: false });
    const { session_id } = await connection.call('start', contextOf(5));
    await until('a follow-up to be planned', () => planned()?.due.length === 1);
    const second = await announced('w2', 5);
    await until('the second window to know of it', () =>
      planned()?.due.some((due) => due.session_id === session_id && due.trigger_type === 'check_in'),
    );
    await second.connection.call('setFollowUps', { session_id, to: 'cancelled' });
    await until('it to be taken back', () => planned()?.due.length === 0);
    await second.connection.call('pauseFollowUps', { paused: true });
    await until('all to be paused', () => planned()?.paused);
    assert.equal((await announced('w3', 5)).told.paused, true);
  });

  it('are not sent in a folder that only a terminal trusts', async () => {
    const { connection } = await announced('w1', 0.001);
    const other = place.bench.dir;
    const { context, request } = contextOf(0.001);
    const terminal = await place.connect({ client: { kind: 'terminal', person: false } });
    const started = await terminal.call('start', {
      context: { ...context, folder: other },
      request: { ...request, cwd: other },
    });
    await place.stateOf(started.session_id, (state) => !state.live);
    const { session_id } = await connection.call('start', contextOf(0.001));
    await place.stateOf(session_id, (state) => state.turns.length === 2 && !state.live);
    const { state } = await terminal.follow(started.session_id, () => Promise.resolve());
    assert.equal(state.turns.length, 1);
  });
});
