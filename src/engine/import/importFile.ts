import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { AgentAdapter } from '../../agents/adapter.ts';
import { recognizeAgents } from '../../agents/registry.ts';
import { acpMessageSchema, type AcpMessage } from '../../formats/import/acpMessages.ts';
import type { LineOf } from '../../formats/record.ts';
import type { ExecutorType, Imported } from '../../model/session/session.ts';
import { failures } from '../failures/failures.ts';
import { sessionId } from '../ids.ts';
import type { RecordWriter } from '../record/contract.ts';
import { RecordNotFoundError } from '../record/errors.ts';
import type { RecordStore } from '../record/recordStore.ts';
import { importMessages } from './importMessages.ts';
import { importOutput } from './importOutput.ts';
import { looksLikeRecord, hasRecordLine, importRecord } from './importRecord.ts';
import { bytesOf, hashOf, openSource, type Source } from './source.ts';
import type { ImportDeps, Draft, ImportedDraft } from './draft.ts';

/** Maximum size of a JSON file, which is read at once. */
const maxJsonBytes = 256 * 1024 * 1024;
const recognitionLines = 50;

export interface ImportRequest {
  /** Absolute path; `.gz` for a compressed file. */
  readonly file: string;
  /** Agent that printed the file, if the file does not show it. */
  readonly agent?: ExecutorType;
}

export interface ImportReport {
  readonly sessionId: string;
  readonly format: Imported['format'];
  readonly entries: number;
  /** Number of unreadable parts of the file. */
  readonly problems: number;
  /** Of these, the number of messages with a mark of the wrong type; absent: none. */
  readonly mistyped?: number;
  /** The session's id in the source, if it is known and differs. */
  readonly original: string | null;
}

/** Imports a file as a session that can be read but not resumed. @throws EngineFailure */
export async function importFile(request: ImportRequest, deps: ImportDeps): Promise<ImportReport> {
  const source = await openSource(request.file);
  try {
    return await importSource(source, request, deps);
  } finally {
    await source.handle.close();
  }
}

async function importSource(source: Source, { file, agent }: ImportRequest, deps: ImportDeps): Promise<ImportReport> {
  const { format, importDraft: take } = await kindOf(source, file, agent, deps);
  const imported: Imported = { format, file: path.basename(file), at: iso(deps), sha256: await hashOf(file) };
  let writer: RecordWriter | null = null;
  const draft: Draft = {
    deps,
    file,
    source: source.handle,
    at: imported.at,
    imported,
    begin: async (session, suggestedId) => {
      const id =
        suggestedId !== undefined && !(await doesSessionExist(deps.store, suggestedId))
          ? suggestedId
          : sessionId(deps.randomHex);
      writer = await deps.store.create({ ...session, session_id: id, status: 'stopped', imported });
      return writer;
    },
  };
  const started = (): RecordWriter => {
    if (writer === null) throw new Error('An import must start a new record.');
    return writer;
  };
  try {
    const found = await take(draft);
    const taken = { ...found, problems: found.problems + source.problems };
    const { id } = started();
    await started().append({ kind: 'decision', decision: decisionOf(imported, taken) });
    await started().flush();
    const entries = await summarize(deps.store, started(), taken);
    await started().close();
    return {
      sessionId: id,
      format,
      entries,
      problems: taken.problems,
      ...(taken.mistyped !== undefined && taken.mistyped > 0 && { mistyped: taken.mistyped }),
      original: taken.original === id ? null : taken.original,
    };
  } catch (error) {
    const failed: RecordWriter | null = writer;
    await abandon(failed, deps.store);
    throw error;
  }
}

interface Kind {
  readonly format: Imported['format'];
  readonly importDraft: (draft: Draft) => Promise<ImportedDraft>;
}

async function kindOf(
  { handle, head }: Source,
  file: string,
  agent: ExecutorType | undefined,
  deps: ImportDeps,
): Promise<Kind> {
  const isRecord = looksLikeRecord(head);
  const text = head.toString('utf8');
  const messages = isRecord ? null : await readMessages(handle, text);
  if (messages !== null) return { format: 'acp', importDraft: (draft) => importMessages(messages, draft) };
  // Agents may print lines of a record, so an explicit `agent` takes precedence.
  if (isRecord || (agent === undefined && hasRecordLine(head, recognitionLines)))
    return { format: 'record', importDraft: importRecord };
  const adapter = adapterFor(file, text, agent, deps);
  return { format: 'output', importDraft: (draft) => importOutput(adapter, draft) };
}

async function abandon(writer: RecordWriter | null, store: RecordStore): Promise<void> {
  if (writer === null) return;
  await writer.close();
  await store.remove(writer.id);
}

function decisionOf({ at, ...imported }: Imported, taken: ImportedDraft): LineOf<'decision'>['decision'] {
  return { type: 'import', at, ...imported, session_id: taken.original, damaged: taken.problems };
}

/** Saves lists from reading the whole record. Returns the number of entries. */
async function summarize(store: RecordStore, writer: RecordWriter, { known }: ImportedDraft): Promise<number> {
  const reader = await store.openReader(writer.id);
  try {
    const { summary, turns, turnsOmitted } = reader;
    const line = { summary: { ...summary, ...known }, turns: [...turns], turns_omitted: turnsOmitted };
    await writer.append({ kind: 'summary', ...line });
    return reader.total;
  } finally {
    await reader.close();
  }
}

function adapterFor(
  file: string,
  head: string,
  agent: ExecutorType | undefined,
  { adapters }: ImportDeps,
): AgentAdapter {
  if (agent !== undefined) {
    const named = adapters.find(({ type }) => type === agent);
    if (named === undefined) throw failures.agentUnknown(agent);
    return named;
  }
  const lines = head.split('\n').filter((line) => line.trim() !== '');
  const found = recognizeAgents(lines.slice(0, recognitionLines), adapters);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0)
    throw failures.importUnknown(
      file,
      (others.length > 0 ? found : adapters).map(({ type }) => type),
    );
  return only;
}

/** `null` if the file has no Agent Communication Protocol messages. */
async function readMessages(handle: FileHandle, head: string): Promise<readonly AcpMessage[] | null> {
  if (!/^\s*[[{]/.test(head) || !head.includes('"parts"') || (await handle.stat()).size > maxJsonBytes) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of bytesOf(handle)) chunks.push(chunk);
  let json: unknown;
  try {
    json = JSON.parse(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
  } catch {
    return null;
  }
  const messages = z.array(acpMessageSchema);
  const known = z.union([messages, z.object({ messages }), z.object({ output: messages })]).safeParse(json);
  if (!known.success) return null;
  return Array.isArray(known.data) ? known.data : 'messages' in known.data ? known.data.messages : known.data.output;
}

async function doesSessionExist(store: RecordStore, id: string): Promise<boolean> {
  try {
    await (await store.openReader(id)).close();
    return true;
  } catch (error) {
    return !RecordNotFoundError.is(error);
  }
}

function iso({ clock }: ImportDeps): string {
  return new Date(clock()).toISOString();
}
