import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';

/** Folder of the daemon that speaks this protocol version, in the store. One daemon per folder, and per machine. */
export function daemonFolder(storeDir: string, protocol: number): string {
  return path.join(storeDir, 'daemon', `v${protocol}`);
}

/** Of the daemon of this machine, where a daemon of another machine that shares the store has `daemonFolder`. */
export function ownDaemonFolder(storeDir: string, protocol: number): string {
  return path.join(daemonFolder(storeDir, protocol), `host-${hostname().replaceAll(/[^A-Za-z0-9.-]/g, '_')}`);
}

/** Versions of which a daemon has served the store. */
export async function daemonProtocols(storeDir: string): Promise<number[]> {
  const names = await readdir(path.join(storeDir, 'daemon')).catch(() => []);
  return names.flatMap((name) => /^v(\d{1,9})$/.exec(name)?.[1] ?? []).map(Number);
}
