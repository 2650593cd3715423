import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { isAlive, ownIdentity, startTimeOf, type ProcessIdentity } from './identity.ts';
import { machineId } from './machine.ts';

/** Where a process runs. */
export interface MachineName {
  /** Host name for display. */
  readonly hostname: string;
  /** Result of `machineId`; absent if an earlier version wrote it. */
  readonly machine?: string | undefined;
}

export interface ProcessHolder extends ProcessIdentity, MachineName {}

/** `elsewhere`: on another machine, so unknown. */
export type HolderState = 'alive' | 'gone' | 'elsewhere';

export async function thisMachine(): Promise<Required<MachineName>> {
  return { hostname: hostname(), machine: await machineId() };
}

async function isThisMachine({ machine, hostname: name }: MachineName): Promise<boolean> {
  return machine === undefined ? name === hostname() : machine === (await machineId());
}

export async function stateOfHolder(holder: ProcessHolder): Promise<HolderState> {
  if (!(await isThisMachine(holder))) return 'elsewhere';
  return (await isAlive(holder)) ? 'alive' : 'gone';
}

/** Identifies this process, in characters that are valid in every file name. */
export async function ownProcessMark(): Promise<string> {
  const { pid, startTime } = await ownIdentity();
  return `${pid}-${shortId(await machineId())}-${shortId(startTime ?? '')}`;
}

/** State of the process with this mark, or with this bare pid, as earlier versions wrote it. */
export async function stateOfMark(mark: string): Promise<HolderState> {
  const [pid = '', machine, start] = mark.split('-');
  if (machine !== undefined && machine !== shortId(await machineId())) return 'elsewhere';
  const number = Number(pid);
  // Earlier versions wrote no start time, but this process did.
  if (start === undefined && number === process.pid) return 'gone';
  if (!(await isAlive({ pid: number, startTime: null }))) return 'gone';
  const now = start === undefined || start === shortId('') ? null : await startTimeOf(number);
  return now === null || shortId(now) === start ? 'alive' : 'gone';
}

function shortId(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
