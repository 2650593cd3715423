import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';

/** The daemon's folder in the store, one per protocol version and machine. */
export function daemonFolder(storeDir: string, protocol: number): string {
  return path.join(storeDir, 'daemon', `v${protocol}`);
}

/** Folder of this machine's daemon if a daemon of another machine on the same store has `daemonFolder`. */
export function ownDaemonFolder(storeDir: string, protocol: number): string {
  return path.join(daemonFolder(storeDir, protocol), `host-${hostname().replaceAll(/[^A-Za-z0-9.-]/g, '_')}`);
}

/** Protocol versions with which daemons have served the store. */
export async function daemonProtocols(storeDir: string): Promise<number[]> {
  const names = await readdir(path.join(storeDir, 'daemon')).catch(() => []);
  return names.flatMap((name) => /^v(\d{1,9})$/.exec(name)?.[1] ?? []).map(Number);
}
