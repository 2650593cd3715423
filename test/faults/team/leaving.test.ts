import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import type pg from 'pg';
import { sqlState } from '../../../src/team/database/connection.ts';
import { prompt } from '../../support/fakeAgent/engine.ts';
import { TeamDatabase } from '../../support/team/database.ts';
import { TeamMachine } from '../../support/team/machine.ts';
import { useTeamServer } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';

const saying = (text: string) => [{ init: true }, { say: text }, { result: { usd: 0.03 } }];

describe('leaving a team', function () {
  useTeamServer(this);
  let database: TeamDatabase;
  beforeEach(async () => {
    database = await TeamDatabase.create();
  });
  afterEach(() => database.drop());

  /** Every row of the team as text, by table, whatever policies say. */
  function everything(): Promise<ReadonlyMap<string, readonly string[]>> {
    return database.server.asAdmin(async (client) => {
      const tables = await client.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'vitrine'::regnamespace AND relkind IN ('r', 'p')
           AND NOT relispartition AND relname <> 'migrations'`,
      );
      const found = new Map<string, readonly string[]>();
      for (const { name } of tables.rows) {
        const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM vitrine.${name} AS t`);
        found.set(
          name,
          rows.map(({ row }) => row),
        );
      }
      return found;
    }, database.name);
  }

  async function mentions(texts: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const [table, rows] of await everything())
      for (const row of rows)
        if (table !== 'tombstones' && texts.some((text) => row.includes(text))) found.push(`${table}: ${row}`);
    return found;
  }

  it('with everything of yours leaves nothing but tombstones, and what others did', async () => {
    const alice = await TeamMachine.join(database, await database.addMember('alice'));
    const bob = await TeamMachine.join(database, await database.addMember('bob'));
    try {
      const [atAlice, atBob] = [await alice.connect(), await bob.connect()];
      for (const machine of [alice, bob])
        await until('the connection', () => machine.log().includes("Connected to the team's database"));
      await alice.runOk('team', 'share', '.');
      await bob.runOk('team', 'share', '.');
      const own = await alice.runToEnd(atAlice, saying('of alice herself'));
      const ofBob = await bob.runToEnd(atBob, saying('of bob himself'));
      for (const [machine, connection, tag] of [
        [alice, atAlice, 'a'],
        [bob, atBob, 'b'],
      ] as const)
        await connection.call('addRunner', {
          runner: {
            ...{ hostname: hostname(), project_dir: machine.bench.cwd, executor_type: 'claude-code' },
            ...{ tags: [tag], limit: 1 },
          },
          context: machine.startParams([]).context,
        });
      const queue = async (connection: typeof atAlice, tag: string, text: string) => {
        const run = await connection.call('queueRun', {
          ...{ executor_type: 'claude-code', prompt: prompt(saying(text)), team: true },
          additional_demands: { tags: [tag] },
        });
        await until(
          `${run.run_id} to end`,
          async () =>
            (await connection.call('queuedRuns', {})).runs.find(({ run_id }) => run_id === run.run_id)?.status ===
            'completed',
          30_000,
        );
        return run;
      };
      const forAlice = await queue(atAlice, 'b', 'bob executes it for alice');
      const forBob = await queue(atBob, 'a', 'alice executes it for bob');
      for (const id of [own, forAlice.session_id]) await alice.waitForSharedEnd(id);
      for (const id of [ofBob, forBob.session_id]) await bob.waitForSharedEnd(id);
      await database.withLead(async (lead) => {
        await lead.query('SELECT vitrine.join_team()');
        await lead.query(`SELECT vitrine.set_budget('member', $1, 'day', 5)`, [alice.user]);
      });

      const texts = [alice.user, own, forAlice.session_id, forAlice.run_id, forBob.session_id];
      texts.push('of alice herself', 'executes it for', alice.bench.cwd);
      const before = new Set((await mentions(texts)).map((row) => row.split(':')[0]));
      for (const table of [
        'members',
        'sessions',
        'lines',
        'runs',
        'runners',
        'audit',
        'spending',
        'budgets',
        'counted',
        'keys',
      ])
        assert.ok(before.has(table), `${table} does not mention alice, so the test shows nothing`);

      assert.match(await alice.runOk('team', 'leave', '--delete-mine'), /Deleted sessions: 3\./);
      assert.deepEqual(await mentions(texts), []);
      const tables = await everything();
      assert.deepEqual(
        (tables.get('tombstones') ?? []).filter((row) => texts.slice(5).some((text) => row.includes(text))),
        [],
        'a tombstone has no content',
      );
      // What bob did for himself is all there.
      assert.ok((await bob.runOk('show', ofBob)).includes('of bob himself'));
      assert.ok((tables.get('audit') ?? []).some((row) => row.includes(ofBob)));
      assert.ok((await alice.runOk('show', own)).includes('of alice herself'), 'the local session stays');
    } finally {
      await Promise.all([alice.close(), bob.close()]);
    }
  });

  const spent = (client: pg.Client): Promise<unknown> =>
    client
      .query<{ scope: string; key: string }>('SELECT scope, key, period FROM vitrine.exhausted() ORDER BY scope')
      .then(({ rows }) => rows.map(({ scope }) => scope));

  it('ends the runners of all its machines, and gives no new budget', async () => {
    const [alice, bob] = [await database.addMember('alice'), await database.addMember('bob')];
    const [first, second, other] = [
      await database.connect(alice),
      await database.connect(alice),
      await database.connect(bob),
    ];
    const share = `SELECT vitrine.share_session('ses_000000000001', 'records', 'h',
      '{"total_cost":{"usd":7},"agent_name":"a","project_dir":"/p"}', now(), false)`;
    await first.query(share);
    await database.withLead(async (lead) => {
      await lead.query('SELECT vitrine.join_team()');
      for (const [scope, key] of [
        ['member', alice],
        ['team', ''],
      ])
        await lead.query(`SELECT vitrine.set_budget($1, $2, 'day', 6)`, [scope, key]);
    });
    assert.deepEqual(await spent(other), ['member', 'team']);
    await first.query(
      `SELECT vitrine.register_runner(ARRAY['lnch_000000000001'], 'one', 'h', '/', 'claude-code', '{}', 1, NULL)`,
    );
    await database.withLead((lead) => lead.query(`SELECT vitrine.set_budget('team', '', 'day', 8)`));
    await other.query(
      `SELECT vitrine.create_run('run_000000000001', 'ses_000000000002', 'start_session', '{}', 'claude-code', NULL, NULL,
        NULL, NULL, '{}', false, NULL)`,
    );
    assert.equal((await first.query(`SELECT * FROM vitrine.claim_run('one', '{}')`)).rowCount, 1);
    await second.query('SELECT vitrine.leave_team(true)');
    const { rows } = await other.query('SELECT status, error, executed_by FROM vitrine.runs');
    assert.deepEqual(rows, [
      { status: 'failed', error: 'The runner left the team during this run.', executed_by: null },
    ]);
    await assert.rejects(first.query(share), (error) => sqlState(error) === '42501');
    assert.deepEqual((await other.query('SELECT * FROM vitrine.spending')).rows, []);
    assert.deepEqual(await spent(other), []);

    await first.query('SELECT vitrine.join_team()');
    assert.deepEqual(await spent(other), ['member'], 'the budget is back, and so is what was spent');
    await database.withLead((lead) => lead.query(`SELECT vitrine.set_budget('team', '', 'day', 7)`));
    assert.deepEqual(await spent(other), ['member', 'team']);
  });
});
