import { createHash, randomBytes } from 'node:crypto';
import { link, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
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

/** Makes what is missing. @throws CoordinatorError `forbidden` where the place belongs to somebody else */
export async function coordinatorPlace(storeDir: string): Promise<CoordinatorPlace> {
  const folder = path.join(storeDir, 'coordinator');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const token = await tokenIn(folder);
  return { folder, journal: path.join(folder, 'journal.jsonl'), address: await addressOf(folder), token };
}

async function tokenIn(folder: string): Promise<string> {
  const file = path.join(folder, 'token');
  const kept = await readToken(file);
  if (kept !== undefined) return kept;
  const mine = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(mine, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  // Another may be as quick: the first one there counts for both, and is whole when it is there.
  await link(mine, file).catch(() => undefined);
  await rm(mine);
  const token = await readToken(file);
  if (token === undefined) throw new CoordinatorError('forbidden', `${file} holds no token. Remove it, and try again.`);
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
  // Processes may have other folders for what is temporary: the first one's counts.
  const file = path.join(folder, 'address');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (path.basename(kept) === name && (await isPrivate(path.dirname(kept)))) return kept;
  const short = path.join(tmpdir(), `vitrine-${userInfo().uid}`);
  if (!(await isPrivate(short))) {
    throw new CoordinatorError('forbidden', `${short} is not private to you. Remove it, and try again.`);
  }
  await writeFile(file, path.join(short, name), { mode: 0o600 });
  return path.join(short, name);
}

/** Makes the folder where it is missing. */
async function isPrivate(folder: string): Promise<boolean> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && found.uid === userInfo().uid && (found.mode & 0o077) === 0;
}
