import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { TeamError } from '../errors.ts';
import { formatAddress, type TeamAddress } from './address.ts';

/** In ms: a server that does not answer in this time is unreachable. */
const connectMs = 10_000;
/** Limit of one statement, in ms. A half-open connection ends with it. */
const statementMs = 30_000;

export interface Login {
  readonly address: TeamAddress;
  readonly password: string | undefined;
}

/** What a query needs; a client and a pool both have it. */
export type Database = Pick<pg.Pool, 'query'>;

/** @throws TeamError `url` if the certificate file cannot be read */
export async function clientConfig({ address, password }: Login): Promise<pg.ClientConfig> {
  const { host, port, database, user, tls } = address;
  return {
    host,
    port,
    database,
    user,
    // With an empty one, the library does not search its own places.
    password: password ?? '',
    ssl: tls === 'none' ? false : { rejectUnauthorized: true, ...(await authority(address)) },
    application_name: 'vitrine',
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
    statement_timeout: statementMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: connectMs,
  };
}

async function authority({ rootCertificate }: TeamAddress): Promise<{ ca?: string }> {
  if (rootCertificate === undefined) return {};
  try {
    return { ca: await readFile(rootCertificate, 'utf8') };
  } catch (error) {
    throw new TeamError(
      'url',
      `The certificate cannot be read: ${String(error)}`,
      'Correct sslrootcert in the address.',
    );
  }
}

/** One connection, for the time of `work`. @throws TeamError */
export async function withClient<T>(login: Login, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(await clientConfig(login));
  // A lost connection rejects the query that is waiting.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw teamError(error, login.address);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What the SQLSTATEs of Vitrine's own functions say. */
const refusals: Readonly<Record<string, 'refused' | 'conflict' | 'outdated' | 'unregistered'>> = {
  VT001: 'refused',
  VT002: 'refused',
  VT003: 'conflict',
  VT004: 'refused',
  VT005: 'outdated',
  VT006: 'unregistered',
};

/** What went wrong with the database, in words; an error of another kind as it is. */
export function teamError(error: unknown, address: TeamAddress): unknown {
  if (TeamError.is(error) || !(error instanceof Error)) return error;
  const code = sqlState(error) ?? '';
  const where = formatAddress(address);
  // Class 28 is authorization, 42501 insufficient privilege: https://www.postgresql.org/docs/current/errcodes-appendix.html
  if (code.startsWith('28') || error.message.includes('SASL')) {
    return new TeamError(
      'login',
      `The server rejected the login of ${address.user}.`,
      'Set PGPASSWORD, or add a line to the password file (PGPASSFILE, ~/.pgpass).',
    );
  }
  if (code === '42501' || code === '42883' || code === '3F000' || code === '42P01') {
    const isMissing = code !== '42501';
    return isMissing
      ? new TeamError('schema', `${where} is not a team database.`, 'Its owner creates it with "vitrine team init".')
      : new TeamError('refused', `${error.message}.`, 'Ask the owner of the database; see docs/team.md.');
  }
  if (code === '3D000') return new TeamError('unreachable', `${error.message}.`, 'Create the database first.');
  const refusal = Object.hasOwn(refusals, code) ? refusals[code] : undefined;
  if (refusal !== undefined) return new TeamError(refusal, `${error.message}.`, 'See docs/team.md.');
  if (isCertificateError(code)) {
    return new TeamError(
      'unreachable',
      `The certificate of ${address.host} is not trusted: ${error.message}.`,
      'Add sslrootcert=FILE to the address if a private certificate authority signed it.',
    );
  }
  if (code === '' || !/^[0-9A-Z]{5}$/.test(code) || /^(?:08|57|53)/.test(code))
    return new TeamError('unreachable', `${where} is not responding: ${error.message}.`, 'See "vitrine team doctor".');
  return error;
}

export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function isCertificateError(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS/.test(code);
}
