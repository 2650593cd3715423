import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import * as z from 'zod';

/**
 * `endpoint.json` of a daemon: its address and the token for clients. The daemon writes it when it listens and deletes
 * it when it exits. Mode 0600, in a folder of mode 0700.
 */
const endpointSchema = z.object({
  address: z.string(),
  token: z.string().regex(/^[0-9a-f]{64}$/),
  pid: z.int().positive(),
});
export type Endpoint = z.infer<typeof endpointSchema>;

/** Maximum length of a socket path on Linux (108) and macOS (104), with a margin. */
const maxSocketPath = 100;

/** @throws Error if the folder cannot be created, or belongs to another user */
export async function preparePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== userInfo().uid)
    throw new Error(`You do not own the folder ${folder}. Remove it and try again.`);
  if ((found.mode & 0o077) !== 0) await chmod(folder, 0o700);
}

/** A new endpoint that no other user can claim first: a random pipe name, or a socket in a private folder. */
export async function newEndpoint(folder: string): Promise<Endpoint> {
  const token = randomBytes(32).toString('hex');
  const { pid } = process;
  if (process.platform === 'win32')
    return { address: `\\\\.\\pipe\\vitrine-${randomBytes(16).toString('hex')}`, token, pid };
  const socket = path.join(folder, `socket-${pid}`);
  if (Buffer.byteLength(socket) <= maxSocketPath) {
    // The caller holds the folder's lease, so no process listens on a socket left by a crash.
    await rm(socket, { force: true });
    return { address: socket, token, pid };
  }
  const short = await mkdtemp(path.join(tmpdir(), 'vitrine-'));
  const address = path.join(short, 'socket');
  if (Buffer.byteLength(address) > maxSocketPath)
    throw new Error(
      `The paths ${folder} and ${tmpdir()} are both too long for a socket. Set TMPDIR to a shorter path.`,
    );
  return { address, token, pid };
}

/** Replaces the file atomically, so that a client never reads half of it. */
export async function publishEndpoint(folder: string, endpoint: Endpoint): Promise<void> {
  const file = endpointFile(folder);
  const part = `${file}.${process.pid}`;
  const handle = await open(part, 'w', 0o600);
  await handle.writeFile(JSON.stringify(endpoint)).finally(() => handle.close());
  await rename(part, file);
}

/** `null` if no daemon has published one, or the file belongs to another user. */
export async function readEndpoint(folder: string): Promise<Endpoint | null> {
  const file = endpointFile(folder);
  try {
    if (process.platform !== 'win32' && (await lstat(file)).uid !== userInfo().uid) return null;
    const text = await readFile(file, 'utf8');
    return endpointSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Removes what `newEndpoint` and `publishEndpoint` created. */
export async function removeEndpoint(folder: string, { address }: Endpoint): Promise<void> {
  await rm(endpointFile(folder), { force: true });
  if (process.platform === 'win32') return;
  await rm(address, { force: true });
  const own = path.dirname(address);
  if (own !== folder) await rm(own, { recursive: true, force: true });
}

function endpointFile(folder: string): string {
  return path.join(folder, 'endpoint.json');
}
