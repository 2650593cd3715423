import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { TeamAddress } from './address.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The password of a login: PGPASSWORD, else the line of PostgreSQL's password file. */
export async function findPassword(address: TeamAddress, environment: Environment): Promise<string | undefined> {
  const { PGPASSWORD: password } = environment;
  if (password !== undefined && password !== '') return password;
  const file = passwordFile(environment);
  if (file === undefined || !(await isPrivate(file))) return undefined;
  const text = await readFile(file, 'utf8').catch(() => '');
  return passwordIn(text, address);
}

/** https://www.postgresql.org/docs/current/libpq-pgpass.html */
export function passwordIn(text: string, { host, port, database, user }: TeamAddress): string | undefined {
  const place = [host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = '']) =>
      field.replace(/\\(.)/g, '$1'),
    );
    const [password] = fields.slice(4);
    if (password === undefined || password === '') continue;
    if (place.every((expected, index) => fields[index] === '*' || fields[index] === expected)) return password;
  }
  return undefined;
}

function passwordFile({ PGPASSFILE, HOME, APPDATA }: Environment): string | undefined {
  if (PGPASSFILE !== undefined && PGPASSFILE !== '') return PGPASSFILE;
  if (process.platform === 'win32')
    return APPDATA === undefined ? undefined : path.join(APPDATA, 'postgresql', 'pgpass.conf');
  return HOME === undefined ? undefined : path.join(HOME, '.pgpass');
}

/** PostgreSQL's own clients ignore a password file that others can read. */
async function isPrivate(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() === true && (process.platform === 'win32' || (found.mode & 0o077) === 0);
}
