import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** One row of the table. `goal`: maximum of `value`. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: '×' | 'ms' | 'kB' | 'MB' | '%' | 'elements';
  readonly goal: number;
  /** The figures behind `value`, for display. */
  readonly detail: string;
}

/** Throughput as text. */
export function rate(pieces: readonly Buffer[], ms: number): string {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  return `${(bytes / ms / 1000).toFixed(0)} MB/s`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Value that this percentage of the values does not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}

/** Processor time in ms of all threads. */
export async function usedBy(work: () => unknown): Promise<number> {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options: { type: 'minor' }) => void;

/**
 * Milliseconds of processor time of all threads. Wall-clock time would depend on other processes: on a busy machine,
 * the collector's helper threads wait for a core, which slows down code with much garbage.
 */
async function time(task: () => unknown): Promise<number> {
  // A full collection would also discard what the compiler learned about dead objects.
  collectGarbage({ type: 'minor' });
  return usedBy(task);
}

const warmUp = 6;

/** Median processor times of two tasks in ms, and their ratio. */
export interface Comparison {
  readonly ratio: number;
  readonly subject: number;
  readonly baseline: number;
}

/**
 * Alternates both tasks, so that disturbances affect both, and returns the median ratio per turn. The first turns are a
 * warm-up for the compiler.
 */
export async function compare(subject: () => unknown, baseline: () => unknown, turns: number): Promise<Comparison> {
  const times: { subject: number; baseline: number }[] = [];
  for (let turn = 0; turn < warmUp + turns; turn += 1) {
    // The order alternates, because the second task finds warmer caches.
    const first = turn % 2 === 0 ? await time(subject) : 0;
    const baselineTime = await time(baseline);
    const subjectTime = turn % 2 === 0 ? first : await time(subject);
    if (turn >= warmUp) times.push({ subject: subjectTime, baseline: baselineTime });
  }
  return {
    ratio: median(times.map((pair) => pair.subject / pair.baseline)),
    subject: median(times.map((pair) => pair.subject)),
    baseline: median(times.map((pair) => pair.baseline)),
  };
}
