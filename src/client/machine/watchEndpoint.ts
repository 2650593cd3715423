import { existsSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import { daemonProtocol } from '../../protocol/daemon/version.ts';
import { daemonFolder } from '../../transport/daemonFolder.ts';
import type { Disposable } from '../listeners.ts';

/** Events of one publication are combined within this time, in ms. */
const settleMs = 50;

/**
 * Calls when a daemon of the store has published its endpoint, without polling. Watches the nearest existing folder; creates
 * none. If the system cannot watch it, nothing is called.
 */
export function watchEndpoint(storeDir: string, onPublished: () => void): Disposable {
  const folder = daemonFolder(storeDir, daemonProtocol);
  const endpoint = path.join(folder, 'endpoint.json');
  const places = [folder, path.dirname(folder), storeDir, path.dirname(storeDir)];
  let watched: string | undefined;
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = undefined;
    attach();
    if (existsSync(endpoint)) onPublished();
  };
  const scheduleCheck = (): void => {
    timer ??= setTimeout(look, settleMs);
  };
  const detach = (): void => {
    watcher?.close();
    watcher = undefined;
    watched = undefined;
  };
  const attach = (): void => {
    const nearestFolder = places.find((place) => existsSync(place));
    if (nearestFolder === undefined || (nearestFolder === watched && watcher !== undefined)) return;
    detach();
    try {
      watcher = watch(nearestFolder, { persistent: false }, scheduleCheck);
      watcher.on('error', detach);
      watched = nearestFolder;
    } catch {
      // Too many watchers, or a file system without support.
      return;
    }
    // The folder was created between the search and the watch.
    if (nearestFolder !== folder) scheduleCheck();
  };
  look();
  return {
    dispose: () => {
      clearTimeout(timer);
      detach();
    },
  };
}
