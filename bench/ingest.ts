import { ClaudeCodeNormalizer } from '../src/agents/claude-code/normalize.ts';
import { RunOutput } from '../src/engine/runOutput.ts';
import { chunks, claudeOutput } from './claudeOutput.ts';
import { compare, type Row } from './harness.ts';

/** What the engine does with an agent's output: bytes, lines, entry updates. The number of updates, so that all is used. */
function ingest(pieces: readonly Buffer[]): number {
  const output = new RunOutput(new ClaudeCodeNormalizer({ workDir: '/workspace/teahouse', firstIndex: 0 }));
  let updates = 0;
  for (const piece of pieces) updates += output.push('stdout', piece, 0).length;
  return updates + output.end({ code: 0, signal: null }, 0).length;
}

/** The fastest correct way to the parsed lines: buffers cut at byte 10, each line decoded once. No caps, no checks. */
function parseOnly(pieces: readonly Buffer[]): number {
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

/** The whole pipeline against its unavoidable part. */
export async function ingestion(megabytes = 24, turns = 15): Promise<Row> {
  const pieces = chunks(claudeOutput(megabytes));
  const { ratio, subject, baseline } = await compare(
    () => ingest(pieces),
    () => parseOnly(pieces),
    turns,
  );
  const rate = (ms: number): string => `${((megabytes / ms) * 1000).toFixed(0)} MB/s`;
  const detail = `${rate(subject)}, bare split and JSON.parse ${rate(baseline)}`;
  return { name: 'ingest: bytes to entries', value: ratio, unit: '×', goal: 1.6, detail };
}

/** One line of 100 MB costs no more than as many bytes in lines of 1 KB: it is never held, nor parsed. */
export async function hugeLine(megabytes = 100, turns = 3): Promise<Row> {
  const text = 'x'.repeat(900);
  const small = Buffer.from(
    `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })}\n`,
  );
  const many = chunks(Buffer.alloc(megabytes * 1e6, small));
  const one = chunks(Buffer.from(`{"type":"assistant","x":"${'x'.repeat(megabytes * 1e6)}"}\n`));
  const { ratio, subject, baseline } = await compare(
    () => ingest(one),
    () => ingest(many),
    turns,
  );
  const detail = `${subject.toFixed(0)} ms for one line of ${megabytes} MB, ${baseline.toFixed(0)} ms for lines of 1 KB`;
  return { name: 'one huge line against small ones', value: ratio, unit: '×', goal: 1, detail };
}
