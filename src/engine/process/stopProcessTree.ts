import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive, isSameProcess, type ProcessIdentity } from './identity/identity.ts';
import { hasMark } from './limitMark.ts';
import { windowsProgram } from '../programs/systemPrograms.ts';
import { listProcesses, hasEnvironment } from './identity/table.ts';
import type { ProcessInfo } from './identity/tableText.ts';

/** Identifies the processes of one agent. */
export interface TreeTarget {
  /** Leader of the agent's process group; `null` if unknown, or not started yet. */
  readonly root: ProcessIdentity | null;
  /**
   * `NAME=value` in the environment of all processes, detached ones too. On Linux, a resource limit derived from it
   * also marks processes with an empty environment.
   */
  readonly marker: string;
  /** Found by a lease after a crash: a group without its leader may belong to other processes now. */
  readonly isOrphan?: boolean;
  /** Whether the root has exited, so that its pid may have been reused. */
  readonly hasExited?: () => boolean;
}

export interface LadderStep {
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
}

const isWindows = process.platform === 'win32';
const killRounds = 100;

/** All living processes of the tree: descendants, group members, marked processes, and `known` ones. */
export async function processTreeOf(
  target: TreeTarget,
  known: readonly ProcessIdentity[] = [],
): Promise<ProcessInfo[]> {
  const all = await listProcesses();
  const { root } = target;
  const leader = all.find(({ pid }) => pid === root?.pid);
  // A group's id is not reused while the group has members, so a group without its leader is still ours.
  const ourGroup =
    !isWindows &&
    root !== null &&
    (leader === undefined ? target.isOrphan !== true : leader.startTime === root.startTime);
  const found = new Map<number, ProcessInfo>();
  for (const info of all) {
    if (info.pid === process.pid) continue;
    const ours =
      isSameProcess(info, root) ||
      known.some((other) => isSameProcess(info, other)) ||
      (ourGroup && info.pgid === root.pid) ||
      (await hasEnvironment(info.pid, target.marker)) ||
      (await hasMark(info.pid, target.marker));
    if (ours) found.set(info.pid, info);
  }
  for (let hasGrown = true; hasGrown;) {
    hasGrown = false;
    for (const info of all) {
      if (found.has(info.pid) || !found.has(info.ppid) || info.pid === process.pid) continue;
      found.set(info.pid, info);
      hasGrown = true;
    }
  }
  return [...found.values()];
}

/**
 * Sends stronger signals until no process of the tree is left. Resolves to the processes that the system could not end.
 */
export async function stopProcessTree(target: TreeTarget, steps: readonly LadderStep[]): Promise<ProcessInfo[]> {
  if (isWindows) return stopWindowsTree(target);
  let tree = await processTreeOf(target);
  for (const [stepNumber, step] of steps.entries()) {
    if (tree.length === 0) return [];
    signalGroup(target, tree, step.signal);
    // The first signal is for the agent only, which knows best how to end its children.
    if (stepNumber > 0) signalProcesses(tree, step.signal);
    await waitForEnd(target, tree, step.graceMs);
    tree = await processTreeOf(target, tree);
  }
  for (let round = 0; tree.length > 0 && round < killRounds; round++) {
    signalGroup(target, tree, 'SIGKILL');
    signalProcesses(tree, 'SIGKILL');
    await delay(Math.min(10 * (round + 1), 100));
    tree = await processTreeOf(target, tree);
  }
  return tree;
}

/** Ends leftover processes in the agent's group. Processes in other groups may be meant to stay. */
export async function endLeftovers(target: TreeTarget, graceMs: number): Promise<ProcessInfo[]> {
  if (isWindows || target.root === null) return [];
  const pgid = target.root.pid;
  const members = async (): Promise<ProcessInfo[]> =>
    (await processTreeOf(target)).filter((info) => info.pgid === pgid);
  const first = await members();
  // Most are about to exit as well.
  if (first.length === 0 || (await waitForAll(first, graceMs))) return [];
  const remaining = await members();
  signalGroup(target, remaining, 'SIGTERM');
  await waitForAll(remaining, graceMs);
  const survivors = await members();
  if (survivors.length > 0) {
    signalGroup(target, survivors, 'SIGKILL');
    await waitForAll(survivors, graceMs);
  }
  return remaining;
}

function signalGroup(target: TreeTarget, tree: readonly ProcessInfo[], signal: NodeJS.Signals): void {
  const pgid = target.root?.pid;
  if (pgid !== undefined && tree.some((info) => info.pgid === pgid)) send(-pgid, signal);
}

function signalProcesses(tree: readonly ProcessInfo[], signal: NodeJS.Signals): void {
  for (const { pid } of tree) send(pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended in the meantime.
  }
}

/** Waits for the whole tree. After the root has exited, its children get little more time. */
async function waitForEnd(target: TreeTarget, tree: readonly ProcessInfo[], graceMs: number): Promise<void> {
  const { root } = target;
  const rest = tree.filter((info) => info.pid !== root?.pid);
  if (root !== null && !(await waitForAll([root], graceMs))) return;
  await waitForAll(rest, Math.min(graceMs, 300));
}

async function waitForAll(processes: readonly ProcessIdentity[], timeoutMs: number): Promise<boolean> {
  let remaining = [...processes];
  for (let waitedMs = 0, step = 10; ; waitedMs += step, step = Math.min(step * 2, 100)) {
    const aliveFlags = await Promise.all(remaining.map(isAlive));
    remaining = remaining.filter((_, index) => aliveFlags[index]);
    if (remaining.length === 0) return true;
    if (waitedMs >= timeoutMs) return false;
    await delay(step);
  }
}

/** Works without a process list: `taskkill` finds descendants itself. */
async function stopWindowsTree(target: TreeTarget): Promise<ProcessInfo[]> {
  const tree = await processTreeOf(target).catch(() => []);
  const pids = new Set(tree.map(({ pid }) => pid));
  if (target.root !== null && target.hasExited?.() === false) pids.add(target.root.pid);
  await Promise.all([...pids].map(taskkill));
  return tree.length === 0 ? [] : processTreeOf(target, tree).catch(() => []);
}

/** Ends at least the process itself if `taskkill` is blocked or, as in Wine, knows no trees. */
async function taskkill(pid: number): Promise<void> {
  const program = windowsProgram('taskkill');
  const args = ['/pid', `${pid}`, '/T', '/F'];
  await promisify(execFile)(program, args, { windowsHide: true }).catch(() => send(pid, 'SIGKILL'));
}
