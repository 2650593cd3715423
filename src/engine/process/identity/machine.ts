import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import path from 'node:path';

/** Where Linux keeps a random id of the installation. */
const systemFiles = ['/etc/machine-id', '/var/lib/dbus/machine-id'];
/** The namespace of the processes that are in no container. */
const hostNamespace = 'pid:[4026531836]';

let own: Promise<string> | undefined;

/**
 * Names this machine for as long as it exists. The host name does not: it changes with networks. Hashed, since the system
 * asks to keep its own id to oneself.
 */
export function machineId(): Promise<string> {
  own ??= findId().then((id) => createHash('sha256').update(`vitrine machine\n${id}`).digest('hex').slice(0, 32));
  return own;
}

async function findId(): Promise<string> {
  if (process.platform === 'linux') {
    for (const file of systemFiles) {
      const id = await readId(file);
      if (id !== undefined) return `${id}\n${await container()}`;
    }
  }
  return storedId(path.join(stateFolder(), 'vitrine'));
}

async function readId(file: string): Promise<string | undefined> {
  const text = (await readFile(file, 'utf8').catch(() => '')).trim();
  return /^[0-9a-f-]{32,36}$/i.test(text) ? text : undefined;
}

/** Containers of one image share its id, not their processes. What tells them apart outlives a restart of the container. */
async function container(): Promise<string> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => hostNamespace);
  if (namespace === hostNamespace) return '';
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const root = mounts.split('\n').find((line) => line.split(' ')[4] === '/');
  return /\bupperdir=([^,\s]+)/.exec(root ?? '')?.[1] ?? '';
}

function stateFolder(): string {
  const home = homedir();
  if (process.platform === 'win32') return process.env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local');
  if (process.platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  return path.join(home, '.local', 'state');
}

/** A random id, made once. The host name where the user's folder cannot be written. */
export async function storedId(folder: string): Promise<string> {
  const file = path.join(folder, 'machine-id');
  const saved = await readId(file);
  if (saved !== undefined) return saved;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const mine = `${file}.${randomUUID()}`;
    await writeFile(mine, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx' });
    // Of several processes at the same moment, the first one's counts, and it is whole when it is there.
    await link(mine, file).catch(() => undefined);
    await rm(mine, { force: true });
  } catch {
    // Read-only or full.
  }
  return (await readId(file)) ?? hostname();
}
