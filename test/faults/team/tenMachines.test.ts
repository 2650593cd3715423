import assert from 'node:assert/strict';
import path from 'node:path';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import type { Run } from '../../../src/model/session/session.ts';
import { prompt, type Step } from '../../support/fakeAgent/engine.ts';
import { TeamDatabase } from '../../support/team/database.ts';
import { TeamMachine, type OpenMachine } from '../../support/team/machine.ts';
import { useTeamServer } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';

const count = 10;
/** Connections of one daemon: a listener, and a pool of four. */
const maxConnections = 5;

const saying = (text: string) => [{ init: true }, { say: text }, { result: {} }];

describe('ten machines in a team', function () {
  useTeamServer(this);
  let database: TeamDatabase;
  let machines: readonly OpenMachine[] = [];
  let runners: readonly string[] = [];
  before(async function () {
    if (this.test?.parent?.pending === true) return;
    database = await TeamDatabase.create();
    const opened: OpenMachine[] = [];
    machines = opened;
    for (let n = 0; n < count; n += 1)
      opened.push(await TeamMachine.open(database, await database.addMember(`member${n}`)));
    runners = await Promise.all(
      machines.map(({ machine, connection }, n) => machine.addRunner(connection, [`machine-${n}`])),
    );
  });
  after(async () => {
    await Promise.all(machines.map(({ machine }) => machine.close()));
    if (machines.length > 0) await database.drop();
  });

  function at(n: number): OpenMachine {
    const found = machines[n];
    assert.ok(found);
    return found;
  }

  const queue = (from: number, to: number, steps: readonly Step[]) =>
    at(from).connection.call('queueRun', {
      ...{ executor_type: 'claude-code', prompt: prompt(steps), team: true },
      additional_demands: { tags: [`machine-${to}`] },
    });

  async function runIs(id: string, status: Run['status'], connection: DaemonConnection): Promise<Run> {
    return until(`${id} to be ${status}`, async () => {
      const { runs } = await connection.call('queuedRuns', {});
      const run = runs.find(({ run_id }) => run_id === id);
      return run?.status === status ? run : undefined;
    });
  }

  const connections = (): Promise<ReadonlyMap<string, number>> =>
    database.server.asAdmin(async (client) => {
      const { rows } = await client.query<{ usename: string; n: number }>(
        'SELECT usename, count(*)::int AS n FROM pg_stat_activity WHERE datname = $1 AND usename = ANY ($2) GROUP BY 1',
        [database.name, machines.map(({ user }) => user)],
      );
      return new Map(rows.map(({ usename, n }) => [usename, n]));
    });

  it('execute each run on the one with its tag, and each is read where it was queued', async () => {
    const { connection } = at(0);
    const queued = await Promise.all(machines.map((_, n) => queue(0, n, saying(`said by machine ${n}`))));
    for (const [n, { run_id, session_id }] of queued.entries()) {
      const done = await runIs(run_id, 'completed', connection);
      assert.equal(done.runner_id, runners[n], `the run for machine ${n}`);
      const text = await until(`the transcript of machine ${n}`, async () => {
        const { entries } = await connection
          .call('read', { session_id, from: 0, to: 100 })
          .catch(() => ({ entries: [] }));
        return entries.find(({ type, content }) => type.kind === 'assistant_message' && content.includes('said by'));
      });
      assert.equal(text.content, `said by machine ${n}`);
    }
    // All see the same queue, and no daemon needs more than its share of the server's connections.
    for (const machine of machines)
      for (const { run_id } of queued) await runIs(run_id, 'completed', machine.connection);
    const open = await connections();
    assert.equal(open.size, count);
    for (const [user, n] of open) assert.ok(n <= maxConnections, `${user} has ${n} connections`);
    // Others executed them for the first member, and read only their own.
    const ids = new Set(queued.map(({ session_id }) => session_id));
    const shared = (await at(1).machine.shared()).map(({ session_id }) => session_id);
    assert.deepEqual(
      shared.filter((id) => ids.has(id)),
      [queued[1]?.session_id],
    );
  });

  it('let the first one watch, answer and stop a run of the last one, which can stop it, too', async () => {
    const [first, last] = [at(0), at(count - 1)];
    const asking = [{ init: true }, { say: 'before' }, { ask: { id: 'req-1', input: { command: 'rm -r build' } } }];
    const { session_id, run_id } = await queue(0, count - 1, [...asking, { hear: null }]);
    await runIs(run_id, 'running', first.connection);
    await until('its lines', async () =>
      (await first.machine.shared()).some((row) => row.session_id === session_id && row.lines > 0),
    );
    const { requests } = await first.machine.stateOf(session_id, (state) => state.requests.length === 1);
    const [request] = requests;
    assert.ok(request);
    const call = { session_id, request_id: request.id, answer: { kind: 'allow', scope: 'once' } } as const;
    assert.deepEqual(await first.connection.call('answer', call), { accepted: true });
    await until('the answer', async () => {
      const { entries } = await first.connection.call('read', { session_id, from: 0, to: 100 });
      return entries.some(({ content }) => content.includes('answered') && content.includes('"behavior":"allow"'));
    });
    await first.connection.call('stop', { session_id, kill: false });
    await runIs(run_id, 'stopped', last.connection);

    const second = await queue(0, count - 1, [{ init: true }, { say: 'begun' }, { hear: null }]);
    await runIs(second.run_id, 'running', first.connection);
    await last.connection.call('stop', { session_id: second.session_id, kill: false });
    await runIs(second.run_id, 'stopped', first.connection);
  });

  it('show a shared session to all others while it runs, each entry once and in order', async () => {
    const writer = at(3);
    await writer.connection.call('shareFolder', { folder: writer.machine.bench.cwd, share: 'records' });
    const go = path.join(writer.machine.bench.dir, 'go');
    const said = Array.from({ length: 30 }, (_, n) => `line ${n}`);
    const steps = [{ init: true }, { say: 'begun' }, { until: go }, ...said.map((say) => ({ say })), { result: {} }];
    const id = await writer.machine.start(writer.connection, steps);
    const readers = machines.filter((machine) => machine !== writer);
    const received = await Promise.all(
      readers.map(async ({ machine, connection }) => {
        await until('the session', async () =>
          (await machine.shared()).some((row) => row.session_id === id && row.lines > 0),
        );
        const texts = new Map<number, string>();
        const { state } = await connection.follow(id, ({ updates }) => {
          for (const update of updates) if (update.op === 'put') texts.set(update.entry.index, update.entry.content);
          return Promise.resolve();
        });
        assert.ok(state.live);
        return texts;
      }),
    );
    await writer.machine.bench.go();
    for (const texts of received) {
      const lines = () =>
        [...texts].sort(([a], [b]) => a - b).flatMap(([, text]) => (/^line \d+$/.test(text) ? [text] : []));
      await until('all lines', () => lines().length >= said.length);
      assert.deepEqual(lines(), said);
    }
  });
});
