import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { isMarkedSynthetic } from '../../model/transcript/synthetic.ts';
import type { Log, ResumeRequest } from '../api.ts';
import { logFiltered, logFiltering } from '../log/metadataLog.ts';
import type { Recall } from '../recall/recall.ts';
import type { RecordReader } from '../record/contract.ts';

const pageSize = 500;
const maxBytes = 8 << 10;
const maxFiles = 40;
const maxPrompt = 1000;

/** Adds to the request what earlier conversations say about its message, and a summary of the rest. */
export async function withConversationSummary(
  reader: RecordReader | null,
  request: ResumeRequest,
  { recall, log }: { readonly recall: Recall; readonly log: Log },
): Promise<{ readonly request: ResumeRequest; readonly prefix: string }> {
  if (reader === null) return { request, prefix: '' };
  const prefix = await summaryForAgent(reader, log);
  if (request.recall !== undefined) return { request, prefix };
  const found = await recall.recallSession(reader.id, request.prompt);
  return { request: found === undefined ? request : { ...request, recall: found }, prefix };
}

/**
 * Summary of earlier conversations for a new one: at most 8 KB, marked as written by Vitrine. All content is quoted, so
 * that none of it can pass as the note itself.
 */
export async function summaryForAgent(reader: RecordReader, log: Log): Promise<string> {
  const runs = await reader.runs();
  const marked = runs.filter((run) => isMarkedSynthetic(run));
  for (const run of marked) logFiltered(log, `${reader.id}#${run.first_index}`, run);
  logFiltering(log, 'summary', { total: runs.length, filtered: marked.length }, reader.id);
  const prompts = runs.flatMap((run) => (isMarkedSynthetic(run) ? [] : [run.prompt]));
  const files = new Set<string>();
  let answer = '';
  for (let from = 0; from < reader.total; from += pageSize) {
    for (const entry of await reader.read(from, from + pageSize)) {
      for (const path of filesChangedBy(entry)) if (files.size < maxFiles) files.add(path);
      const isMain = entry.metadata?.parentCallId === undefined;
      if (entry.type.kind === 'assistant_message' && isMain && entry.content !== '') answer = entry.content;
    }
  }
  const [first = '', ...later] = prompts;
  const head = [
    'Note written by Vitrine, not by the user: the earlier conversation of this session is no longer available.',
    'Its record says:',
    `\nThe first request was:\n${quoted(truncateText(first, maxPrompt))}`,
  ];
  const requests = later.slice(-20).map((prompt) => `- ${truncateText(prompt, 200).replaceAll(/\s+/g, ' ')}`);
  if (requests.length > 0) head.push(`\nLater requests:\n${requests.join('\n')}`);
  if (files.size > 0) head.push(`\nFiles that were changed:\n${[...files].map((file) => `- ${file}`).join('\n')}`);
  const tail = '\n\nEnd of the note. The user now says:\n\n';
  const text = head.join('\n');
  const room = maxBytes - Buffer.byteLength(text) - Buffer.byteLength(tail) - 200;
  const last =
    answer === '' || room < 200
      ? ''
      : `\n\nThe last answer was:\n${quoted(truncateText(answer, Math.floor(room / 5)))}`;
  return truncateText(text, maxBytes / 2) + last + tail;
}

function filesChangedBy({ type }: NormalizedEntry): readonly string[] {
  if (type.kind !== 'tool_use' || type.tool.status !== 'success') return [];
  const { action } = type.tool;
  if (action.kind === 'file_write') return [action.path];
  return action.kind === 'file_edit' ? action.changes.map(({ path }) => path) : [];
}

const quoted = (text: string): string => text.replaceAll(/^/gm, '> ');

/** Truncates to at most `length` characters, with a note. */
function truncateText(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length).join('')} […]`;
}
