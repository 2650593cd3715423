import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ClaudeCodeNormalizer } from '../../src/agents/claude-code/normalize.ts';
import type { EntryUpdate, NormalizedEntry } from '../../src/model/entry.ts';
import type { ExitInfo, RunFacts } from '../../src/model/facts.ts';
import type { OutputLine } from '../../src/model/normalizer.ts';
import { Transcript } from '../../src/model/transcript.ts';
import { repository } from './host/cache.mjs';

/** Output of a real program, recorded against a scripted model server. */
export interface Capture {
  /** `<version>/<case>`. */
  readonly name: string;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly exit: ExitInfo;
}

const folder = path.join(repository, 'test/fixtures/claude-code');

function linesOf(file: string): string[] {
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

/** `0`, `143 (…)` or `signal SIGKILL`. */
function exitOf(shown: string): ExitInfo {
  const code = /^\d+/.exec(shown)?.[0];
  const signal = /^signal (\S+)/.exec(shown)?.[1];
  return { code: code === undefined ? null : Number(code), signal: signal ?? null };
}

export function claudeCaptures(): Capture[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.stdout\.(?:jsonl?|txt)$/.test(file))
    .sort()
    .map((file) => {
      const name = file.replace(/\.stdout\..*$/, '');
      const base = path.join(folder, name);
      return {
        name,
        stdout: linesOf(path.join(folder, file)),
        stderr: linesOf(`${base}.stderr.txt`),
        exit: exitOf(readFileSync(`${base}.exit`, 'utf8').trim()),
      };
    });
}

export interface Normalized {
  readonly entries: readonly NormalizedEntry[];
  readonly open: readonly number[];
  readonly updates: readonly EntryUpdate[];
  readonly facts: RunFacts;
}

/** When the first line arrives; the others follow at 10 ms each. */
const start = Date.UTC(2026, 10, 20, 10);

export function normalized(
  lines: readonly OutputLine[],
  exit: ExitInfo = { code: 0, signal: null },
  context: { readonly firstIndex?: number; readonly prompt?: string } = {},
): Normalized {
  const normalizer = new ClaudeCodeNormalizer({ workDir: '/workspace', firstIndex: 0, ...context });
  const transcript = new Transcript();
  const updates: EntryUpdate[] = [];
  const apply = (more: readonly EntryUpdate[]): void => {
    updates.push(...more);
    transcript.apply(more);
  };
  for (const [at, line] of lines.entries()) apply(normalizer.push(line, start + 10 * at));
  apply(normalizer.end(exit, start + 10 * lines.length));
  return { entries: transcript.settled(), open: transcript.open(), updates, facts: normalizer.facts() };
}

export function outputLines({ stdout, stderr }: Pick<Capture, 'stdout' | 'stderr'>): OutputLine[] {
  return [
    ...stdout.map((text) => ({ stream: 'stdout', text }) as const),
    ...stderr.map((text) => ({ stream: 'stderr', text }) as const),
  ];
}

/** Each value as a line of stdout; a text stands as it is. */
export function stdoutLines(...values: readonly unknown[]): OutputLine[] {
  return values.map((value) => ({
    stream: 'stdout',
    text: typeof value === 'string' ? value : JSON.stringify(value),
  }));
}
