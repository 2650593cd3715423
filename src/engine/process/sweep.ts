import type { Log, SweepReport } from '../api.ts';
import { runVariable } from './agentEnvironment.ts';
import type { ProcessLeases } from './leases.ts';
import { stopProcessTree, processTreeOf, type LadderStep } from './stopProcessTree.ts';
import type { RecordStore } from '../record/recordStore.ts';
import type { Sessions } from '../sessions/sessions.ts';

const ladder: readonly LadderStep[] = [
  { signal: 'SIGINT', graceMs: 500 },
  { signal: 'SIGTERM', graceMs: 1000 },
];

/** Ends leftover agent processes of a crash. */
export async function reapOrphans(leases: ProcessLeases, log: Log): Promise<SweepReport['ended']> {
  const ended: { pid: number; program: string }[] = [];
  for (const lease of await leases.findOrphaned()) {
    // Without a start time, the pid may have been reused.
    const root = typeof lease.process?.startTime === 'string' ? lease.process : null;
    const target = { root, marker: `${runVariable}=${lease.run_id}`, isOrphan: true };
    const tree = await processTreeOf(target);
    const survivors = tree.length === 0 ? [] : await stopProcessTree(target, ladder);
    ended.push(...tree.map(({ pid }) => ({ pid, program: lease.program })));
    if (survivors.length === 0) await leases.remove(lease.run_id);
    else log.warn(`${lease.program}: could not end ${survivors.map(({ pid }) => pid).join(', ')}.`);
  }
  return ended;
}

/** Ends leftover processes, and completes the records of interrupted sessions. */
export async function sweep(
  leases: ProcessLeases,
  store: RecordStore,
  sessions: Sessions,
  log: Log,
): Promise<SweepReport> {
  const ended = await reapOrphans(leases, log);
  await store.finishRemovals();
  const interrupted: string[] = [];
  for (const id of (await store.listRecords()).interrupted) {
    try {
      if (await sessions.withOpenSession(id, (state) => sessions.recover(state))) interrupted.push(id);
    } catch (error) {
      log.warn(`${id} is interrupted, and its end cannot be recorded: ${String(error)}`);
    }
  }
  return { ended, interrupted };
}
