import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { CoordinatorError } from '../../coordinator/errors.ts';
import { RecordBusyError } from '../record/errors.ts';
import { WriterLease } from '../record/write/writerLease.ts';
import { LocalCoordinator, type LocalDeps } from './local.ts';

/** The queue of a store, which no other process can open until it is closed. */
export interface OpenQueue {
  readonly coordinator: LocalCoordinator;
  close(): Promise<void>;
}

/** Journal of the queue, and the lease that makes one process its only writer. */
export const queueFolder = (storeDir: string): string => path.join(storeDir, 'coordinator');
export const journalFile = (storeDir: string): string => path.join(queueFolder(storeDir), 'journal.jsonl');

/** @throws CoordinatorError `unreachable` if another process has the queue, or the journal cannot be read or written */
export async function openQueue(storeDir: string, deps: LocalDeps): Promise<OpenQueue> {
  const lease = await acquireLease(storeDir, deps);
  try {
    const coordinator = await LocalCoordinator.open(journalFile(storeDir), deps);
    return {
      coordinator,
      close: async () => {
        await coordinator.close();
        await lease.release();
      },
    };
  } catch (error) {
    await lease.release();
    throw new CoordinatorError('unreachable', `The queue cannot be opened: ${String(error)}`);
  }
}

async function acquireLease(storeDir: string, { clock }: LocalDeps): Promise<WriterLease> {
  const folder = queueFolder(storeDir);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await WriterLease.acquire(folder, 'coordinator', clock);
  } catch (error) {
    if (!RecordBusyError.is(error))
      throw new CoordinatorError('unreachable', `The queue cannot be opened: ${String(error)}`);
    const process = error.holder === null ? '' : ` (process ${error.holder.pid} on ${error.holder.hostname})`;
    throw new CoordinatorError(
      'unreachable',
      `Another version of Vitrine${process} is using the queue. Reload its windows and stop its runners, then try again.`,
    );
  }
}
