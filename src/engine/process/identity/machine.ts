import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import path from 'node:path';

/** Linux files with a random id of the installation. */
const systemFiles = ['/etc/machine-id', '/var/lib/dbus/machine-id'];
/** PID namespace of processes outside containers. */
const hostNamespace = 'pid:[4026531836]';

let own: Promise<string> | undefined;

/**
 * Permanent id of this machine. Host names are not used, because they change with networks. Hashed, because the system
 * requires its own id to be kept confidential.
 */
export function machineId(): Promise<string> {
  own ??= findId().then((id) => createHash('sha256').update(`vitrine machine\n${id}`).digest('hex').slice(0, 32));
  return own;
}

async function findId(): Promise<string> {
  if (process.platform === 'linux') {
    for (const file of systemFiles) {
      const id = await readId(file);
      if (id !== undefined) return `${id}\n${await containerId()}`;
    }
  }
  return storedId(path.join(stateFolder(), 'vitrine'));
}

async function readId(file: string): Promise<string | undefined> {
  const text = (await readFile(file, 'utf8').catch(() => '')).trim();
  return /^[0-9a-f-]{32,36}$/i.test(text) ? text : undefined;
}

/** Containers of one image share its id, but not their processes. This id survives a restart of the container. */
async function containerId(): Promise<string> {
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

/** A random id, created once. The host name if the user's folder is not writable. */
export async function storedId(folder: string): Promise<string> {
  const file = path.join(folder, 'machine-id');
  const saved = await readId(file);
  if (saved !== undefined) return saved;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporaryFile = `${file}.${randomUUID()}`;
    await writeFile(temporaryFile, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx' });
    // If several processes do this at once, the first one wins. The file is complete when it appears.
    await link(temporaryFile, file).catch(() => undefined);
    await rm(temporaryFile, { force: true });
  } catch {
    // Read-only or full disk.
  }
  return (await readId(file)) ?? hostname();
}
