import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** One line of the table. `goal` is the most that `value` may be. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: '×' | 'ms' | 'kB' | 'MB' | '%' | 'elements';
  readonly goal: number;
  /** The figures behind `value`, for people. */
  readonly detail: string;
}

/** Of so many bytes in so many milliseconds. */
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

/** The value that so many percent of them do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options: { type: 'minor' }) => void;

/**
 * Milliseconds of processor time, all threads of this process. Time by the wall measures the neighbours too: on a busy
 * machine the collector's helper threads wait for a core, and that falls on whoever makes garbage.
 */
async function time(task: () => unknown): Promise<number> {
  // A full collection would also throw away what the compiler learned about objects that are gone.
  collectGarbage({ type: 'minor' });
  const started = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

const warmUp = 6;

/** Milliseconds of processor time (medians) of two tasks, and how many times as long the first takes. */
export interface Comparison {
  readonly ratio: number;
  readonly subject: number;
  readonly baseline: number;
}

/**
 * Runs both tasks by turns, so that what the machine does meanwhile falls on both alike, and gives the median of the ratios of
 * each turn. The first turns warm up and do not count: code that runs for the first time is compiled meanwhile.
 */
export async function compare(subject: () => unknown, baseline: () => unknown, turns: number): Promise<Comparison> {
  const times: { subject: number; baseline: number }[] = [];
  for (let turn = 0; turn < warmUp + turns; turn += 1) {
    // Who goes first alternates: the second finds warmer caches.
    const first = turn % 2 === 0 ? await time(subject) : 0;
    const baselineTime = await time(baseline);
    const subjectTime = turn % 2 === 0 ? first : await time(subject);
    if (turn >= warmUp) times.push({ subject: subjectTime, baseline: baselineTime });
  }
  return {
    ratio: median(times.map((each) => each.subject / each.baseline)),
    subject: median(times.map((each) => each.subject)),
    baseline: median(times.map((each) => each.baseline)),
  };
}
