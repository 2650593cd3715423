import { userInfo } from 'node:os';
import { TeamError } from '../errors.ts';

/** Where the team's database is, and who logs in. */
export interface TeamAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** `verify`: TLS with a verified certificate. */
  readonly tls: 'verify' | 'none';
  /** Certificates of the authority that signed the server's; absent: those of the system. */
  readonly rootCertificate?: string;
}

const example = 'Example: postgres://alice@db.example.org/team';

/** @throws TeamError `url`, also for an address with a password */
export function parseAddress(text: string): TeamAddress {
  const url = urlOf(text);
  if (url.password !== '' || url.searchParams.has('password')) {
    throw new TeamError(
      'url',
      'The address contains a password, which Vitrine would save in a file.',
      'Remove it from the address. Set PGPASSWORD, or add a line to the password file (PGPASSFILE, ~/.pgpass).',
    );
  }
  return addressOf(url);
}

/** As `parseAddress`, for an address that is not saved: it may have a password. */
export function parseAddressWithPassword(text: string): { address: TeamAddress; password: string | undefined } {
  const url = urlOf(text);
  const password = url.password === '' ? undefined : decodeURIComponent(url.password);
  return { address: addressOf(url), password };
}

/** The address as text, without password. */
export function formatAddress({ host, port, database, user, tls, rootCertificate }: TeamAddress): string {
  const url = new URL('postgres://host');
  url.username = user;
  url.hostname = host.includes(':') ? `[${host}]` : host;
  if (port !== defaultPort) url.port = String(port);
  url.pathname = `/${encodeURIComponent(database)}`;
  if (tls === 'none' && !isLoopback(host)) url.searchParams.set('sslmode', 'disable');
  if (rootCertificate !== undefined) url.searchParams.set('sslrootcert', rootCertificate);
  return url.toString();
}

const defaultPort = 5432;

function urlOf(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol) || url.hostname === '')
    throw new TeamError('url', 'Not the address of a PostgreSQL database.', example);
  return url;
}

function addressOf(url: URL): TeamAddress {
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '' || database.includes('/'))
    throw new TeamError('url', 'The address does not name a database.', example);
  const unknown = [...url.searchParams.keys()].find((key) => !['sslmode', 'sslrootcert', 'password'].includes(key));
  if (unknown !== undefined)
    throw new TeamError('url', `Vitrine does not support "${unknown}" in the address.`, 'Use sslmode and sslrootcert.');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const rootCertificate = url.searchParams.get('sslrootcert');
  return {
    host,
    port: url.port === '' ? defaultPort : Number(url.port),
    database,
    user: url.username === '' ? userInfo().username : decodeURIComponent(url.username),
    tls: tlsOf(url.searchParams.get('sslmode'), host),
    ...(rootCertificate !== null && { rootCertificate }),
  };
}

/** No TLS on the same machine, where no one can listen between two programs. */
function tlsOf(mode: string | null, host: string): TeamAddress['tls'] {
  if (mode === null) return isLoopback(host) ? 'none' : 'verify';
  if (mode === 'verify-full') return 'verify';
  if (mode === 'disable') return 'none';
  throw new TeamError(
    'url',
    `sslmode=${mode} does not verify the server's certificate.`,
    'Use sslmode=verify-full, with sslrootcert=FILE for a private certificate authority, or sslmode=disable on a private network.',
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
