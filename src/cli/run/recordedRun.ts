import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { AgentAdapter } from '../../agents/adapter.ts';
import { adapters } from '../../agents/registry.ts';
import { type SplitLine, LineSplitter } from '../../engine/output/lineSplitter.ts';
import type { ExitInfo, RunFacts } from '../../model/usage/facts.ts';
import type { OutputLine } from '../../model/transcript/normalizer.ts';
import { agentOption, exitOption } from '../options/args.ts';
import { UsageError, type CliContext } from '../command.ts';
import { SpooledTranscript } from '../print/spooledTranscript.ts';

/** Options of commands that read an agent's output. */
export const recordedRunOptions = {
  agent: { type: 'string' },
  stdout: { type: 'string' },
  stderr: { type: 'string' },
  usage: { type: 'string' },
  exit: { type: 'string' },
  workdir: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const recordedRunHelp = `  --agent TYPE       agent that produced the output: ${adapters.map(({ type }) => type).join(', ')}
  --stdout FILE      standard output of the agent; - reads it from stdin
  --stderr FILE      standard error of the agent; - reads it from stdin
  --usage FILE       usage file, for agents that write one (copilot)
  --exit N           exit code or signal name of the run; unknown if omitted
  --workdir DIR      working folder of the run; default: the current one

Without --stdout and --stderr, reads the standard output from stdin. A line without a time gets the time at which it is read.
`;

export interface RecordedRunValues {
  readonly agent?: string | undefined;
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  readonly usage?: string | undefined;
  readonly exit?: string | undefined;
  readonly workdir?: string | undefined;
}

export interface RecordedRun {
  /** The caller closes it. */
  readonly transcript: SpooledTranscript;
  readonly facts: RunFacts;
  readonly exit: ExitInfo;
}

type Stream = 'stdout' | 'stderr';

/**
 * Runs recorded output through its agent's normalizer, stdout first. `tap` gets the bytes as they are read.
 * @throws UsageError
 */
export async function readRecordedRun(
  values: RecordedRunValues,
  { stdin, cwd, now }: CliContext,
  tap: (stream: Stream, chunk: Buffer) => void,
): Promise<RecordedRun> {
  const adapter = agentOption(values.agent);
  const exit = exitOption(values.exit);
  const sources: Partial<Record<Stream, string>> = {};
  if (values.stdout !== undefined || values.stderr === undefined) sources.stdout = values.stdout ?? '-';
  if (values.stderr !== undefined) sources.stderr = values.stderr;
  if (sources.stdout === '-' && sources.stderr === '-') {
    throw new UsageError('--stdout and --stderr both read from standard input.', 'Specify a file for one of them.');
  }
  const workDir = path.resolve(cwd, values.workdir ?? '.');
  const normalizer = adapter.createNormalizer({ workDir, firstIndex: 0 });
  const transcript = new SpooledTranscript();
  for (const stream of ['stdout', 'stderr'] as const) {
    const source = sources[stream];
    if (source === undefined) continue;
    const lines = new LineSplitter();
    const push = (added: readonly SplitLine[]): void => {
      for (const line of added) transcript.apply(normalizer.push(outputLine(stream, line), now()));
    };
    try {
      for await (const chunk of chunks(source === '-' ? stdin : createReadStream(path.resolve(cwd, source)))) {
        tap(stream, chunk);
        push(lines.push(chunk));
      }
    } catch (error) {
      throw new UsageError(`${source} cannot be read (--${stream}): ${reason(error)}.`, 'Check the path.');
    }
    push(lines.end());
  }
  if (values.usage !== undefined) {
    const text = await usageText(adapter, path.resolve(cwd, values.usage));
    transcript.apply(normalizer.push({ stream: 'usage', text }, now()));
  }
  transcript.apply(normalizer.end(exit, now()));
  return { transcript, facts: normalizer.facts(), exit };
}

async function usageText({ label, usageFile }: AgentAdapter, file: string): Promise<string> {
  if (usageFile !== true) throw new UsageError(`${label} does not write a usage file (--usage).`, 'Remove it.');
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (--usage): ${reason(error)}.`, 'Check the path.');
  }
}

async function* chunks(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    if (Buffer.isBuffer(chunk)) yield chunk;
    else if (typeof chunk === 'string') yield Buffer.from(chunk);
  }
}

function outputLine(stream: Stream, line: SplitLine): OutputLine {
  return 'text' in line ? { stream, text: line.text } : { stream, oversize: line.oversize };
}

export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code: unknown = 'code' in error ? error.code : undefined;
  const known = typeof code === 'string' ? reasons[code] : undefined;
  return known ?? error.message;
}

const reasons: Readonly<Partial<Record<string, string>>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};
