import { createHash, randomBytes } from 'node:crypto';
import { link, lstat, mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { CoordinatorError } from '../../coordinator/errors.ts';

/** Where the coordinator of a store listens, and what those must know who speak with it. */
export interface CoordinatorPlace {
  /** Private to this user: the journal, the token, the lease. */
  readonly folder: string;
  readonly journal: string;
  /** A socket, or on Windows a pipe. */
  readonly address: string;
  readonly token: string;
}

/** What the systems allow for the path of a socket, less than the strictest. */
const maxSocketPath = 100;

/** Makes what is missing. @throws CoordinatorError `forbidden` where the place belongs to someone else */
export async function coordinatorPlace(storeDir: string): Promise<CoordinatorPlace> {
  const folder = path.join(storeDir, 'coordinator');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const token = await tokenIn(folder);
  return { folder, journal: path.join(folder, 'journal.jsonl'), address: await addressOf(folder), token };
}

async function tokenIn(folder: string): Promise<string> {
  const file = path.join(folder, 'token');
  const saved = await readToken(file);
  if (saved !== undefined) return saved;
  const mine = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(mine, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  // Another may be as quick: the first one there counts for both, and is whole when it is there.
  await link(mine, file).catch(() => undefined);
  await rm(mine);
  const token = await readToken(file);
  if (token === undefined)
    throw new CoordinatorError('forbidden', `${file} contains no token. Delete it and try again.`);
  return token;
}

async function readToken(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return /^[0-9a-f]{64}$/.test(text) ? text : undefined;
}

async function addressOf(folder: string): Promise<string> {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\vitrine-${name}`;
  const own = path.join(folder, 'socket');
  if (Buffer.byteLength(own) <= maxSocketPath) return own;
  // Processes may have other folders for what is temporary: the one that is kept counts.
  const file = path.join(folder, 'address');
  const saved = await keptAddress(file, name);
  if (saved !== undefined) return saved;
  const short = await mkdtemp(path.join(temporaryFolder(), 'vitrine-'));
  const mine = path.join(short, name);
  const part = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(part, mine, { mode: 0o600, flag: 'wx' });
  await rm(file, { force: true });
  // Another may be as quick: the first one there counts for both.
  await link(part, file).catch(() => undefined);
  await rm(part);
  const address = await keptAddress(file, name);
  if (address !== mine) await rmdir(short).catch(() => undefined);
  if (address === undefined)
    throw new CoordinatorError('forbidden', `${file} cannot be secured. Delete it and try again.`);
  return address;
}

/** Only in a folder that no one else can have made or write to: a name that was cleaned away may be someone else's now. */
async function keptAddress(file: string, name: string): Promise<string | undefined> {
  const saved = await readFile(file, 'utf8').catch(() => '');
  const isOurs = path.basename(saved) === name && path.isAbsolute(saved) && (await isPrivate(path.dirname(saved)));
  return isOurs ? saved : undefined;
}

function temporaryFolder(): string {
  const longest = maxSocketPath - '/vitrine-XXXXXX/0123456789abcdef'.length;
  return Buffer.byteLength(tmpdir()) <= longest ? tmpdir() : '/tmp';
}

/** A folder and no link to one, of this user, and closed to all others. */
async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && found.uid === userInfo().uid && (found.mode & 0o077) === 0;
}
