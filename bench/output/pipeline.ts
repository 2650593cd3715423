import type { AgentAdapter } from '../../src/agents/adapter.ts';
import { RunOutput } from '../../src/engine/output/runOutput.ts';

export const workDir = '/workspace/teahouse';

/** The engine's steps: bytes, lines, entry updates. Returns the number of updates, so that none is optimized away. */
export function ingest(adapter: AgentAdapter, pieces: readonly Buffer[]): number {
  const output = new RunOutput(adapter.createNormalizer({ workDir, firstIndex: 0 }));
  let updates = 0;
  for (const piece of pieces) updates += output.push('stdout', piece, 0).length;
  return updates + output.end({ code: 0, signal: null }, 0).length;
}

/** The fastest correct way to parsed lines: buffers split at byte 10, each line decoded once, no limits or checks. */
export function parseOnly(pieces: readonly Buffer[]): number {
  let rest: Buffer | undefined;
  let count = 0;
  for (const piece of pieces) {
    const data: Buffer = rest === undefined ? piece : Buffer.concat([rest, piece]);
    let from = 0;
    for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, from)) {
      count += typeof JSON.parse(data.toString('utf8', from, at)) === 'object' ? 1 : 0;
      from = at + 1;
    }
    rest = from < data.length ? data.subarray(from) : undefined;
  }
  return count;
}
