import type pg from 'pg';
import type { Database, Login } from './database/connection.ts';
import { withClient } from './database/connection.ts';
import { formatAddress } from './database/address.ts';
import { TeamError } from './errors.ts';
import { teamStatus } from './membership.ts';

/** Oldest server that the functions of the schema support. */
const oldestServer = 150_000;
/** Difference between the clocks, in ms, above which times in lists look wrong. */
const clockMs = 60_000;

export interface Check {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Checks everything that the team needs, and continues after a failed check. */
export async function checkTeam(login: Login, expected: readonly string[], now: () => number): Promise<Check[]> {
  const checks: Check[] = [];
  const { address, password } = login;
  checks.push({
    what: 'address',
    ok: true,
    detail: `${formatAddress(address)}, ${address.tls === 'verify' ? 'TLS, certificate verified' : 'no TLS'}`,
  });
  checks.push({
    what: 'password',
    ok: true,
    detail: password === undefined ? 'none found: the server must accept this login without a password' : 'found',
  });
  try {
    await withClient(login, async (client) => {
      for (const check of await checkServer(client, now)) checks.push(check);
      checks.push(...(await checkSchema(client, expected)));
    });
  } catch (error) {
    if (!TeamError.is(error)) throw error;
    checks.push({ what: 'server', ok: false, detail: `${error.message} ${error.next}` });
  }
  return checks;
}

async function checkServer(client: pg.Client, now: () => number): Promise<Check[]> {
  const { rows } = await client.query<{ version: string; number: string; at: Date; is_superuser: boolean }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
            clock_timestamp() AS at, current_setting('is_superuser') = 'on' AS is_superuser`,
  );
  const [row] = rows;
  if (row === undefined) return [];
  const off = Math.round(Math.abs(row.at.getTime() - now()) / 1000);
  return [
    { what: 'server', ok: Number(row.number) >= oldestServer, detail: `PostgreSQL ${row.version}` },
    { what: 'clock', ok: off * 1000 < clockMs, detail: `${off} s from the server's` },
    {
      what: 'login',
      ok: !row.is_superuser,
      detail: row.is_superuser ? 'a superuser, who bypasses all access rules; use a separate login' : 'not a superuser',
    },
  ];
}

async function checkSchema(database: Database, expected: readonly string[]): Promise<Check[]> {
  const { kind, migrations } = await teamStatus(database);
  const missing = expected.filter((name) => !migrations.includes(name));
  return [
    { what: 'role', ok: kind !== null, detail: kind ?? 'none in this team' },
    {
      what: 'schema',
      ok: missing.length === 0,
      detail: missing.length === 0 ? `${migrations.length} migrations` : `missing: ${missing.join(', ')}`,
    },
  ];
}
