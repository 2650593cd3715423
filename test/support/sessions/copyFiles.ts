import { FileSnapshots, type Restorable } from '../../../src/engine/restore/fileSnapshots.ts';
import { silentLog } from '../silentLog.ts';
import { until } from '../until.ts';

/** Copies the files of a session's folder as Vitrine does before the prompt `entry`, in a store without a running agent. */
export async function copyFiles(storeDir: string, session: Restorable, entry: number): Promise<void> {
  const snapshots = new FileSnapshots({
    storeDir,
    environment: () => process.env,
    clock: () => Date.now(),
    log: silentLog,
  });
  await until('a copy of the files', async () => {
    // It has a time limit, which a busy machine may exceed.
    await snapshots.take(session, { entry, kind: 'prompt' });
    return (await snapshots.points(session)).some((point) => point.entry === entry);
  });
}
