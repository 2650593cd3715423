import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { sqlState } from '../../../src/team/database/connection.ts';
import { prompt } from '../../support/fakeAgent/engine.ts';
import { TeamMachine } from '../../support/team/machine.ts';
import { useTeamOfTwo } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';

describe('budgets and audit of a team', function () {
  const team = useTeamOfTwo(this);

  it('compare themselves with sums that follow every change of what was spent', async () => {
    await team.database.withLead(async (client) => {
      const mismatches = async (): Promise<unknown[]> => {
        const { rows } = await client.query<Record<string, unknown>>(`
          WITH expected AS (
            SELECT each.scope, each.key, p.period, date_trunc(p.period, s.day::timestamp)::date AS start, sum(s.usd) AS usd
            FROM vitrine.spending AS s
              CROSS JOIN LATERAL (VALUES ('team', ''), ('member', s.member), ('agent', s.agent), ('project', s.project)) AS each (scope, key)
              CROSS JOIN (VALUES ('day'), ('month')) AS p (period)
            WHERE each.scope = 'team' OR each.key <> '' GROUP BY 1, 2, 3, 4
          )
          SELECT scope, key, period, start, expected.usd AS expected, totals.usd AS found
          FROM expected FULL JOIN vitrine.totals USING (scope, key, period, start)
          WHERE coalesce(expected.usd, 0) <> coalesce(totals.usd, 0)`);
        return rows;
      };
      const { rows } = await client.query<{ n: string }>(`
        INSERT INTO vitrine.spending (day, member, agent, project, usd)
        SELECT date '2026-01-20' + n, 'member-' || n % 3, (ARRAY['', 'writer'])[1 + n % 2], '/work/' || n % 4, 0.1 * n
        FROM generate_series(1, 40) AS n RETURNING 1`);
      assert.equal(rows.length, 40);
      assert.deepEqual(await mismatches(), []);
      await client.query(`UPDATE vitrine.spending SET usd = usd + 1 WHERE member = 'member-1'`);
      assert.deepEqual(await mismatches(), []);
      await client.query(`DELETE FROM vitrine.spending WHERE member = 'member-2'`);
      assert.deepEqual(await mismatches(), []);
      const left = await client.query(`SELECT FROM vitrine.totals WHERE key = 'member-2'`);
      assert.equal(left.rows.length, 0);
      await client.query(`SELECT vitrine.set_budget('agent', 'writer', 'month', 1)`);
      await client.query(`INSERT INTO vitrine.spending (day, member, agent, project, usd)
        VALUES ((clock_timestamp() AT TIME ZONE 'UTC')::date, 'member-1', 'writer', '', 1)`);
      const usedUp = await client.query('SELECT * FROM vitrine.exhausted()');
      assert.deepEqual(usedUp.rows, [{ scope: 'agent', key: 'writer', period: 'month' }]);
    });
  });

  it('make runs wait when they are used up, until the owner raises or removes them', async () => {
    await team.lead.runOk('team', 'budget', `member=${team.alice.user}`, 'day', '0.02');
    await team.lead.runOk('team', 'budget', 'team', 'month', '100');
    const denied = await team.alice.vitrine('team', 'budget', `member=${team.alice.user}`, 'day', '5').ended;
    assert.equal(denied.code, 2);
    assert.match(denied.stderr, /permission denied|Only the owner/);

    const connection = await team.alice.connect();
    await until('the connection', () => team.alice.log().includes("Connected to the team's database"));
    const runner = { hostname: hostname(), project_dir: team.alice.bench.cwd, executor_type: 'claude-code', limit: 1 };
    await connection.call('addRunner', { runner, context: team.alice.startParams([]).context });
    const queue = () =>
      connection.call('queueRun', {
        executor_type: 'claude-code',
        team: true,
        prompt: prompt([{ init: true }, { say: 'x' }, { result: { usd: 0.03 } }]),
      });
    const statusOf = async (id: string) =>
      (await connection.call('queuedRuns', {})).runs.find(({ run_id }) => run_id === id)?.status;
    const first = await queue();
    await until('the first run', async () => (await statusOf(first.run_id)) === 'completed', 20_000);
    await until(
      'its cost',
      async () => {
        const rows = await team.lead.rows('team', 'budget');
        return rows.some(({ scope, spent_usd }) => scope === 'member' && spent_usd === 0.03);
      },
      15_000,
    );
    assert.match(await team.alice.runOk('team', 'budget'), /member=.* per day +\$0\.03 of \$0\.02 +used up/);

    const second = await queue();
    // Whoever claims now gets nothing: the statement itself refuses.
    const client = await team.database.connect(team.alice.user);
    await client.query(
      `SELECT vitrine.register_runner(ARRAY['lnch_00000000000a'], 'by-hand', 'h', '/', 'claude-code', '{}', 64, NULL)`,
    );
    const claimed = await client.query(`SELECT * FROM vitrine.claim_run('by-hand', '{}')`);
    assert.deepEqual(claimed.rows, []);
    assert.equal(await statusOf(second.run_id), 'pending');
    const listed = (await connection.call('queuedRuns', {})).runs.find(({ run_id }) => run_id === second.run_id);
    const budget = { scope: 'member', key: team.alice.user, period: 'day', limit_usd: 0.02 };
    assert.deepEqual(listed?.waiting, { kind: 'budget', budget });
    await client.query(`SELECT vitrine.leave_runner('by-hand', 'done')`);
    for (const statement of [
      `UPDATE vitrine.budgets SET limit_usd = 1000`,
      `DELETE FROM vitrine.spending`,
      `SELECT vitrine.set_budget('member', '${team.alice.user}', 'day', 1000)`,
    ])
      await assert.rejects(client.query(statement), (error) => sqlState(error) === '42501');

    await team.lead.runOk('team', 'budget', `member=${team.alice.user}`, 'day', 'none');
    await until('the second run', async () => (await statusOf(second.run_id)) === 'completed', 20_000);

    const audit = await team.database.addMember('auditor', 'auditor');
    const auditor = await TeamMachine.join(team.database, audit);
    try {
      const lines = (await auditor.runOk('audit', '--team')).trimEnd().split('\n');
      const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const ofRun = rows.filter(({ run_id }) => run_id === second.run_id);
      assert.deepEqual(
        ofRun.map(({ what, who }) => [what, who]),
        ['run_queued', 'run_claimed', 'run_running', 'run_completed'].map((what) => [what, team.alice.user]),
      );
      assert.ok(rows.some(({ what, who }) => what === 'budget' && who === team.lead.user));
      assert.ok(rows.some(({ what }) => what === 'session_shared'));
      const own = (await team.alice.runOk('audit', '--team')).trimEnd().split('\n');
      assert.ok(own.some((line) => /"session_shared".*"head":"[0-9a-f]{64}"/.test(line)));
      assert.ok(own.length < lines.length && !own.some((line) => line.includes('"budget"')));
      assert.ok(!lines.some((line) => line.includes('"init"')), 'no content');
    } finally {
      await auditor.close();
    }
  });
});
