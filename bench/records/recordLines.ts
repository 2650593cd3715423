import { Chain } from '../../src/engine/record/chain/hashChain.ts';
import { serializeRecordLine } from '../../src/formats/record.ts';
import { wholeSession } from '../../test/support/sessions/records.ts';
import { compare, type Row } from '../harness.ts';

const perWrite = 10;

/** Writing record lines, ten at a time, with and without hash chain. */
export async function recordLines(lines = 20_000, turns = 9): Promise<Row> {
  const session = wholeSession(lines);
  const written = (make: (texts: readonly string[]) => Buffer): number => {
    let bytes = 0;
    for (let at = 0; at < session.length; at += perWrite) {
      bytes += make(session.slice(at, at + perWrite).map(serializeRecordLine)).length;
    }
    return bytes;
  };
  const { ratio, subject, baseline } = await compare(
    () => {
      const chain = new Chain(null);
      return written((texts) => chain.seal(texts));
    },
    () => written((texts) => Buffer.from(texts.map((text) => `${text}\n`).join(''))),
    turns,
  );
  const perLine = (((subject - baseline) * 1000) / session.length).toFixed(1);
  const detail = `${subject.toFixed(0)} ms for ${session.length} lines, ${baseline.toFixed(0)} ms without: ${perLine} µs a line`;
  return { name: 'record: lines with the chain, against without', value: ratio, unit: '×', goal: 2.5, detail };
}
