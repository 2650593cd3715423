import assert from 'node:assert/strict';
import type pg from 'pg';
import { sqlState } from '../../../src/team/database/connection.ts';
import { TeamDatabase } from '../../support/team/database.ts';
import { useTeamServer } from '../../support/team/suite.ts';

interface ClaimedRun {
  readonly run_id: string;
  readonly token: string;
  readonly position: string;
}

const total = Number(process.env['VITRINE_TEAM_RUNS'] ?? 400);

describe('claims of a team', function () {
  useTeamServer(this);
  let database: TeamDatabase;
  let user: string;
  beforeEach(async () => {
    database = await TeamDatabase.create();
    user = await database.addMember('alice');
  });
  afterEach(() => database.drop());

  const idOf = (prefix: string, n: number): string => `${prefix}_${n.toString(16).padStart(12, '0')}`;

  async function createRuns(client: pg.Client, count: number, { tag = '', retry = false } = {}): Promise<void> {
    await client.query(
      `SELECT vitrine.create_run('run_' || lpad(to_hex(n), 12, '0'), 'ses_' || lpad(to_hex(n), 12, '0'), 'start_session',
         '{}', 'claude-code', NULL, NULL, NULL, NULL, CASE WHEN $2 = '' THEN '{}'::text[] ELSE ARRAY[$2] END, $3, NULL)
       FROM generate_series(1, $1::int) AS n`,
      [count, tag, retry],
    );
  }

  const register = (client: pg.Client, n: number, tags: readonly string[] = []): Promise<unknown> =>
    client.query(`SELECT vitrine.register_runner($1, $2, 'host', '/work', 'claude-code', $3, 1, NULL)`, [
      ...[[idOf('lnch', n)], `instance-${n}`, tags],
    ]);

  async function claim(client: pg.Client, n: number, has: readonly string[] = []): Promise<ClaimedRun | undefined> {
    const sql = 'SELECT run_id, token::text, position::text FROM vitrine.claim_run($1, $2)';
    return (await client.query<ClaimedRun>(sql, [`instance-${n}`, has])).rows[0];
  }

  const report = (client: pg.Client, { run_id, token }: ClaimedRun, status: string): Promise<unknown> =>
    client.query('SELECT vitrine.report_run($1, $2, $3, NULL)', [run_id, token, status]);

  it(`give ${total} runs to 100 runners, each once and in order`, async () => {
    const workers = await Promise.all(Array.from({ length: 10 }, () => database.connect(user)));
    const [first] = workers;
    assert.ok(first);
    await createRuns(first, total);
    const claimed: ClaimedRun[] = [];
    await Promise.all(
      workers.map(async (client, worker) => {
        const runners = Array.from({ length: 10 }, (_, index) => worker * 10 + index);
        for (const runner of runners) await register(client, runner);
        for (let idle = 0, turn = 0; idle < runners.length; turn += 1) {
          const found = await claim(client, runners[turn % runners.length] ?? 0);
          idle = found === undefined ? idle + 1 : 0;
          if (found === undefined) continue;
          claimed.push(found);
          await report(client, found, 'completed');
        }
      }),
    );
    assert.equal(claimed.length, total);
    assert.equal(new Set(claimed.map(({ run_id }) => run_id)).size, total);
    assert.equal(new Set(claimed.map(({ token }) => token)).size, total);
    const late = claimed.map(({ position }, index) => Math.abs(Number(position) - 1 - index));
    assert.ok(Math.max(...late) <= 100, `a run came ${Math.max(...late)} places from its turn`);
  });

  it('respect limits, tags, and the order within a session', async () => {
    const client = await database.connect(user);
    await createRuns(client, 2, { tag: 'gpu' });
    await register(client, 1);
    await register(client, 2, ['web', 'gpu']);
    assert.equal(await claim(client, 1), undefined);
    const one = await claim(client, 2);
    assert.equal(one?.run_id, idOf('run', 1));
    assert.equal(await claim(client, 2, [one.run_id]), undefined, 'the limit is 1');
    const repeated = await claim(client, 2);
    assert.equal(repeated?.run_id, one.run_id, 'an answer that got lost is given again');
    assert.notEqual(repeated.token, one.token);
    await assert.rejects(report(client, one, 'completed'), (error) => sqlState(error) === 'VT005');
    await report(client, repeated, 'completed');
    await client.query(
      `SELECT vitrine.create_run('run_' || lpad(to_hex(n), 12, '0'), $1, 'resume_session', '{}', 'claude-code', NULL, NULL,
         NULL, NULL, '{}', false, NULL) FROM generate_series(11, 12) AS n`,
      [idOf('ses', 99)],
    );
    const second = await claim(client, 1);
    assert.equal(second?.run_id, idOf('run', 11));
    await report(client, (await claim(client, 2)) ?? second, 'completed');
    assert.equal(await claim(client, 2), undefined, 'the session has one run at a time');
    await report(client, second, 'completed');
    assert.equal((await claim(client, 2))?.run_id, idOf('run', 12));
  });

  it('are given up with the executors that the team offers', async () => {
    const client = await database.connect(user);
    const givenUp = async (): Promise<string | null> => {
      await database.server.asAdmin(
        (admin) => admin.query(`UPDATE vitrine.runs SET timeout_at = now() - interval '1 second', status = 'pending'`),
        database.name,
      );
      await client.query('SELECT vitrine.sweep()');
      return (await client.query<{ error: string | null }>('SELECT error FROM vitrine.runs')).rows[0]?.error ?? null;
    };
    await createRuns(client, 1, { tag: 'gpu' });
    assert.match((await givenUp()) ?? '', /took this run in time\. No runner of the team is online\.$/);
    await client.query(
      `SELECT vitrine.register_runner('{lnch_000000000009}', 'instance-9', 'host', '/work', 'codex', '{}', 1, NULL)`,
    );
    assert.match((await givenUp()) ?? '', /None offers claude-code\. Runners of the team offer: codex\.$/);
    await register(client, 1);
    assert.match((await givenUp()) ?? '', /in time\. Runners of the team offer: claude-code, codex\.$/);
  });

  it('fence off a runner that was taken to be lost', async () => {
    const client = await database.connect(user);
    await createRuns(client, 1, { retry: true });
    await register(client, 1);
    await register(client, 2);
    const before = await claim(client, 1);
    assert.ok(before);
    await report(client, before, 'running');
    const age = `UPDATE vitrine.runners SET heartbeat_at = now() - interval '1 hour' WHERE instance = 'instance-1'`;
    await database.server.asAdmin((admin) => admin.query(age), database.name);
    await client.query('SELECT vitrine.sweep()');
    const started = await database.withLead((lead) =>
      lead.query(`SELECT now() - pg_postmaster_start_time() > '20 s' AS x`),
    );
    if (!(started.rows[0] as { x: boolean }).x) {
      // The server has just started: nobody is taken to be lost yet. What sweep would do is done here.
      await client.query(`SELECT vitrine.leave_runner('instance-1', 'lost')`);
    }
    const after = await claim(client, 2);
    assert.equal(after?.run_id, before.run_id);
    assert.ok(Number(after.token) > Number(before.token));
    for (const status of ['running', 'completed', 'failed'])
      await assert.rejects(report(client, before, status), (error) => sqlState(error) === 'VT005');
    const asked = `SELECT vitrine.put_request('${before.run_id}', ${before.token}, 'r', '{}')`;
    await assert.rejects(client.query(asked), (error) => sqlState(error) === 'VT005');
    await assert.rejects(
      client.query(`SELECT vitrine.heartbeat('instance-1')`),
      (error) => sqlState(error) === 'VT006',
    );
    await report(client, after, 'completed');

    // Another member can report nothing about it, and answer nothing.
    const eve = await database.connect(await database.addMember('eve'));
    await assert.rejects(report(eve, after, 'failed'), (error) => sqlState(error) === 'VT005');
    const { rows } = await eve.query(`SELECT vitrine.answer_request('ses_000000000001', 'r', '{}') AS done`);
    assert.deepEqual(rows, [{ done: false }]);
  });
});
