import { isObject, type JsonObject } from '../../model/text/json.ts';
import { field, nonEmpty, text } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { StoreRecord } from '../stores/storeFormat.ts';
import { timeOf, type RecordReader, type StoreSession } from '../stores/storeSession.ts';
import { OpenCodeParts } from './parts.ts';
import { OpenCodeUsage } from './usage.ts';
import type { OpenCodeMessage } from './message.ts';

const untitled = /^(?:New session|Child session) - \d{4}-/;
const titles = 'OpenCode does not record its request for the title.';

/** Reads rows of the database, or the earlier files with the same objects. Messages come before their parts. */
export class OpenCodeReader implements RecordReader {
  readonly #session: StoreSession;
  readonly #parts: OpenCodeParts;
  readonly #usage: OpenCodeUsage;
  readonly #messages = new Map<string, OpenCodeMessage>();
  /** Messages whose errors are not reported yet, oldest first. */
  #unreportedMessages: OpenCodeMessage[] = [];
  readonly #reportedIds = new Set<string>();

  constructor(session: StoreSession) {
    this.#session = session;
    this.#usage = new OpenCodeUsage(session);
    this.#parts = new OpenCodeParts(session);
  }

  read(value: JsonObject | readonly unknown[], record: StoreRecord): boolean {
    if (!isObject(value)) return false;
    const { table, object } = record.kind === 'row' ? fromRow(record.table, value) : fromDocument(record.path, value);
    if (object === undefined) return false;
    switch (table) {
      case 'session':
        this.#readSessionRow(object);
        return true;
      case 'message':
        return this.#readMessageRow(object);
      case 'part':
        return this.#readPart(object);
      default:
        return false;
    }
  }

  end(): void {
    this.#reportErrors(undefined);
  }

  settle(): void {
    this.#usage.settle(this.#messages.values());
    let last: OpenCodeMessage | undefined;
    for (const message of this.#messages.values()) {
      if (message.session === this.#session.options.session) last = message;
    }
    if (last !== undefined) this.#setLastState(last);
  }

  #readSessionRow(row: JsonObject): void {
    const { facts, options } = this.#session;
    const id = text(row['id']);
    if (id !== options.session) {
      if (id !== undefined) this.#parts.subagents.add(id);
      return;
    }
    const parent = nonEmpty(row['parent_id']) ?? nonEmpty(row['parentID']);
    if (parent !== undefined) facts.parent = { id: parent, kind: 'subagent' };
    this.#session.setFolder(nonEmpty(row['directory']));
    facts.agentVersion = nonEmpty(row['version']) ?? facts.agentVersion;
    const title = nonEmpty(row['title']);
    if (title !== undefined && !untitled.test(title)) {
      facts.title = title;
      if (parent === undefined && !/\(fork #\d+\)$/.test(title)) facts.addMissing(titles);
    }
    const time = row['time'];
    this.#session.addTime(row['time_created'] ?? field(time, 'created'));
    facts.time(timeOf(row['time_updated'] ?? field(time, 'updated')));
  }

  #readMessageRow(object: JsonObject): boolean {
    const id = text(object['id']);
    const session = text(object['sessionID']) ?? text(object['session_id']);
    if (id === undefined || session === undefined) return false;
    const created = field(object['time'], 'created') ?? object['time_created'];
    const message: OpenCodeMessage = {
      id,
      session,
      role: text(object['role']),
      data: object,
      created: typeof created === 'number' ? created : undefined,
    };
    this.#messages.set(id, message);
    const { facts } = this.#session;
    facts.time(timeOf(created));
    facts.time(timeOf(field(object['time'], 'completed')));
    if (message.role === 'assistant') {
      const model = nonEmpty(object['modelID']);
      facts.model(model, session === this.#session.options.session);
      if (session === this.#session.options.session) this.#session.setFolder(nonEmpty(field(object['path'], 'cwd')));
      this.#unreportedMessages.push(message);
    }
    return true;
  }

  #readPart(part: JsonObject): boolean {
    const message = this.#messages.get(text(part['messageID']) ?? text(part['message_id']) ?? '');
    if (message !== undefined) this.#reportErrors(message);
    this.#session.addTime(
      field(part['time'], 'start') ??
        field(field(part['state'], 'time'), 'start') ??
        part['time_created'] ??
        message?.created,
    );
    if (part['type'] === 'step-finish') {
      if (message !== undefined) this.#usage.step(message, part);
      return true;
    }
    return this.#parts.readPart(part, message);
  }

  /** Messages have the errors but come before all parts, so an error is added when the parts of a later message begin. */
  #reportErrors(before: OpenCodeMessage | undefined): void {
    const { run } = this.#session;
    const at = before === undefined ? this.#unreportedMessages.length : this.#unreportedMessages.indexOf(before);
    const due =
      before === undefined || at !== -1
        ? this.#unreportedMessages.slice(0, at)
        : messagesBefore(this.#unreportedMessages, before);
    this.#unreportedMessages = this.#unreportedMessages.slice(due.length);
    for (const { id, data } of due) {
      const error = data['error'];
      if (!isObject(error) || this.#reportedIds.has(id)) continue;
      this.#reportedIds.add(id);
      const name = nonEmpty(error['name']);
      const shown =
        nonEmpty(field(error['data'], 'message')) ?? nonEmpty(error['message']) ?? name ?? 'The model failed.';
      const at = this.#session.addTime(field(data['time'], 'completed') ?? field(data['time'], 'created'));
      if (name === 'MessageAbortedError') run.system('interrupted', 'The turn was interrupted.', at);
      else run.error(shown, name, at);
    }
  }

  #setLastState({ role, data }: OpenCodeMessage): void {
    const { facts } = this.#session;
    const completed = field(data['time'], 'completed');
    const at = timeOf(completed ?? field(data['time'], 'created'));
    if (data['error'] !== undefined) facts.setLastState('interrupted', at);
    else if (role === 'user') facts.setLastState('answering', at);
    else if (completed === undefined) facts.setLastState(this.#parts.isToolRunning ? 'tool' : 'answering', at);
    else facts.setLastState(data['finish'] === 'tool-calls' ? 'answering' : 'answered', at);
  }
}

function messagesBefore(
  messages: readonly OpenCodeMessage[],
  { created }: OpenCodeMessage,
): readonly OpenCodeMessage[] {
  const later = messages.findIndex((message) => (message.created ?? 0) >= (created ?? 0));
  return later === -1 ? messages : messages.slice(0, later);
}

interface TypedRecord {
  readonly table: string;
  readonly object: JsonObject | undefined;
}

/** A row has ids in columns, and the object as JSON in `data`. */
function fromRow(table: string, row: JsonObject): TypedRecord {
  if (table === 'session') return { table, object: row };
  const data = typeof row['data'] === 'string' ? parse(row['data']) : undefined;
  return { table, object: isObject(data) ? { ...row, ...data, id: row['id'] } : undefined };
}

function fromDocument(path: string, object: JsonObject): TypedRecord {
  const table = /storage[/\\](session|message|part)[/\\]/.exec(path)?.[1] ?? '';
  // The oldest versions had `storage/session/{info,message,part}`.
  const storageKind = /storage[/\\]session[/\\](message|part)[/\\]/.exec(path)?.[1];
  return { table: storageKind ?? table, object };
}
