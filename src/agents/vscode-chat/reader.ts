import { isObject, type JsonObject } from '../../model/text/json.ts';
import { count, field, nonEmpty, objects } from '../shared/guards.ts';
import type { StoreRecord } from '../stores/storeFormat.ts';
import { ShownItems, type DisplayedItem } from '../stores/displayedItems.ts';
import { timeOf, type RecordReader, type StoreSession } from '../stores/storeSession.ts';
import { ChangeLog } from './changeLog.ts';
import { itemsOf, markdown } from './parts.ts';

const modelStates = ['answering', 'answered', 'interrupted', 'interrupted', 'question'] as const;

/** Reads a chat after each record, and reports what is new or different. */
export class VscodeChatReader implements RecordReader {
  readonly #session: StoreSession;
  readonly #log = new ChangeLog();
  readonly #shownItems: ShownItems;

  constructor(session: StoreSession) {
    this.#session = session;
    this.#shownItems = new ShownItems(session);
    session.facts.entryPoint = 'chat';
  }

  read(value: JsonObject | readonly unknown[], record: StoreRecord): boolean {
    if (!isObject(value)) return false;
    this.#readFolder(record.path);
    if (record.kind === 'document' && Array.isArray(value['requests'])) this.#log.replace(value);
    else if (record.kind === 'document' || !this.#log.apply(value)) return false;
    this.#reportChanges(record.kind === 'line' ? changedRequest(value) : undefined);
    return true;
  }

  end(isLive: boolean): void {
    if (!isLive) this.#shownItems.cancelRunning();
  }

  settle(): void {
    const state = this.#log.state;
    const { facts } = this.#session;
    if (state === undefined) return;
    facts.title = nonEmpty(state['customTitle']) ?? nonEmpty(state['computedTitle']) ?? null;
    const requests = objects(state['requests']);
    const last = requests.at(-1);
    const counted = requests.filter((request) => this.#addUsage(request)).length;
    if (requests.length > counted) facts.addMissing('VS Code does not store the tokens of every message.');
    else if (counted > 0) facts.addMissing('VS Code stores the tokens of one request for each message.');
    if (last === undefined) return;
    const model = last['modelState'];
    const value = count(field(model, 'value'));
    const known = value === undefined ? undefined : modelStates[value];
    const at = timeOf(field(model, 'completedAt')) ?? timeOf(last['timestamp']);
    facts.setLastState(known ?? (last['isCanceled'] === true ? 'interrupted' : 'answered'), at);
    facts.time(timeOf(field(model, 'completedAt')));
  }

  #readFolder(path: string): void {
    const { folder, options } = this.#session;
    const workspace = /([^/\\]+)[/\\]chatSessions[/\\]/.exec(path)?.[1];
    if (folder === undefined && workspace !== undefined) this.#session.setFolder(options.notes.get(workspace)?.folder);
  }

  /** `only`: number of the changed request; `undefined`: any may have changed. */
  #reportChanges(only: number | undefined): void {
    const state = this.#log.state;
    if (state === undefined) return;
    if (this.#shownItems.size === 0) this.#session.addTime(state['creationDate']);
    for (const [at, request] of objects(state['requests']).entries()) {
      if (only === undefined || only === at) this.#request(request, at);
    }
  }

  #request(request: JsonObject, at: number): void {
    const id = nonEmpty(request['requestId']) ?? `${at}`;
    const time = this.#session.addTime(request['timestamp']);
    const { message } = request;
    const shown = typeof message === 'string' ? message : (nonEmpty(field(message, 'text')) ?? '');
    const model = nonEmpty(request['modelId'])?.replace(/^.*\//, '');
    this.#session.model(model);
    this.#session.facts.prompt({ key: id, at: time }, shown);
    const items: DisplayedItem[] = [{ type: { kind: 'user_message' }, content: shown, origin: 'human' }];
    items.push(...itemsOf(request['response'], id, this.#session.folder ?? ''));
    const error = field(request['result'], 'errorDetails');
    const reason = nonEmpty(field(error, 'message'));
    if (reason !== undefined) {
      const code = nonEmpty(field(error, 'code'));
      const type = { kind: 'error', error: { message: reason, ...(code !== undefined && { code }) } } as const;
      items.push({ type, content: reason });
    }
    for (const [place, item] of items.entries()) this.#shownItems.show(`${id}\n${place}`, item, time);
  }

  /** `false`: there are no tokens. */
  #addUsage(request: JsonObject): boolean {
    const usage = request['usage'] ?? field(request['result'], 'usage');
    const input = count(field(usage, 'promptTokens'));
    const output = count(field(usage, 'completionTokens'));
    if (input === undefined || output === undefined) return false;
    const key = nonEmpty(request['requestId']) ?? markdown(request['message']);
    const model = nonEmpty(request['modelId'])?.replace(/^.*\//, '') ?? null;
    const at = timeOf(request['timestamp']) ?? null;
    this.#session.facts.request({ key, at, model, usage: { input, output } });
    return true;
  }
}

/** The number of the request that a change is about, if only one. */
function changedRequest({ k: path }: JsonObject): number | undefined {
  if (!Array.isArray(path) || path[0] !== 'requests') return undefined;
  const at: unknown = path[1];
  return typeof at === 'number' ? at : undefined;
}
