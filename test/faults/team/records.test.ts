import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { families, aSecret, embeddings, moreFamilies } from '../../support/hostile/secrets.ts';
import type { TeamDatabase } from '../../support/team/database.ts';
import type { TeamMachine } from '../../support/team/machine.ts';
import { useTeamOfMembers } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';

const saying = (...texts: readonly string[]) => [{ init: true }, ...texts.map((say) => ({ say })), { result: {} }];

describe('records of a team', function () {
  let database: TeamDatabase;
  let alice: TeamMachine;
  let bob: TeamMachine;
  useTeamOfMembers(this, (team) => {
    ({ database, alice, bob } = team);
  });

  const count = async (sql: string, values: readonly unknown[] = []): Promise<number> =>
    database.withLead(async (client) => {
      const { rows } = await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${sql}`, [...values]);
      return Number(rows[0]?.n);
    });

  it('are shared as set for the folder or session, read by another member, and withdrawn', async () => {
    const marks = new Map<string, string>();
    const connection = await alice.connect({
      onNews: ({ shares = [] }) => {
        for (const { session_id, share } of shares) marks.set(session_id, share);
        return Promise.resolve();
      },
    });
    await connection.call('watch', { events: false });
    const before = await alice.runToEnd(connection, saying('before'));
    await alice.runOk('team', 'share', '.', '--as', 'metadata');
    const listed = await alice.runToEnd(connection, saying('listed'));
    await alice.waitForSharedEnd(listed);
    await alice.runOk('team', 'share', '.');
    const shared = await alice.runToEnd(connection, saying('one', 'two'));
    await alice.waitForSharedEnd(shared);

    const rows = await bob.rows('sessions', '--team');
    assert.deepEqual(
      rows.map(({ session_id, owner, share }) => [session_id, owner, share]),
      [
        [shared, alice.user, 'records'],
        [listed, alice.user, 'metadata'],
      ],
    );
    assert.equal(await count('vitrine.lines WHERE session_id = $1', [listed]), 0);
    // The member who shares sees how much of each session is shared.
    const { own } = await connection.call('sharedSessions', {});
    const expected = { [listed]: 'metadata', [shared]: 'records' };
    assert.deepEqual(Object.fromEntries(own.map((row) => [row.session_id, row.share])), expected);
    await until('news of what is shared', () => marks.size === 2);
    assert.deepEqual(Object.fromEntries(marks), expected);
    const used = await bob.vitrine('usage', '--team', '--own', '--json').ended;
    const total = JSON.parse(used.stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
    assert.deepEqual([total['key'], total['sessions']], ['total', 2]);
    assert.match(used.stderr, /^Shared team sessions: 2, as of \d{4}-/m);
    assert.match(await bob.runOk('usage', '--own'), /total .* 0 sessions/);
    const shown = await bob.rows('show', shared);
    assert.deepEqual(shown, await alice.rows('show', shared));
    assert.deepEqual(
      shown.map(({ content }) => content).filter((content) => content === 'one' || content === 'two'),
      ['one', 'two'],
    );
    const refused = await bob.vitrine('show', listed).ended;
    assert.match(refused.stderr, /does not share the transcript/);
    assert.notEqual((await bob.vitrine('show', before).ended).code, 0);
    // The copy is a record whose hashes fit.
    const mirror = path.join(bob.store, 'team/mirror');
    const record = readFileSync(path.join(mirror, 'sessions', shared, 'record.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    assert.equal(record.length, rows[0]?.['lines']);

    // One that ended before is shared on request.
    await alice.runOk('team', 'share', before);
    await alice.waitForSharedEnd(before);
    assert.ok((await bob.runOk('show', before)).includes('before'));

    // A search covers all of them, and only those that are shared.
    const found = await bob.runOk('search', '--own', '--team', 'kind:assistant two');
    assert.match(found, new RegExp(`^${shared} .*\\(${alice.user} on .*\\)\\n  \\[\\d+\\] assistant: two`, 'm'));
    assert.equal((await bob.vitrine('search', '--own', 'two').ended).code, 1);
    const { copies } = await (await bob.connect()).call('pullShared', {});
    assert.deepEqual(copies?.sessions.map(({ session_id }) => session_id).sort(), [before, shared].sort());

    await alice.runOk('team', 'share', shared, '--as', 'nothing');
    await until('the withdrawal', async () => (await count('vitrine.tombstones')) === 1);
    await until('news of the withdrawal', () => marks.get(shared) === 'nothing');
    assert.equal(await count('vitrine.lines WHERE session_id = $1', [shared]), 0);
    assert.notEqual((await bob.vitrine('show', shared).ended).code, 0);
    assert.equal((await bob.vitrine('search', '--own', '--team', 'kind:assistant two').ended).code, 1);
    assert.ok(!existsSync(path.join(mirror, 'sessions', shared)), 'the copy goes, too');
    await alice.runOk('team', 'share', shared);
    await alice.waitForSharedEnd(shared);
    assert.ok((await bob.runOk('show', shared)).includes('two'));

    await connection.call('remove', { session_id: listed, reason: 'user' });
    await until('the deletion', async () => (await count(`vitrine.tombstones WHERE reason = 'deleted'`)) === 1);
    await alice.runOk('team', 'leave', '--delete-mine');
    await until('news that nothing is shared', () => [...marks.values()].every((share) => share === 'nothing'));
    assert.deepEqual((await connection.call('sharedSessions', {})).own, []);
    assert.equal(await count('vitrine.sessions'), 0);
    assert.equal(await count('vitrine.lines'), 0);
    assert.equal(await count(`vitrine.tombstones WHERE session_id IS NOT NULL`), 3);
    assert.ok((await alice.runOk('show', shared)).includes('two'), 'the local session stays');
  });

  it('have no secret in the database', async () => {
    const connection = await alice.connect();
    await alice.runOk('team', 'share', '.');
    const all = [...families, ...moreFamilies];
    const embed = Object.values(embeddings);
    const secrets = Array.from({ length: 100 }, (_, index) => aSecret(all[index % all.length] ?? '', index + 1));
    const texts = secrets.map((secret, index) => embed[index % embed.length]?.(secret) ?? secret);
    const id = await alice.runToEnd(connection, [
      { init: true },
      { tool: { id: 'call-1', command: texts.slice(0, 30).join('\n') } },
      { toolResult: { id: 'call-1', text: texts.slice(30, 60).join('\n') } },
      ...texts.slice(60).map((say) => ({ say })),
      { result: { text: texts[0] } },
    ]);
    await alice.waitForSharedEnd(id);
    const dump = await database.server.asAdmin(async (client) => {
      const lines = await client.query<{ line: string }>('SELECT line FROM vitrine.lines');
      const sessions = await client.query<{ summary: string }>('SELECT summary::text FROM vitrine.sessions');
      return [...lines.rows.map(({ line }) => line), ...sessions.rows.map(({ summary }) => summary)].join('\n');
    }, database.name);
    assert.ok(dump.includes('[redacted:'));
    const found = secrets.filter((secret) => dump.includes(secret));
    assert.deepEqual(found, []);
  });

  it('arrive in order and verify after a week without the database', async () => {
    const connection = await alice.connect();
    await alice.runOk('team', 'share', '.');
    const first = await alice.runToEnd(connection, saying('first'));
    await alice.waitForSharedEnd(first);
    await database.server.stop('SIGQUIT');
    const offline: string[] = [];
    try {
      for (let day = 0; day < 7; day += 1) offline.push(await alice.runToEnd(connection, saying(`day ${day}`, 'done')));
      // The daemon that was offline ends, too.
      await connection.call('retire', { when: 'now' });
      await connection.closed;
      offline.push(await alice.runToEnd(await alice.connect(), saying('another daemon')));
    } finally {
      await database.server.resume();
    }
    for (const id of offline) await alice.waitForSharedEnd(id);
    for (const id of [first, ...offline]) {
      const local = await alice.rows('show', id);
      assert.deepEqual(await bob.rows('show', id), local);
      const own = readFileSync(path.join(alice.store, 'sessions', id, 'record.jsonl'), 'utf8').trimEnd();
      assert.equal(await count('vitrine.lines WHERE session_id = $1', [id]), own.split('\n').length);
    }
  });

  it('of a hostile member break no reader', async () => {
    const session = (n: number): string => `ses_${String(n).padStart(12, '0')}`;
    const client = await database.connect(alice.user);
    const put = async (id: string, summary: string, ...lines: readonly string[]): Promise<void> => {
      await client.query(`SELECT vitrine.share_session($1, 'records', 'h', $2, now(), false)`, [id, summary]);
      if (lines.length > 0) await client.query('SELECT vitrine.append_lines($1, 0, $2)', [id, lines]);
    };
    const start = `"prev":"${'0'.repeat(64)}"}`;
    await put(session(1), '{"session_id":"../../etc"}', `{"kind":"header","session_id":"${session(9)}",${start}`);
    await put(session(2), '[]', `{"kind":"header"\n,${start}`);
    await put(session(3), '"\\u0000"', `not json,${start}`);
    await put(session(4), 'null');
    const rows = await bob.rows('sessions', '--team');
    assert.deepEqual(
      rows.map(({ summary }) => summary),
      [null, null, null, null],
    );
    assert.match(await bob.runOk('sessions', '--team'), /unreadable/);
    for (const n of [1, 2, 3, 4]) {
      const { code, stderr } = await bob.vitrine('show', session(n)).ended;
      assert.ok(code === 2 || code === 4, `${n}: ${code} ${stderr}`);
      assert.doesNotMatch(stderr, /at .*\.js:/);
    }
  });

  it('reach a client of another machine while the session runs', async () => {
    const connection = await alice.connect();
    await alice.runOk('team', 'share', '.');
    const go = path.join(alice.bench.dir, 'go');
    const id = await alice.start(connection, [
      { init: true },
      { say: 'begun' },
      { until: go },
      { stamps: { count: 100, perSecond: 40 } },
      { result: {} },
    ]);
    const other = await bob.connect();
    await until('the session of another machine', async () =>
      (await bob.shared()).some((row) => row.session_id === id && row.lines > 0),
    );
    const late: number[] = [];
    const followed = await other.follow(id, (update) => {
      for (const change of update.updates) {
        const [, said] = (change.op === 'put' ? /^stamp (\d+)/.exec(change.entry.content) : null) ?? [];
        if (said !== undefined) late.push(Number(process.hrtime.bigint() - BigInt(said)) / 1e6);
      }
      return Promise.resolve();
    });
    assert.equal(followed.state.live, true);
    await alice.bench.go();
    await until('all stamps', () => late.length >= 100);
    late.sort((a, b) => a - b);
    const p99 = late[Math.floor(late.length * 0.99) - 1] ?? Infinity;
    // 250 ms is the aim; on a machine that runs other tests it takes longer.
    assert.ok(p99 < 1000, `p99 ${p99} ms`);
  });
});
