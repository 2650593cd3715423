import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { sqlState } from '../../../src/team/database/connection.ts';
import { firstHead, sealLine } from '../../../src/team/records/maskedLines.ts';
import { useTeamOfTwo } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';

describe('signatures in a team', function () {
  const team = useTeamOfTwo(this);

  async function verified(): Promise<{ code: number | null; row: Record<string, unknown> | undefined }> {
    const { code, stdout } = await team.lead.vitrine('audit', '--team', '--verify').ended;
    const [line] = stdout.split('\n');
    return { code, row: line === undefined || line === '' ? undefined : (JSON.parse(line) as Record<string, unknown>) };
  }

  /** Writes other lines, with hashes that fit, as whoever administers the database can. */
  const rewrite = (session: string, change: (lines: string[]) => string[]): Promise<void> =>
    team.database.server.asAdmin(async (client: pg.Client) => {
      const sql = 'SELECT line FROM vitrine.lines WHERE session_id = $1 ORDER BY seq';
      const { rows } = await client.query<{ line: string }>(sql, [session]);
      await client.query('DELETE FROM vitrine.lines WHERE session_id = $1', [session]);
      const lines = change(rows.map(({ line }) => line.replace(/,"prev":"[0-9a-f]{64}"}$/, '}')));
      let head = firstHead;
      for (const [seq, json] of lines.entries()) {
        const sealed = sealLine(json, head);
        head = sealed.hash;
        await client.query('INSERT INTO vitrine.lines VALUES ($1, $2, $3, $4)', [session, seq, sealed.line, head]);
      }
      await client.query('UPDATE vitrine.sessions SET lines = $2, head = $3 WHERE session_id = $1', [
        ...[session, lines.length, head],
      ]);
    }, team.database.name);

  it('reveal a record that was altered or truncated, although all hashes fit', async () => {
    const connection = await team.alice.connect();
    await team.alice.runOk('team', 'share', '.');
    const id = await team.alice.runToEnd(connection, [
      { init: true },
      { say: 'the truth' },
      { say: 'more' },
      { result: {} },
    ]);
    const { row } = await until('the signature', async () => {
      const found = await verified();
      return found.row?.['state'] === 'verified' ? found : undefined;
    });
    assert.deepEqual([row?.['session_id'], row?.['owner']], [id, team.alice.user]);
    assert.equal((await verified()).code, 0);
    const file = path.join(team.alice.store, 'team/signing.key');
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
    const lines = (await team.lead.runOk('audit', '--team')).trimEnd().split('\n');
    const audit = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const signed = audit.find((candidate) => candidate['session_id'] === id)?.['signed'] as Record<
      string,
      unknown
    > | null;
    assert.deepEqual([signed?.['key'], signed?.['lines']], [row?.['key'], row?.['lines']]);

    // What was signed stays signed while more lines follow.
    let original: string[] = [];
    const append = (lines: string[]): string[] => [...(original = lines), '{"kind":"decision"}'];
    await rewrite(id, append);
    assert.deepEqual([(await verified()).code, (await verified()).row?.['unsigned_lines']], [0, 1]);

    for (const [change, problem] of [
      [(lines: string[]) => lines.map((line) => line.replace('the truth', 'a lie')), /is not the one that was signed/],
      [() => original.slice(0, -1), /lines were signed, and it has/],
    ] as const) {
      await rewrite(id, () => original);
      assert.equal((await verified()).row?.['state'], 'verified');
      await rewrite(id, change);
      const { code, row: altered } = await verified();
      assert.deepEqual([code, altered?.['state']], [1, 'altered']);
      assert.match(String(altered?.['problem']), problem);
    }
  });

  it('are accepted only from the owner of the record, for its current end', async () => {
    const [first, second] = [await team.database.connect(team.alice.user), await team.database.connect(team.lead.user)];
    const key = (): string =>
      generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const [ofAlice, ofLead] = [key(), key()];
    const { line, hash } = sealLine('{"kind":"header"}', firstHead);
    await first.query(`SELECT vitrine.share_session('ses_000000000001', 'records', 'h', '{}', now(), false)`);
    await first.query(`SELECT vitrine.append_lines('ses_000000000001', 0, ARRAY[$1])`, [line]);
    const sign = (client: pg.Client, lines: number, head: string, by: string): Promise<unknown> =>
      client.query(`SELECT vitrine.sign_head('ses_000000000001', $1, $2, $3, 'c2ln')`, [lines, head, by]);
    const refused = (state: string) => (error: unknown) => sqlState(error) === state;
    await assert.rejects(sign(first, 2, hash, ofAlice), refused('VT003'));
    await assert.rejects(sign(first, 1, firstHead, ofAlice), refused('VT003'));
    await assert.rejects(sign(second, 1, hash, ofLead), refused('VT003'));
    await sign(first, 1, hash, ofAlice);
    await assert.rejects(sign(second, 1, hash, ofAlice), refused('VT002'));
    assert.match(String((await verified()).row?.['problem']), /signature is not valid/);
  });
});
