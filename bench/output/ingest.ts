import { claudeCode } from '../../src/agents/claude-code/adapter.ts';
import { chunks, claudeOutput } from './claudeOutput.ts';
import { compare, rate, type Row } from '../harness.ts';
import { ingest, parseOnly } from './pipeline.ts';

/** The whole pipeline compared with its unavoidable part. */
export async function ingestion(megabytes = 24, turns = 15): Promise<Row> {
  const pieces = chunks(claudeOutput(megabytes));
  const { ratio, subject, baseline } = await compare(
    () => ingest(claudeCode, pieces),
    () => parseOnly(pieces),
    turns,
  );
  const detail = `${rate(pieces, subject)}, bare split and JSON.parse ${rate(pieces, baseline)}`;
  return { name: 'ingest: bytes to entries', value: ratio, unit: '×', goal: 1.6, detail };
}

/** One line of 100 MB costs no more than the same bytes in lines of 1 KB: it is neither buffered nor parsed. */
export async function hugeLine(megabytes = 100, turns = 3): Promise<Row> {
  const text = 'x'.repeat(900);
  const small = Buffer.from(
    `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })}\n`,
  );
  const many = chunks(Buffer.alloc(megabytes * 1e6, small));
  const one = chunks(Buffer.from(`{"type":"assistant","x":"${'x'.repeat(megabytes * 1e6)}"}\n`));
  const { ratio, subject, baseline } = await compare(
    () => ingest(claudeCode, one),
    () => ingest(claudeCode, many),
    turns,
  );
  const detail = `${subject.toFixed(0)} ms for one line of ${megabytes} MB, ${baseline.toFixed(0)} ms for lines of 1 KB`;
  return { name: 'one huge line against small ones', value: ratio, unit: '×', goal: 1, detail };
}
