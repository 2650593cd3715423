import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AgentAdapter } from '../../agents/adapter.ts';
import { recognizeAgents } from '../../agents/registry.ts';
import type { ExitInfo } from '../../model/usage/facts.ts';
import type { AgentLauncher } from '../launch/agentLauncher.ts';
import { failures } from '../failures/failures.ts';
import { LineSplitter } from '../output/lineSplitter.ts';
import type { OutputChunk } from '../output/outputChunks.ts';
import { readOutputProfile } from './outputProfile.ts';
import { createPlayback } from './demoRecording.ts';

/** Delay between lines at speed 1, in ms; the file has no times. */
const paceMs = 40;
/** Bytes to read to identify the agent. */
const headBytes = 256 * 1024;
const headLines = 200;
const lineFeed = 10;

/** Agents that may have printed the file, best match first; none or several if unclear. @throws EngineFailure */
export async function recognizeOutput(file: string, adapters: readonly AgentAdapter[]): Promise<AgentAdapter[]> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      const splitter = new LineSplitter();
      const whole = splitter.push(buffer.subarray(0, bytesRead));
      const lines = bytesRead < headBytes ? [...whole, ...splitter.end()] : whole;
      const texts = lines.flatMap((line) => ('text' in line ? [line.text] : []));
      return [...recognizeAgents(texts.slice(0, headLines), adapters)];
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw failures.outputUnreadable(file, error instanceof Error ? error.message : String(error));
  }
}

/** Plays the output of an agent from a file. Changes nothing. @throws EngineFailure */
export function outputFileLauncher(
  profile: string,
  deps: { readonly adapters: readonly AgentAdapter[]; readonly clock: () => number; readonly speed: number },
): AgentLauncher {
  const { agent: type, file, exit } = readOutputProfile(profile);
  const adapter = deps.adapters.find((agentAdapter) => agentAdapter.type === type);
  if (adapter === undefined) throw failures.agentUnknown(type);
  return {
    label: `${adapter.label} (recording)`,
    recording: true,
    resumesById: false,
    // The file contains messages that were sent to the agent then; nothing is sent now.
    createNormalizer: ({ workDir, firstIndex }) => adapter.createNormalizer({ workDir, firstIndex }),
    prepare: async () => {
      const found = await stat(file).catch((error: unknown) => String(error));
      if (typeof found === 'string') throw failures.outputUnreadable(file, found);
      if (!found.isFile()) throw failures.outputUnreadable(file, 'It is not a file.');
      const name = path.basename(file);
      return {
        promptOrigin: 'replay',
        canLaunch: ({ earlierRuns }) => earlierRuns === 0,
        notes: ({ earlierRuns }) => {
          const endedText = 'The recording has ended. No agent ran.';
          const what = `Output of ${adapter.label} from the file ${name}, line by line, without the original timing. It runs no commands and changes no files.`;
          return [{ subtype: 'recording', content: earlierRuns === 0 ? what : endedText }];
        },
        launch: () =>
          Promise.resolve({
            process: createPlayback(deps.speed, deps.clock, (reached) => playOutput(file, reached, deps, exit)),
            sessionId: null,
            program: 'recording',
            version: null,
          }),
      };
    },
  };
}

/** Plays line by line. The exit status is not in the file, but may be given. */
async function* playOutput(
  file: string,
  reached: (at: number) => Promise<boolean>,
  { clock, speed }: { readonly clock: () => number; readonly speed: number },
  exit: ExitInfo,
): AsyncGenerator<OutputChunk, ExitInfo | null> {
  let at = 0;
  const chunk = (data: Buffer): OutputChunk => ({ type: 'stdout', data, timestamp: new Date(clock()) });
  const bytes: AsyncIterable<Buffer> = createReadStream(file);
  for await (const data of bytes) {
    if (speed === 0) {
      if (!(await reached(0))) return null;
      yield chunk(data);
      continue;
    }
    for (let from = 0; from < data.length;) {
      const end = data.indexOf(lineFeed, from);
      const to = end === -1 ? data.length : end + 1;
      if (!(await reached(at))) return null;
      yield chunk(data.subarray(from, to));
      from = to;
      at += paceMs;
    }
  }
  return exit;
}
