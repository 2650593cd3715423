import type { RecordCopy } from '../../../engine/run/remoteRecords.ts';
import { parseRecordLine, type RecordLine } from '../../../formats/record.ts';
import type { Run } from '../../../model/session/session.ts';
import { isRunOver, isSessionLive } from '../../../model/session/status.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import { recordLines } from '../recordLines.ts';

/** Beginnings of the lines that say how far a record is. */
const [runLine, summaryLine] = ['{"kind":"run"', '{"kind":"summary"'];

/** The copy of a record in `file`, and whether it has the end of the run. @throws file system errors */
export async function readChildCopy(
  file: string,
  { run_id: id }: Pick<Run, 'run_id'>,
  listed: SessionSummary,
): Promise<{ readonly copy: RecordCopy; readonly isComplete: boolean }> {
  let [isOver, isComplete] = [false, false];
  let summary = listed;
  for await (const { text } of recordLines(file, 0)) {
    if (!text.startsWith(runLine) && !text.startsWith(summaryLine)) continue;
    const { value } = parseRecordLine(text);
    if (value?.kind === 'run' && value.run.run_id === id) isOver = isRunOver(value.run.status);
    if (value?.kind !== 'summary') continue;
    summary = value.summary;
    isComplete = isOver && !isSessionLive(summary.status);
  }
  return { copy: { lines: linesOf(file), summary }, isComplete };
}

/** Lines that another version wrote are left out. */
async function* linesOf(file: string): AsyncGenerator<RecordLine> {
  for await (const { text } of recordLines(file, 0)) {
    const { value } = parseRecordLine(text);
    if (value !== null) yield value;
  }
}
