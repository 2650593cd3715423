import assert from 'node:assert/strict';
import type pg from 'pg';
import { sqlState } from '../../../src/team/database/connection.ts';
import { TeamDatabase } from '../../support/team/database.ts';
import { useTeamServer } from '../../support/team/suite.ts';

const denied = '42501';

describe('members of a team, through SQL', function () {
  useTeamServer(this);
  let database: TeamDatabase;
  let [alice, bob, eve, stranger] = ['', '', '', ''];
  before(async function () {
    if (this.test?.parent?.pending === true) return;
    database = await TeamDatabase.create();
    [alice, bob, eve] = [await database.addMember('alice'), await database.addMember('bob'), ''];
    eve = await database.addMember('eve', 'auditor');
    stranger = await database.createLogin('stranger');
    // 1,000 unshared sessions of Alice with a line each, 10 with metadata only, and 10 with records.
    await database.server.asAdmin(async (client) => {
      await client.query(
        `INSERT INTO vitrine.sessions (session_id, owner, share, hostname, summary, updated_at)
         SELECT 'ses_' || lpad(to_hex(n), 12, '0'), $1,
                CASE WHEN n <= 1000 THEN 'nothing' WHEN n <= 1010 THEN 'metadata' ELSE 'records' END,
                'host', json_build_object('title', 'secret ' || n), now()
         FROM generate_series(1, 1020) AS n`,
        [alice],
      );
      await client.query(
        `INSERT INTO vitrine.lines (session_id, seq, line, hash) SELECT session_id, 0, 'secret', '' FROM vitrine.sessions`,
      );
    }, database.name);
  });
  after(async () => {
    if (alice !== '') await database.drop();
  });

  const count = async (user: string, table: string, where = 'true'): Promise<number> => {
    const client = await database.connect(user);
    const { rows } = await client.query<{ n: string }>(`SELECT count(*) AS n FROM vitrine.${table} WHERE ${where}`);
    return Number(rows[0]?.n);
  };

  it('read their own rows and shared ones, and no others', async () => {
    assert.equal(await count(alice, 'sessions'), 1020);
    assert.equal(await count(alice, 'lines'), 1020);
    for (const user of [bob, eve]) {
      assert.equal(await count(user, 'sessions'), 20, user);
      assert.equal(await count(user, 'lines'), 10, user);
      assert.equal(await count(user, 'lines', `session_id = 'ses_000000000001'`), 0);
      assert.equal(await count(user, 'sessions', `summary::text LIKE '%secret 1"%'`), 0);
    }
  });

  /** The SQLSTATE with which a statement fails; `null` if it does not. */
  async function failure(user: string, sql: string): Promise<string | null> {
    const client: pg.Client = await database.connect(user);
    return client.query(sql).then(
      () => null,
      (error: unknown) => sqlState(error) ?? String(error),
    );
  }

  it('cannot read around the policies', async () => {
    for (let part = 0; part < 8; part += 1)
      assert.equal(await failure(bob, `SELECT * FROM vitrine.lines_${part}`), denied);
    for (const role of [alice, database.lead]) assert.equal(await failure(bob, `SET ROLE ${role}`), denied);
    assert.equal(await failure(bob, 'ALTER TABLE vitrine.lines DISABLE ROW LEVEL SECURITY'), denied);
    assert.equal(await failure(bob, 'SET row_security = off; SELECT * FROM vitrine.sessions'), denied);
    assert.equal(await failure(bob, `SET SESSION AUTHORIZATION ${alice}`), denied);
    // A function of one's own sees no more than its caller.
    assert.equal(
      await failure(bob, 'CREATE FUNCTION vitrine.peek() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$'),
      denied,
    );
    assert.equal(await failure(stranger, 'SELECT * FROM vitrine.sessions'), denied);
    assert.equal(await failure(stranger, 'SELECT vitrine.join_team()'), denied);
  });

  it('write only through the functions, and only what is theirs', async () => {
    const shared = `'ses_0000000003fc'`;
    for (const table of ['members', 'sessions', 'lines', 'tombstones', 'migrations']) {
      assert.equal(await failure(bob, `DELETE FROM vitrine.${table}`), denied);
      assert.equal(await failure(bob, `INSERT INTO vitrine.${table} DEFAULT VALUES`), denied);
    }
    const args = `'records', 'host', '{}', now(), false`;
    assert.equal(await failure(bob, `SELECT vitrine.share_session(${shared}, ${args})`), denied);
    assert.equal(await failure(bob, `SELECT vitrine.append_lines(${shared}, 1, ARRAY['{}'])`), 'VT002');
    const { rows } = await (
      await database.connect(bob)
    ).query(`SELECT vitrine.withdraw_session(${shared}, 'deleted') AS x`);
    assert.deepEqual(rows, [{ x: false }]);
    // An auditor reads, and adds nothing.
    assert.equal(await failure(eve, `SELECT vitrine.share_session('ses_00000000ffff', ${args})`), denied);
    assert.equal(await failure(bob, `SELECT vitrine.delete_before(now())`), denied);
    assert.equal(await failure(bob, `SELECT vitrine.hint('x', 'y')`), denied);
  });

  it('lose access with the role', async () => {
    const carol = await database.addMember('carol');
    assert.equal(await count(carol, 'sessions'), 20);
    await database.withLead((client) => client.query(`REVOKE vitrine_member_${database.name} FROM ${carol}`));
    assert.equal(await failure(carol, 'SELECT * FROM vitrine.sessions'), denied);
  });
});
