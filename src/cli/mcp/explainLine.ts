import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Engine } from '../../engine/engine.ts';
import { FileHistory } from '../../insight/files/history.ts';
import { lineClaims, type FileRecord } from '../../insight/files/lineClaims.ts';

/** Limits: the newest sessions to read, entries of one session, and characters of a file. */
const maxSessions = 50;
const maxEntries = 250_000;
const maxCharacters = 4 << 20;
const pageSize = 500;
/** Characters of a prompt. */
const maxPrompt = 4000;

/** A step that wrote or read the line, best first. */
interface LineStep {
  readonly session_id: string;
  readonly title: string;
  readonly agent: string;
  readonly entry: number;
  readonly at: string | null;
  readonly kind: 'changed' | 'read';
  /** The line has changed since. */
  readonly edited_since: boolean;
  readonly prompt: string | null;
}

/** Which sessions wrote or read a line of a file, and for which prompts. `line` counts from 1. */
export async function explainLine(
  { archive, open }: Pick<Engine, 'archive'> & { readonly open: Engine['open'] },
  file: string,
  line: number,
): Promise<{ readonly text: string; readonly steps: readonly LineStep[]; readonly searched_sessions: number }> {
  const text = await readFile(file, 'utf8');
  if (text.length > maxCharacters) throw new Error(`${file} is too long.`);
  const lines = text.split('\n');
  const current = lines[line - 1];
  if (current === undefined) throw new Error(`${file} has ${lines.length} lines.`);
  const { sessions, searched } = await archive.search.findSessionsTouching(file, {});
  const newest = [...sessions].sort((a, b) => b.updated_at.localeCompare(a.updated_at)).slice(0, maxSessions);
  const records: FileRecord[] = [];
  for (const { session_id } of newest) {
    const record = await recordOf({ open }, session_id, file);
    if (record !== undefined) records.push(record);
  }
  const claims = lineClaims(lines, records)[line - 1] ?? [];
  const steps: LineStep[] = [];
  for (const { session, entryIndex, kind, isEditedSince } of claims) {
    const handle = await open(session);
    try {
      const { title, prompt, agent_label } = handle.summary();
      const [entry] = await handle.read(entryIndex, entryIndex + 1);
      steps.push({
        session_id: session,
        title: title ?? prompt,
        agent: agent_label,
        entry: entryIndex,
        at: entry?.timestamp ?? null,
        kind,
        edited_since: isEditedSince,
        prompt: await promptBefore(handle, entryIndex),
      });
    } finally {
      handle.dispose();
    }
  }
  return { text: current, steps, searched_sessions: searched };
}

type EntrySource = Pick<Awaited<ReturnType<Engine['open']>>, 'read'>;

/** The prompt before the entry. */
async function promptBefore(handle: EntrySource, index: number): Promise<string | null> {
  for (let to = index; to > 0; to -= pageSize) {
    const entries = await handle.read(Math.max(0, to - pageSize), to);
    const found = entries.findLast(
      ({ type, origin, metadata }) =>
        type.kind === 'user_message' && origin !== 'subagent' && metadata?.parentCallId === undefined,
    );
    if (found !== undefined) return found.content.slice(0, maxPrompt);
  }
  return null;
}

async function recordOf(
  { open }: { readonly open: Engine['open'] },
  session: string,
  file: string,
): Promise<FileRecord | undefined> {
  const handle = await open(session).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { project_dir: folder = path.dirname(file), recording } = handle.summary();
    // Playing a recording writes no file.
    if (recording || handle.entryCount() > maxEntries) return undefined;
    const history = new FileHistory(file, folder);
    for (let from = 0; from < handle.entryCount(); from += pageSize)
      for (const entry of await handle.read(from, from + pageSize)) history.add(entry);
    return { session, lines: history.lines(), fragments: history.fragments() };
  } finally {
    handle.dispose();
  }
}
