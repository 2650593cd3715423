import { isObject, type JsonObject } from '../../model/text/json.ts';
import { idOf, nonEmpty, objects, text } from '../shared/guards.ts';
import type { StoreFormat, StorePart, StoreRecord } from '../stores/storeFormat.ts';
import { storeRoots } from '../stores/roots.ts';
import { RecordParser, timeOf, type RecordReader, type StoreSession } from '../stores/storeSession.ts';

/**
 * The transcripts of Cursor's agent: `~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl`, without times, tokens
 * and results. `chats/<hash>/<id>/meta.json` has the title. The undocumented database beside it is not read. Sources:
 * tenequm/pond#207, kenn-io/agentsview#1515 and #1664, getagentseal/codeburn#55 and #986.
 */
export const cursorStore: StoreFormat = {
  agent: 'cursor',
  label: 'Cursor CLI',
  roots: storeRoots.cursor,
  place: placeOf,
  createParser: (options) => new RecordParser(options, (session) => new CursorStoreReader(session)),
  resume: (nativeId) => ({ program: 'cursor-agent', args: [`--resume=${nativeId}`] }),
};

function placeOf(path: string): StorePart | undefined {
  const meta = /^[^/]+\/([\w-]+)\/meta\.json$/.exec(path)?.[1];
  if (meta !== undefined && meta !== 'agent-transcripts') return { role: 'sidecar', session: meta };
  const [, session, name] = /^[^/]+\/agent-transcripts\/([\w-]+)\/([\w-]+)\.jsonl$/.exec(path) ?? [];
  if (session !== undefined && session === name) return { role: 'main', session };
  const [, parent, agent] = /^[^/]+\/agent-transcripts\/([\w-]+)\/subagents\/([\w-]+)\.jsonl$/.exec(path) ?? [];
  return parent === undefined || agent === undefined ? undefined : { role: 'subagent', session: parent, agent };
}

const query = /<user_query>\s*([\s\S]*?)\s*<\/user_query>/;

class CursorStoreReader implements RecordReader {
  readonly #session: StoreSession;
  #lines = 0;
  #open: string[] = [];

  constructor(session: StoreSession) {
    this.#session = session;
    session.facts.addMissing('Cursor does not store the tokens of its requests.');
  }

  read(value: JsonObject | readonly unknown[], record: StoreRecord): boolean {
    if (!isObject(value)) return false;
    if (record.kind === 'document') return this.#readMeta(value);
    this.#lines += 1;
    const isSubagent = record.part.role === 'subagent';
    const { message, role } = value;
    const blocks = isObject(message) ? objects(message['content']) : [];
    if ((role !== 'user' && role !== 'assistant') || blocks.length === 0) return false;
    this.#session.addTime(value['timestamp']);
    this.#finishOpenCalls();
    for (const [at, block] of blocks.entries()) {
      if (block['type'] === 'tool_use') this.#startCall(block, `${record.path}-${this.#lines}-${at}`);
      else if (block['type'] !== 'text') this.#session.unknown('Unknown block type', JSON.stringify(block));
      else if (role === 'assistant') this.#session.addText('text', text(block['text']) ?? '');
      else this.#readUserMessage(text(block['text']) ?? '', isSubagent);
    }
    const { facts, now } = this.#session;
    if (!isSubagent)
      facts.setLastState(role === 'user' ? 'answering' : this.#open.length > 0 ? 'tool' : 'answered', now);
    return true;
  }

  #readMeta(value: JsonObject): boolean {
    const { facts } = this.#session;
    facts.title = nonEmpty(value['title']) ?? nonEmpty(value['name']) ?? facts.title;
    this.#session.addTime(value['createdAtMs'] ?? value['createdAt']);
    facts.time(timeOf(value['updatedAtMs'] ?? value['updatedAt']));
    this.#session.setFolder(nonEmpty(value['cwd']));
    return true;
  }

  /** The person's message is in the program's tags, beside what it adds. */
  #readUserMessage(content: string, isSubagent: boolean): void {
    const prompt = query.exec(content)?.[1];
    this.#session.setFolder(/^Workspace Path: (.+)$/m.exec(content)?.[1]);
    if (prompt === undefined || isSubagent) {
      this.#session.userMessage(content, isSubagent ? 'subagent' : 'system');
      return;
    }
    this.#session.userMessage(prompt, 'human');
    const key = `${this.#session.options.session}-${this.#lines}`;
    this.#session.facts.prompt({ key, at: timeOf(this.#session.now) ?? null }, prompt);
  }

  #startCall(block: JsonObject, fallbackId: string): void {
    const { facts, run, now } = this.#session;
    const toolName = nonEmpty(block['name']) ?? 'unknown';
    const id = idOf(block['id']) ?? fallbackId;
    const input = block['input'];
    facts.call({ key: id, at: null });
    const metadata = this.#session.metadata();
    run.calls.start({ id, toolName, action: { kind: 'tool', input }, input, timestamp: now, metadata });
    this.#open.push(id);
  }

  /** Results are not stored: a call followed by another line has run. */
  #finishOpenCalls(): void {
    for (const id of this.#open)
      this.#session.run.calls.finish({ id, status: 'success', timestamp: this.#session.now });
    this.#open = [];
  }
}
