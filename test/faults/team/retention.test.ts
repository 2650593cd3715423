import assert from 'node:assert/strict';
import { useTeamOfTwo } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';

const saying = (text: string) => [{ init: true }, { say: text }, { result: {} }];

describe('retention in a team', function () {
  const team = useTeamOfTwo(this);

  const deleteBefore = (time: string): Promise<number> =>
    team.database.withLead(async (client) => {
      const { rows } = await client.query<{ n: string }>(`SELECT vitrine.delete_before(${time}) AS n`);
      return Number(rows[0]?.n);
    });
  const setAge = (ids: readonly string[], interval: string): Promise<unknown> =>
    team.database.server.asAdmin(
      (client) =>
        client.query(
          `UPDATE vitrine.sessions SET updated_at = clock_timestamp() - $2::interval WHERE session_id = ANY ($1)`,
          [ids, interval],
        ),
      team.database.name,
    );

  it('deletes old sessions with their lines, spares what runs, and leaves tombstones; the rest verifies', async () => {
    const [connection, other] = [await team.alice.connect(), await team.lead.connect()];
    await team.alice.runOk('team', 'share', '.');
    const old = await team.alice.runToEnd(connection, saying('old'));
    const recent = await team.alice.runToEnd(connection, saying('recent'));
    const live = await team.alice.start(connection, [{ init: true }, { say: 'begun' }, { hear: null }]);
    // Signed last, so that nothing more of them is on its way.
    for (const id of [old, recent])
      await until(`the signature of ${id}`, async () => {
        const sql = 'SELECT FROM vitrine.signatures WHERE session_id = $1';
        const { rowCount } = await team.database.withLead((client) => client.query(sql, [id]));
        return rowCount === 1;
      });
    const sharedLines = async (id: string): Promise<number> =>
      (await team.alice.shared()).find(({ session_id }) => session_id === id)?.lines ?? 0;
    await until('the running session', async () => (await sharedLines(live)) > 0);
    assert.match(await team.lead.runOk('show', old), /old/);
    await until('the list of the other machine', async () => {
      const { sessions } = await other.call('sharedSessions', {});
      return sessions.length === 3;
    });

    await setAge([old, live], '3 days');
    assert.equal(await deleteBefore(`now() - interval '2 days'`), 1);
    const ids = async (): Promise<string[]> => (await team.alice.shared()).map(({ session_id }) => session_id).sort();
    assert.deepEqual(await ids(), [recent, live].sort());
    const tombstones = await team.database.withLead((client) =>
      client.query<{ session_id: string; reason: string }>('SELECT session_id, reason FROM vitrine.tombstones'),
    );
    assert.deepEqual(tombstones.rows, [{ session_id: old, reason: 'retention' }]);
    assert.notEqual((await team.lead.vitrine('show', old).ended).code, 0, 'the copy is not read any longer');
    assert.match(await team.alice.runOk('show', old), /old/, 'the original stays');
    const lines = await team.database.withLead((client) =>
      client.query('SELECT FROM vitrine.lines WHERE session_id = $1', [old]),
    );
    assert.equal(lines.rowCount, 0);

    // The running session goes on being shared, and everything that is left verifies.
    await connection.call('stop', { session_id: live, kill: false });
    await until('the end of the running session', async () =>
      (await team.alice.shared()).some((row) => row.session_id === live && row.summary?.status !== 'running'),
    );
    const verified = await until('the signatures', async () => {
      const { code, stdout } = await team.lead.vitrine('audit', '--team', '--verify').ended;
      const rows = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      return code === 0 && rows.every(({ state }) => state === 'verified') ? rows : undefined;
    });
    assert.deepEqual(verified.map(({ session_id }) => session_id).sort(), [recent, live].sort());

    // A machine that was lost never reports the end of its sessions.
    const lost = await team.alice.start(connection, [{ init: true }, { say: 'begun' }, { hear: null }]);
    await until('the other running session', async () => (await sharedLines(lost)) > 0);
    await setAge([lost], '8 days');
    assert.equal(await deleteBefore(`now() - interval '2 days'`), 1);
    assert.deepEqual(await ids(), [recent, live].sort());
  });
});
