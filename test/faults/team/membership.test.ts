import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { withClient } from '../../../src/team/database/connection.ts';
import { migrate } from '../../../src/team/database/migrate.ts';
import { teamFile } from '../../../src/team/teamFile.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { migrationsFolder, TeamDatabase } from '../../support/team/database.ts';
import { useTeamServer } from '../../support/team/suite.ts';

describe('vitrine team', function () {
  useTeamServer(this);
  let database: TeamDatabase;
  let place: DaemonBench;
  beforeEach(async () => {
    database = await TeamDatabase.createEmpty();
    place = new DaemonBench();
  });
  afterEach(async () => {
    await place.close();
    await database.drop();
  });

  async function vitrine(user: string, ...args: string[]) {
    place.environment['PGPASSWORD'] = database.password(user);
    return place.vitrine('team', ...args).ended;
  }

  it('creates a schema, lets a member join, tells the state, and lets them leave', async () => {
    const { lead } = database;
    const initialized = await vitrine(lead, 'init', database.url(lead));
    assert.equal(initialized.code, 0, initialized.stderr);
    assert.match(initialized.stdout, /^Applied: 0001_sessions/);
    assert.match((await vitrine(lead, 'init', database.url(lead))).stdout, /up to date/);

    const alice = await database.createLogin('alice');
    const stranger = await vitrine(alice, 'join', database.url(alice));
    assert.equal(stranger.code, 2);
    assert.match(stranger.stderr, /(?:permission denied|not a member)/);
    assert.ok(!existsSync(teamFile(place.store)));

    await database.withLead((client) => client.query(`GRANT vitrine_member_${database.name} TO ${alice}`));
    const joined = await vitrine(alice, 'join', database.url(alice));
    assert.equal(joined.code, 0, joined.stderr);
    assert.match(joined.stdout, /as member/);
    assert.deepEqual(JSON.parse(readFileSync(teamFile(place.store), 'utf8')), { url: database.url(alice) });
    if (process.platform !== 'win32') assert.equal(statSync(teamFile(place.store)).mode & 0o777, 0o600);

    const status = JSON.parse((await vitrine(alice, 'status', '--json')).stdout) as Record<string, unknown>;
    assert.equal(status['kind'], 'member');
    assert.equal(status['sessions'], 0);
    const checks = await vitrine(alice, 'doctor');
    assert.equal(checks.code, 0, checks.stdout);
    assert.match(checks.stdout, /^ok +role +member$/m);

    const left = await vitrine(alice, 'leave', '--delete-mine');
    assert.equal(left.code, 0, left.stderr);
    assert.ok(!existsSync(path.dirname(teamFile(place.store))));
    const { rows } = await database.withLead((client) => client.query('SELECT * FROM vitrine.members'));
    assert.deepEqual(rows, []);
    assert.match((await vitrine(alice, 'status')).stderr, /does not belong to a team/);
  });

  it('refuses an address with a password, and takes it from VITRINE_TEAM_URL without saving it', async () => {
    const { lead } = database;
    const secret = database.password(lead);
    const url = database.url(lead).replace('@', `:${secret}@`);
    const refused = await vitrine(lead, 'join', url);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /contains a password/);
    assert.ok(!refused.stderr.includes(secret));

    delete place.environment['PGPASSWORD'];
    place.environment['VITRINE_TEAM_URL'] = url;
    const initialized = await place.vitrine('team', 'init').ended;
    assert.equal(initialized.code, 0, initialized.stderr);
    const joined = await place.vitrine('team', 'join').ended;
    assert.equal(joined.code, 0, joined.stderr);
    assert.match(joined.stdout, /as owner/);
    assert.ok(!`${initialized.stdout}${joined.stdout}${readFileSync(teamFile(place.store), 'utf8')}`.includes(secret));
  });

  it('says what is wrong: password, database, server, superuser', async () => {
    const { lead } = database;
    await vitrine(lead, 'init', database.url(lead));
    await vitrine(lead, 'join', database.url(lead));
    place.environment['PGPASSWORD'] = 'wrong';
    const rejected = await place.vitrine('team', 'status').ended;
    assert.equal(rejected.code, 2);
    assert.match(rejected.stderr, /rejected the login/);
    const doctor = await place.vitrine('team', 'doctor').ended;
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /PROBLEM +server +The server rejected/);

    const missing = await vitrine(lead, 'join', `${database.url(lead)}_none`);
    assert.match(missing.stderr, /does not exist/);
    const unreachable = await vitrine(lead, 'join', 'postgres://someone@127.0.0.1:1/none');
    assert.match(unreachable.stderr, /is not responding/);
  });

  it('updates the schema and takes updates back, with data', async () => {
    const { lead } = database;
    const login = database.login(lead);
    const up = await withClient(login, (client) => migrate(client, { dir: migrationsFolder, direction: 'up' }));
    assert.equal(up[0], '0001_sessions');
    await withClient(login, async (client) => {
      await client.query('SELECT vitrine.join_team()');
      await client.query(`SELECT vitrine.share_session('ses_000000000001', 'records', 'host', '{}', now(), false)`);
    });
    for (let left = up.length; left > 0; left -= 1)
      await withClient(login, (client) => migrate(client, { dir: migrationsFolder, direction: 'down' }));
    const left = await withClient(login, (client) =>
      client.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
         WHERE nspname = 'vitrine' AND relname NOT LIKE 'migrations%'
         UNION SELECT proname FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname = 'vitrine'
         UNION SELECT rolname FROM pg_roles WHERE rolname LIKE 'vitrine_%' || current_database()`,
      ),
    );
    assert.deepEqual(left.rows, []);
    const again = await withClient(login, (client) => migrate(client, { dir: migrationsFolder, direction: 'up' }));
    assert.deepEqual(again, up);
  });
});
