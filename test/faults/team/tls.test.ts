import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withClient } from '../../../src/team/database/connection.ts';
import { TeamError } from '../../../src/team/errors.ts';
import { isWindows } from '../../support/platform.ts';
import { skip } from '../../support/skip.ts';
import { TeamDatabase } from '../../support/team/database.ts';
import { useTeamServer } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';

/** PostgreSQL refuses to run as root; the test server runs as this user then. */
const unprivileged = 65534;

describe('TLS of a team', function () {
  useTeamServer(this);
  let database: TeamDatabase;
  let folder: string | undefined;
  const file = (name: string): string => path.join(folder ?? '', name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });

  before(function () {
    if (isWindows || !hasOpenssl()) skip(this, 'there is no openssl');
    folder = mkdtempSync(path.join(tmpdir(), 'team-tls-'));
    chmodSync(folder, 0o711);
    const root = ['-subj', '/CN=Test authority', '-addext', 'basicConstraints=critical,CA:TRUE'];
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      ...root,
    );
    for (const [name, names] of [
      ['right', 'IP:127.0.0.1'],
      ['wrong', 'DNS:elsewhere.example.org'],
    ] as const) {
      writeFileSync(file(`${name}.ext`), `subjectAltName=${names}\n`);
      const request = ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`];
      openssl('req', ...request, '-subj', '/CN=db');
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
      openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-extfile', `${name}.ext`, '-out', `${name}.pem`);
      chmodSync(file(`${name}.key`), 0o600);
      if (process.getuid?.() === 0) chownSync(file(`${name}.key`), unprivileged, unprivileged);
      chmodSync(file(`${name}.pem`), 0o644);
    }
  });
  beforeEach(async () => {
    database = await TeamDatabase.create();
  });
  afterEach(async () => {
    await configure(null);
    await database.drop();
  });
  after(() => (folder === undefined ? undefined : rm(folder, { recursive: true, force: true })));

  /** The certificate of the server, from now on; `null`: no TLS. Resolves when the server has read its settings. */
  async function configure(name: 'right' | 'wrong' | null): Promise<void> {
    const certificate = name === null ? '' : file(`${name}.pem`);
    const settings = { ssl_cert_file: certificate, ssl_key_file: file(`${name}.key`), ssl: 'on' };
    await database.server.asAdmin(async (client) => {
      for (const [setting, value] of Object.entries(settings))
        await client.query(`ALTER SYSTEM ${name === null ? `RESET ${setting}` : `SET ${setting} = '${value}'`}`);
      await client.query('SELECT pg_reload_conf()');
    });
    await until('the server to read its settings', () =>
      database.server.asAdmin(async (client) => {
        const sql = `SELECT current_setting('ssl') AS ssl, current_setting('ssl_cert_file') AS certificate`;
        const { rows } = await client.query<{ ssl: string; certificate: string }>(sql);
        return name === null ? rows[0]?.ssl === 'off' : rows[0]?.ssl === 'on' && rows[0].certificate === certificate;
      }),
    );
  }

  function isEncrypted(rootCertificate?: string): Promise<boolean> {
    const login = database.login(database.lead);
    const address = {
      ...login.address,
      tls: 'verify' as const,
      ...(rootCertificate !== undefined && { rootCertificate }),
    };
    return withClient({ ...login, address }, async (client) => {
      const { rows } = await client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      return rows[0]?.ssl === true;
    });
  }

  it('is used with a certificate of a private authority, and only for the server that it names', async () => {
    await configure('right');
    assert.equal(await isEncrypted(file('ca.pem')), true);
    const isRefused = (error: unknown): boolean =>
      TeamError.is(error, 'unreachable') && /is not trusted/.test(error.message);
    await assert.rejects(isEncrypted(), isRefused);
    await configure('wrong');
    await assert.rejects(isEncrypted(file('ca.pem')), isRefused);
  });
});

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
