import path from 'node:path';
import { daemonProtocol } from '../../protocol/daemon/version.ts';
import { daemonFolder } from '../../transport/daemonFolder.ts';

/** Log of the store's daemon of this protocol version. */
export function daemonLogFile(storeDir: string): string {
  return path.join(daemonFolder(storeDir, daemonProtocol), 'daemon.log');
}
