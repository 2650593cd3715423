import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { isAlive, ownIdentity, startTimeOf, type ProcessIdentity } from './identity.ts';
import { machineId } from './machine.ts';

/** Where a process runs. */
export interface MachineName {
  /** For people. */
  readonly hostname: string;
  /** As `machineId` gives it; absent in what earlier versions wrote. */
  readonly machine?: string | undefined;
}

export interface ProcessHolder extends ProcessIdentity, MachineName {}

/** `elsewhere`: on another machine, which cannot be asked. */
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

/** This process, in characters that every file system takes. */
export async function ownMark(): Promise<string> {
  const { pid, startTime } = await ownIdentity();
  return `${pid}-${short(await machineId())}-${short(startTime ?? '')}`;
}

/** Of a mark that `ownMark` gave somewhere, or of a bare pid, as earlier versions wrote it. */
export async function stateOfMark(mark: string): Promise<HolderState> {
  const [pid = '', machine, start] = mark.split('-');
  if (machine !== undefined && machine !== short(await machineId())) return 'elsewhere';
  const number = Number(pid);
  // Earlier versions wrote no start: this process, at least, wrote one.
  if (start === undefined && number === process.pid) return 'gone';
  if (!(await isAlive({ pid: number, startTime: null }))) return 'gone';
  const now = start === undefined || start === short('') ? null : await startTimeOf(number);
  return now === null || short(now) === start ? 'alive' : 'gone';
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
