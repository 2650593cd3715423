import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentAdapter } from '../../../src/agents/adapter.ts';
import type { EntryUpdate, NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { ExitInfo, RunFacts } from '../../../src/model/usage/facts.ts';
import type { NormalizerContext, OutputLine } from '../../../src/model/transcript/normalizer.ts';
import { Transcript } from '../../../src/model/transcript/transcript.ts';
import { repository } from '../host/install/cache.mjs';

/** Output of a real program with a scripted model, or in the documented format. */
export interface AgentCapture {
  /** `<version>/<case>`. */
  readonly name: string;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** Content of the agent's file with token counts, if it writes one. */
  readonly usage?: string;
  readonly exit: ExitInfo;
}

function linesOf(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** Parses `0`, `143 (…)` or `signal SIGKILL`. */
function exitOf(content: string): ExitInfo {
  const code = /^\d+/.exec(content)?.[0];
  const signal = /^signal (\S+)/.exec(content)?.[1];
  return { code: code === undefined ? null : Number(code), signal: signal ?? null };
}

/** All captures of an executor, from `test/fixtures/<type>`. */
export function capturesOf(type: string): AgentCapture[] {
  return capturesIn(path.join('test/fixtures', type));
}

/** All captures in a folder: `<version>/<case>.stdout.jsonl` and the files next to it. */
export function capturesIn(place: string): AgentCapture[] {
  const folder = path.join(repository, place);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.stdout\.(?:jsonl?|txt)$/.test(file))
    .sort()
    .map((file) => {
      const name = file.replace(/\.stdout\..*$/, '').replaceAll(path.sep, '/');
      const base = path.join(folder, name);
      return {
        name,
        stdout: linesOf(path.join(folder, file)),
        stderr: linesOf(`${base}.stderr.txt`),
        ...(existsSync(`${base}.usage.json`) && { usage: readFileSync(`${base}.usage.json`, 'utf8') }),
        exit: exitOf(readFileSync(`${base}.exit`, 'utf8').trim()),
      };
    });
}

export interface Read {
  readonly entries: readonly NormalizedEntry[];
  readonly open: readonly number[];
  readonly updates: readonly EntryUpdate[];
  readonly facts: RunFacts;
}

/** Arrival of the first line; the others follow every 10 ms. */
const start = Date.UTC(2026, 10, 20, 10);

export function readBy(
  adapter: AgentAdapter,
  lines: readonly OutputLine[],
  exit: ExitInfo = { code: 0, signal: null },
  context: Partial<NormalizerContext> = {},
): Read {
  const normalizer = adapter.createNormalizer({ workDir: '/workspace', firstIndex: 0, ...context });
  const transcript = new Transcript();
  const updates: EntryUpdate[] = [];
  const apply = (batch: readonly EntryUpdate[]): void => {
    updates.push(...batch);
    transcript.apply(batch);
  };
  for (const [at, line] of lines.entries()) apply(normalizer.push(line, start + 10 * at));
  apply(normalizer.end(exit, start + 10 * lines.length));
  return { entries: transcript.settledEntries(), open: transcript.open(), updates, facts: normalizer.facts() };
}

export function linesOfCapture({
  stdout,
  stderr,
  usage,
}: Pick<AgentCapture, 'stdout' | 'stderr' | 'usage'>): OutputLine[] {
  return [
    ...stdout.map((text) => ({ stream: 'stdout', text }) as const),
    ...stderr.map((text) => ({ stream: 'stderr', text }) as const),
    ...(usage === undefined ? [] : [{ stream: 'usage', text: usage } as const]),
  ];
}
