import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { TokenUsage } from '../../model/usage/usage.ts';
import { count, field, idOf, list, nonEmpty, objects, text } from '../shared/guards.ts';
import type { SessionNote, StoreFormat, StorePart, StoreRecord } from '../stores/storeFormat.ts';
import { storeRoots } from '../stores/roots.ts';
import { RecordParser, timeOf, type RecordReader, type StoreSession } from '../stores/storeSession.ts';
import { errorCode } from './errors.ts';
import { GeminiStoreCalls } from './storeCalls.ts';

/**
 * The chats of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl` (0.61: a line replaces an earlier one with its id,
 * `$set` changes fields of the chat, `$rewindTo` cuts it) and `session-*.json` (0.30: one document, rewritten at each
 * change). Subagents are in `chats/<session>/*.jsonl`. Sources: captured stores of 0.30.1 and 0.61.0;
 * `chatRecordingTypes.d.ts` of the package `@google/gemini-cli-core` 0.61.0.
 */
export const geminiStore: StoreFormat = {
  agent: 'gemini',
  label: 'Gemini CLI',
  roots: storeRoots.gemini,
  place: placeOfChat,
  look: identifyChat,
  isDocument: (path) => path.endsWith('.json') || path.endsWith('/.project_root'),
  notes: projectNotes,
  createParser: (options) => new RecordParser(options, (session) => new GeminiChatReader(session)),
  resume: (nativeId) => ({ program: 'gemini', args: ['--resume', nativeId] }),
};

/** The layout, which early versions of Qwen Code share. */
export function placeOfChat(path: string): StorePart | 'head' | undefined {
  if (/^[^/]+\/\.project_root$/.test(path)) return { role: 'shared' };
  const subagent = /^[^/]+\/chats\/([^/]+)\/([^/]+)\.jsonl?$/.exec(path);
  if (subagent?.[1] !== undefined && subagent[2] !== undefined) {
    return { role: 'subagent', session: subagent[1], agent: subagent[2] };
  }
  return /^[^/]+\/chats\/session-[^/]+\.jsonl?$/.test(path) ? 'head' : undefined;
}

/** The first lines have the id; the file's name has eight digits of it. */
export function identifyChat(_path: string, head: readonly string[]): StorePart | undefined {
  for (const line of head.slice(0, 20)) {
    const id = /"sessionId"\s*:\s*"([^"\\]{1,200})"/.exec(line)?.[1];
    if (id !== undefined) return { role: 'main', session: id };
  }
  return undefined;
}

/** `.project_root` beside the chats has the folder; the note is identified by the name of its own folder. */
export function projectNotes(record: StoreRecord): readonly SessionNote[] {
  if (record.kind !== 'document' && record.kind !== 'line') return [];
  const key = /([^/\\]+)[/\\]\.project_root$/.exec(record.path)?.[1];
  const folder = record.text.trim();
  return key === undefined || folder === '' || folder.includes('\n') ? [] : [{ key, folder }];
}

const compressionNote = 'Gemini CLI does not record its requests for chat compression.';
const mergedRequestsNote =
  'For several tool calls, this version of Gemini CLI records only the tokens of the first request.';

export class GeminiChatReader implements RecordReader {
  readonly #session: StoreSession;
  readonly #calls: GeminiStoreCalls;
  /** Ids of all messages that were ever part of the chat. */
  readonly #messageIds = new Set<string>();
  /** Ids of the current messages, without those that the program put first. */
  #currentIds: string[] = [];
  readonly #texts = new Map<string, string>();
  /** The chat was just opened: in its first messages, the program describes the folder to the model. */
  #isOpening = false;

  constructor(session: StoreSession) {
    this.#session = session;
    this.#calls = new GeminiStoreCalls(session);
  }

  read(value: JsonObject | readonly unknown[], record: StoreRecord): boolean {
    if (!isObject(value)) return false;
    this.#readFolder(record.path);
    if (record.part.role === 'subagent') return this.#readSubagentRecord(value, record.part.agent);
    if (record.kind === 'document') return this.#readDocument(value);
    const { $set: set, $rewindTo: rewindTo } = value;
    if (isObject(set)) this.#set(set);
    else if (typeof rewindTo === 'string') this.#rewind(rewindTo);
    else if (idOf(value['id']) !== undefined && text(value['type']) !== undefined)
      return this.#readStoredMessage(value);
    else if (text(value['sessionId']) !== undefined) this.#readHeader(value);
    else return false;
    return true;
  }

  #readFolder(path: string): void {
    const { folder, options } = this.#session;
    if (folder !== undefined) return;
    const project = /([^/\\]+)[/\\]chats[/\\]/.exec(path)?.[1];
    if (project !== undefined) this.#session.setFolder(options.notes.get(project)?.folder);
  }

  #readHeader(value: JsonObject): void {
    const { facts } = this.#session;
    this.#isOpening = true;
    facts.id(text(value['sessionId']));
    this.#session.addTime(value['startTime']);
    facts.time(timeOf(value['lastUpdated']));
    const summary = nonEmpty(value['summary']);
    if (summary !== undefined) facts.title = summary;
    this.#session.setFolder(list(value['directories']).find((directory) => typeof directory === 'string'));
  }

  /** A complete chat: earlier messages are recognized by their ids. */
  #readDocument(value: JsonObject): boolean {
    if (!Array.isArray(value['messages'])) return false;
    this.#readHeader(value);
    for (const message of objects(value['messages'])) {
      if (!this.#readStoredMessage(message)) this.#session.unknown('Unknown message type', JSON.stringify(message));
      // Calls of one request end at the same time. Different times mean several requests, of which only one has its tokens
      // here.
      const times = new Set(objects(message['toolCalls']).map((call) => call['timestamp']));
      if (times.size > 1) this.#session.facts.addMissing(mergedRequestsNote);
    }
    return true;
  }

  /** `messages` replaces the whole chat: the same after a resume, different after a compression. */
  #set(set: JsonObject): void {
    const { facts } = this.#session;
    facts.time(timeOf(set['lastUpdated']));
    const summary = nonEmpty(set['summary']);
    if (summary !== undefined) facts.title = summary;
    if (!Array.isArray(set['messages'])) return;
    const messages = objects(set['messages']);
    const ids = messages.map((message) => idOf(message['id']) ?? '');
    const fresh = messages.filter((message) => !this.#messageIds.has(idOf(message['id']) ?? ''));
    for (const message of messages) this.#request(message);
    if (fresh.length === 0) {
      this.#currentIds = ids;
      return;
    }
    const opening = this.#messageIds.size === 0 || (this.#isOpening && messages.length === 1);
    this.#isOpening = false;
    const hasDroppedMessages = !opening && this.#currentIds.some((id) => !ids.includes(id) && this.#texts.has(id));
    if (hasDroppedMessages) {
      facts.addMissing(compressionNote);
      this.#session.run.system('compaction', 'The chat was compressed.', this.#session.now);
    }
    for (const message of fresh) {
      if (opening || hasDroppedMessages) this.#addProgramMessage(message, hasDroppedMessages ? 'compaction' : 'system');
      else this.#readStoredMessage(message);
    }
    this.#currentIds = ids;
  }

  /** A message that the program put into the chat. */
  #addProgramMessage(message: JsonObject, origin: 'compaction' | 'system'): void {
    const id = idOf(message['id']) ?? '';
    this.#messageIds.add(id);
    this.#session.addTime(message['timestamp']);
    const shown = partsText(message['content']);
    if (shown === '') return;
    if (message['type'] === 'user') this.#session.userMessage(shown, origin);
    else this.#session.addText('text', shown);
  }

  #rewind(id: string): void {
    const at = this.#currentIds.indexOf(id);
    this.#currentIds = at === -1 ? [] : this.#currentIds.slice(0, at);
    const shown = 'The chat was rewound: the model no longer sees the messages after an earlier one.';
    this.#session.run.system('rewind', shown, this.#session.now, { rewindTo: id });
    this.#session.facts.setLastState('answered', this.#session.now);
  }

  #readStoredMessage(message: JsonObject): boolean {
    const id = idOf(message['id']) ?? '';
    const type = text(message['type']);
    this.#isOpening = false;
    if (type === 'gemini') this.#answer(message, id);
    else if (type === 'user') this.#readUserMessage(message, id);
    else if (type === 'info' || type === 'warning' || type === 'error') this.#addNotice(message, type, id);
    else return false;
    this.#messageIds.add(id);
    if (!this.#currentIds.includes(id)) this.#currentIds.push(id);
    return true;
  }

  #readUserMessage(message: JsonObject, id: string): void {
    const results = objects(message['content']).filter((part) => isObject(part['functionResponse']));
    const at = this.#session.addTime(message['timestamp']);
    if (results.length > 0) {
      for (const part of results) this.#calls.response(part['functionResponse']);
      this.#session.facts.setLastState('answering', at);
      return;
    }
    const shown = partsText(message['displayContent'] ?? message['content']);
    if (this.#messageIds.has(id)) return;
    this.#texts.set(id, shown);
    this.#session.userMessage(shown, 'human');
    this.#session.facts.prompt({ key: id, at }, shown);
    this.#session.facts.setLastState('answering', at);
  }

  #addNotice(message: JsonObject, type: 'info' | 'warning' | 'error', id: string): void {
    const at = this.#session.addTime(message['timestamp']);
    const shown = partsText(message['content']);
    if (this.#messageIds.has(id) || shown === '') return;
    if (type !== 'error') {
      this.#session.run.system(type, shown, at);
      return;
    }
    this.#session.run.error(shown, errorCode(undefined, shown), at);
    this.#session.facts.setLastState('interrupted', at);
  }

  #answer(message: JsonObject, id: string): void {
    const at = this.#session.addTime(message['timestamp']);
    this.#session.model(nonEmpty(message['model']));
    this.#request(message);
    if (!this.#texts.has(id)) {
      for (const thought of objects(message['thoughts'])) this.#session.addText('thinking', thoughtText(thought));
      const shown = partsText(message['content']);
      this.#texts.set(id, shown);
      this.#session.addText('text', shown);
    }
    const calls = objects(message['toolCalls']);
    for (const call of calls) this.#calls.call(call);
    // Calls appear only after they have run, so a text before them looks like an answer.
    this.#session.facts.setLastState(calls.length > 0 ? 'answering' : 'answered', at);
  }

  #readSubagentRecord(value: JsonObject, agent: string): boolean {
    const messages = isObject(value['$set']) ? objects(value['$set']['messages']) : objects(value['messages']);
    for (const message of [value, ...messages]) this.#readSubagentMessage(message, agent);
    return true;
  }

  #readSubagentMessage(message: JsonObject, agent: string): void {
    const id = idOf(message['id']);
    const type = text(message['type']);
    if (id === undefined || type === undefined) return;
    this.#session.addTime(message['timestamp']);
    this.#request(message);
    this.#session.facts.model(nonEmpty(message['model']));
    const parentCallId = this.#calls.callOfAgent(agent);
    const extra = parentCallId === undefined ? {} : { parentCallId };
    if (!this.#messageIds.has(id)) {
      this.#messageIds.add(id);
      const shown = partsText(message['content']);
      for (const thought of objects(message['thoughts']))
        this.#session.addText('thinking', thoughtText(thought), extra);
      if (type === 'user' && shown !== '') this.#session.userMessage(shown, 'subagent', extra);
      else this.#session.addText('text', shown, extra);
    }
    for (const call of objects(message['toolCalls'])) this.#calls.call(call, parentCallId);
  }

  /** The tokens of a request are on its message, which is repeated often. */
  #request(message: JsonObject): void {
    const key = idOf(message['id']);
    const usage = tokensOf(message['tokens']);
    if (key === undefined || usage === undefined) return;
    const at = timeOf(message['timestamp']) ?? null;
    this.#session.facts.request({ key, at, model: nonEmpty(message['model']) ?? null, usage });
  }
}

/** `input` includes cache reads; thoughts are not part of `output`. */
function tokensOf(value: unknown): TokenUsage | undefined {
  const input = count(field(value, 'input'));
  const output = count(field(value, 'output'));
  if (input === undefined && output === undefined) return undefined;
  const cacheRead = count(field(value, 'cached')) ?? 0;
  const reasoning = count(field(value, 'thoughts')) ?? 0;
  const tool = count(field(value, 'tool')) ?? 0;
  return {
    input: Math.max(0, (input ?? 0) + tool - cacheRead),
    output: (output ?? 0) + reasoning,
    cacheRead,
    reasoning,
  };
}

/** A text, or parts without thoughts. */
function partsText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = isObject(content) ? [content] : list(content);
  return parts
    .map((part) =>
      typeof part === 'string' ? part : field(part, 'thought') === true ? '' : (text(field(part, 'text')) ?? ''),
    )
    .join('');
}

function thoughtText(thought: JsonObject): string {
  const subject = nonEmpty(thought['subject']);
  const description = nonEmpty(thought['description']);
  return [subject === undefined ? undefined : `**${subject}**`, description]
    .filter((part) => part !== undefined)
    .join('\n\n');
}
