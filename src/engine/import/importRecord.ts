import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { parseRecordLine, recordVersion, type RecordLine } from '../../formats/record.ts';
import type { Imported, Session } from '../../model/session/session.ts';
import { failures } from '../failures/failures.ts';
import type { RecordWriter } from '../record/contract.ts';
import { rawFile } from '../record/layout.ts';
import { rawBytes } from '../record/pack/packFile.ts';
import { readLine } from '../record/read/readLine.ts';
import { linesOf, windows } from '../record/read/windows.ts';
import type { Draft, NewSession, ImportedDraft } from './draft.ts';

const rawStreams = ['stdout', 'stderr', 'client'] as const;

/** Whether the file starts like a record. */
export function looksLikeRecord(head: Buffer): boolean {
  const [first] = linesOf(head);
  return first !== undefined && parseRecordLine(head.toString('utf8', first.start, first.end)).value?.kind === 'header';
}

/** Whether the file may be a damaged record: its first lines contain a record line. */
export function hasRecordLine(head: Buffer, maxLines: number): boolean {
  let lines = 0;
  for (const { start, end } of linesOf(head)) {
    if (lines === maxLines) return false;
    lines += 1;
    if (readLine(head.subarray(start, end), start).found.some(({ line }) => line !== null)) return true;
  }
  return false;
}

/**
 * Imports a record line by line, with its own id if it is free. Lines keep their content, the session is marked as
 * imported, and run output beside the record is imported too.
 */
export async function importRecord({ begin, file, source, at, imported }: Draft): Promise<ImportedDraft> {
  let original: string | null = null;
  let problems = 0;
  let writer: RecordWriter | null = null;
  let session: Session | null = null;
  const runs = new Set<string>();
  for await (const { line, damaged } of linesIn(source)) {
    problems += damaged;
    if (line === null) continue;
    if (line.kind === 'header') {
      if (line.version > recordVersion) throw failures.importNewer(file, line.version);
      original ??= line.session_id;
      continue;
    }
    if (line.kind === 'session') session = line.session;
    if (writer === null) {
      writer = await begin(session ?? unknownSession(at), original ?? session?.session_id);
    }
    if (line.kind === 'run') runs.add(line.run.run_id);
    await writer.append(importedLine(line, writer.id, imported));
  }
  writer ??= await begin(unknownSession(at), original ?? undefined);
  for (const run of runs) await copyRawLog(path.dirname(file), run, writer);
  return { problems, original };
}

/** Placeholder session if the session line is lost. */
function unknownSession(at: string): NewSession {
  return { created_at: at, execution_mode: 'sync', executor_session_ids: [] };
}

/** Rewrites a line for session `id`. Imports have no active run. */
function importedLine(line: RecordLine, id: string, imported: Imported): RecordLine {
  switch (line.kind) {
    case 'session':
      return { ...line, session: asEnded({ ...line.session, session_id: id, imported }) };
    case 'run':
      return { ...line, run: { ...line.run, session_id: id } };
    case 'event':
      return { ...line, event: { ...line.event, session_id: id } };
    case 'summary': {
      // An imported request cannot be answered.
      const summary = { ...line.summary, session_id: id, imported, needs_you: undefined };
      return { ...line, summary: asEnded(summary) };
    }
    case 'header':
    case 'entry':
    case 'usage':
    case 'result':
    case 'decision':
      return line;
  }
}

function asEnded<S extends Pick<Session, 'status'>>(session: S): S {
  return session.status === 'finished' ? session : { ...session, status: 'stopped' };
}

async function* linesIn(handle: FileHandle): AsyncGenerator<{ line: RecordLine | null; damaged: number }> {
  const { size } = await handle.stat();
  for await (const { buffer, offset, oversizeLine } of windows(handle, 0, size)) {
    if (oversizeLine !== null) {
      yield { line: null, damaged: 1 };
      continue;
    }
    for (const { start, end } of linesOf(buffer)) {
      const { found, damage } = readLine(buffer.subarray(start, end), offset + start);
      yield { line: null, damaged: damage.length };
      for (const { line } of found) yield { line, damaged: 0 };
    }
  }
}

async function copyRawLog(folder: string, run: string, writer: RecordWriter): Promise<void> {
  for (const stream of rawStreams) {
    const file = rawFile(folder, run, stream);
    const bytes = await rawBytes(file);
    if (bytes === null) continue;
    const log = writer.rawStream(run, stream);
    for await (const chunk of bytes) await log.write(chunk);
    await log.close();
  }
}
