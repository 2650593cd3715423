import { readFileSync, readdirSync, existsSync } from 'node:fs';
import path from 'node:path';
import { storeFormats } from '../../../src/agents/stores/formats.ts';
import type { ProcessProbe } from '../../../src/engine/sources/live/processes.ts';
import type { FactsCache } from '../../../src/engine/sources/reading/factsCache.ts';
import { SessionSources } from '../../../src/engine/sources/sources.ts';

const root = path.resolve('test/fixtures/stores');

/** Totals that the model server sent. */
interface Sums {
  readonly input?: number;
  readonly inputInclCached?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly output?: number;
  readonly outputInclReasoning?: number;
}

interface ExpectedSession {
  readonly id?: string;
  readonly parent?: string;
  readonly title?: string;
  readonly userTurns: number;
  readonly toolCalls?: number;
  readonly subagentToolCalls?: number;
}

interface Truth {
  readonly truth: { readonly turns: Sums; readonly onDisk?: Sums | null };
  readonly expected: { readonly sessions: readonly ExpectedSession[] };
  readonly snapshots: readonly { readonly label: string; readonly at: string }[];
}

/** Names of one agent's captured stores: `<agent>-<version>/<case>`. */
export function capturesOf(agent: string): string[] {
  return readdirSync(root)
    .filter((name) => name.startsWith(`${agent}-`))
    .flatMap((version) => readdirSync(path.join(root, version)).map((name) => `${version}/${name}`));
}

export function captureFile(name: string, ...parts: readonly string[]): string {
  return path.join(root, name, ...parts);
}

export function truthOf(name: string): Truth {
  return JSON.parse(readFileSync(captureFile(name, 'truth.json'), 'utf8')) as Truth;
}

/** Output of the program, run by run. */
export function printedOutput(name: string): string[] {
  return [1, 2, 3, 4].flatMap((run) => {
    const file = captureFile(name, `${run}.stdout.jsonl`);
    return existsSync(file) ? [readFileSync(file, 'utf8')] : [];
  });
}

/** No living processes and no locks. */
export const noProcesses: ProcessProbe = {
  isAlive: () => Promise.resolve(false),
  lockHolder: () => Promise.resolve(null),
};

/** Sources below a home folder, at a time long after the captures. */
export function sourcesOf(
  home: string,
  processes = noProcesses,
  now = Date.parse('2027-01-01T00:00:00Z'),
  cache?: FactsCache,
): SessionSources {
  const place = { env: {}, home, platform: 'linux' };
  return new SessionSources({ formats: storeFormats, place, processes, clock: () => now, cache });
}
