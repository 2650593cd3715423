import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { ExitInfo } from '../../model/usage/facts.ts';
import type { AgentProcess } from '../process/agentProcess.ts';
import { failures } from '../failures/failures.ts';
import { LineSplitter } from '../output/lineSplitter.ts';
import type { OutputChunk } from '../output/outputChunks.ts';

const headerSchema = z.object({
  format: z.literal('vitrine-recording'),
  version: z.literal(1),
  /** Executor type of the recorded agent, whose normalizer reads the lines. */
  agent: z.string(),
  agentVersion: z.string().nullable().default(null),
  title: z.string(),
  recordedAt: z.string(),
});

const lineSchema = z.union([
  z.object({ turn: z.number().int().nonnegative(), prompt: z.string() }),
  /** `at`: milliseconds since the start of the turn. */
  z.object({ at: z.number().nonnegative(), stream: z.enum(['stdout', 'stderr']), line: z.string() }),
  z.object({ at: z.number().nonnegative(), exit: z.number().int() }),
]);

interface RecordedLine {
  readonly at: number;
  readonly stream: 'stdout' | 'stderr';
  readonly line: string;
}

interface RecordedTurn {
  readonly prompt: string;
  readonly lines: RecordedLine[];
  end: { readonly at: number; readonly exit: number };
}

export interface Recording extends z.infer<typeof headerSchema> {
  readonly turns: readonly RecordedTurn[];
}

/** First recording in the folder, by name. @throws EngineFailure */
export async function loadRecording(folder: string): Promise<Recording> {
  const names = await readdir(folder).catch(() => []);
  const name = names.filter((fileName) => fileName.endsWith('.ndjson')).sort()[0];
  if (name === undefined) throw failures.recordingMissing(folder, 'There is no recording in its folder.');
  const file = path.join(folder, name);
  try {
    return parseRecording(await readFile(file));
  } catch (error) {
    throw failures.recordingMissing(file, error instanceof Error ? error.message : String(error));
  }
}

function parseRecording(bytes: Uint8Array): Recording {
  const splitter = new LineSplitter();
  const lines = [...splitter.push(bytes), ...splitter.end()].map((line) => ('text' in line ? line.text : ''));
  const [first = '', ...rest] = lines;
  const header = headerSchema.parse(JSON.parse(first));
  const turns: RecordedTurn[] = [];
  for (const text of rest) {
    if (text === '') continue;
    const line = lineSchema.parse(JSON.parse(text));
    const turn = turns.at(-1);
    if ('turn' in line) turns.push({ prompt: line.prompt, lines: [], end: { at: 0, exit: 0 } });
    else if (turn === undefined) throw new Error('The recording does not start with a turn.');
    else if ('exit' in line) turn.end = line;
    else turn.lines.push(line);
  }
  return { ...header, turns };
}

/** Plays one turn as if its agent were running. Changes nothing. */
export function playTurn(turn: RecordedTurn, speed: number, clock: () => number): AgentProcess {
  return createPlayback(speed, clock, async function* (reached) {
    for (const { at, stream, line } of turn.lines) {
      if (!(await reached(at))) return null;
      yield { type: stream, data: Buffer.from(`${line}\n`), timestamp: new Date(clock()) };
    }
    return (await reached(turn.end.at)) ? { code: turn.end.exit, signal: null } : null;
  });
}

/**
 * Plays output like a process. `reached` waits for a time in milliseconds from the start, scaled by `speed` (2 is twice
 * as fast, 0 does not wait). It returns false if playback was stopped. `null` ends the output.
 */
export function createPlayback(
  speed: number,
  clock: () => number,
  play: (reached: (at: number) => Promise<boolean>) => AsyncGenerator<OutputChunk, ExitInfo | null>,
): AgentProcess {
  const stopped = new AbortController();
  const { signal } = stopped;
  let resolveExit: (exit: ExitInfo) => void;
  const exit = new Promise<ExitInfo>((resolve) => {
    resolveExit = resolve;
  });
  const startedAt = clock();
  /** Compares with the clock, so that delays of listeners do not add up. */
  const reached = async (at: number): Promise<boolean> => {
    const wait = speed > 0 ? at / speed - (clock() - startedAt) : 0;
    if (wait > 0) await delay(wait, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  };
  async function* playOutput(): AsyncGenerator<OutputChunk> {
    let ended: ExitInfo | null = null;
    try {
      ended = yield* play(reached);
    } finally {
      resolveExit(ended ?? { code: null, signal: 'SIGINT' });
    }
  }
  return {
    pid: undefined,
    output: playOutput(),
    exit,
    leftovers: () => Promise.resolve(0),
    stop: async () => {
      stopped.abort();
      await exit;
      return [];
    },
  };
}
