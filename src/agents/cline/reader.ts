import { isObject, type JsonObject } from '../../model/text/json.ts';
import { parseAmount, count, field, nonEmpty, objects, text } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { StoreRecord } from '../stores/storeFormat.ts';
import { ShownItems } from '../stores/displayedItems.ts';
import { timeOf, type RecordReader, type StoreSession } from '../stores/storeSession.ts';
import { historyItems } from './history.ts';
import { conversationOf, type PlacedItem } from './messages.ts';
import { billedUsage, type CacheInclusionRule } from './usage.ts';

const requestKinds = new Set(['api_req_started', 'deleted_api_reqs', 'subagent_usage']);

/** Reads the files of one task. Entries come from what the person saw; if that file is missing, from what the model saw. */
export class TaskReader implements RecordReader {
  readonly #session: StoreSession;
  readonly #includesCache: CacheInclusionRule;
  readonly #shownItems: ShownItems;
  /** Models by the time of first use, oldest first. */
  #models: readonly { readonly from: number; readonly model: string; readonly provider: string | undefined }[] = [];
  #history: readonly JsonObject[] = [];
  #hasMessages = false;

  constructor(session: StoreSession, rule: CacheInclusionRule) {
    this.#session = session;
    this.#includesCache = rule;
    this.#shownItems = new ShownItems(session);
    session.facts.entryPoint = 'chat';
    const id = session.options.session;
    session.setFolder(session.options.notes.get(id)?.folder);
  }

  read(value: JsonObject | readonly unknown[], record: StoreRecord): boolean {
    if (/(?:ui|claude)_messages\.json$/.test(record.path)) return this.#readMessages(objects(value));
    if (record.path.endsWith('api_conversation_history.json')) {
      this.#readHistory(objects(isObject(value) ? value['messages'] : value));
      return true;
    }
    if (!isObject(value)) return false;
    if (record.path.endsWith('history_item.json')) this.#readHistoryItem(value);
    else this.#readMetadata(value);
    return true;
  }

  end(isLive: boolean): void {
    if (!this.#hasMessages) this.#show(historyItems(this.#history, this.#session.options.session, this.#folder));
    if (!isLive) this.#shownItems.cancelRunning();
  }

  settle(): void {
    if (!this.#hasMessages && this.#history.length > 0) {
      this.#session.facts.addMissing('The file with the token counts of the task is missing.');
    }
  }

  get #folder(): string {
    return this.#session.folder ?? '';
  }

  #readHistoryItem(item: JsonObject): void {
    const { facts } = this.#session;
    this.#session.setFolder(nonEmpty(item['workspace']));
    facts.time(timeOf(item['ts']));
    const parent = nonEmpty(item['parentTaskId']);
    if (parent !== undefined) facts.parent = { id: parent, kind: 'subagent' };
  }

  #readMetadata(value: JsonObject): void {
    this.#models = objects(value['model_usage']).flatMap((usage) => {
      const model = nonEmpty(usage['model_id']);
      const from = count(usage['ts']);
      return model === undefined || from === undefined
        ? []
        : [{ from, model, provider: nonEmpty(usage['model_provider_id']) }];
    });
  }

  /** The program tells the model about the folder and the model itself, in its own tags. */
  #readHistory(history: readonly JsonObject[]): void {
    this.#history = history;
    const first = history.find((message) => message['role'] === 'user');
    const details = objects(first?.['content'])
      .map((block) => text(block['text']) ?? '')
      .join('\n');
    if (this.#session.folder === undefined) {
      this.#session.setFolder(/\n# Current (?:Workspace|Working) Directory \(([^)\n]+)\)/.exec(details)?.[1]);
    }
    const model = /<model>([^<\n]{1,100})<\/model>/.exec(details)?.[1];
    if (this.#models.length === 0 && model !== undefined) this.#models = [{ from: 0, model, provider: undefined }];
  }

  #readMessages(messages: readonly JsonObject[]): boolean {
    this.#hasMessages = true;
    const { facts, options } = this.#session;
    for (const message of messages) this.#request(message);
    const { items, last } = conversationOf(messages, options.session, this.#folder);
    const times = messages.map((message) => timeOf(message['ts']));
    for (const time of times) facts.time(time);
    this.#show(items, times);
    facts.setLastState(
      last,
      times.findLast((time) => time !== undefined),
    );
    return true;
  }

  #show(items: readonly PlacedItem[], times: readonly (string | undefined)[] = []): void {
    for (const { at, item, prompt } of items) {
      const time = this.#session.addTime(times[at]);
      if (prompt !== undefined)
        this.#session.facts.prompt({ key: `${this.#session.options.session}-${at}`, at: time }, prompt);
      this.#shownItems.show(`${at}`, item, time);
    }
  }

  #request(message: JsonObject): void {
    const { facts, options } = this.#session;
    const at = count(message['ts']) ?? 0;
    const kind = text(message['say']);
    const key = `${options.session}:${at}:${kind ?? ''}`;
    const used = this.#models.findLast(({ from }) => from <= at) ?? this.#models[0];
    const model = nonEmpty(field(message['modelInfo'], 'modelId')) ?? used?.model;
    const provider = nonEmpty(field(message['modelInfo'], 'providerId')) ?? used?.provider;
    const time = timeOf(at) ?? null;
    if (kind === 'condense_context') {
      const usd = parseAmount(field(message['contextCondense'], 'cost'));
      if (usd !== undefined && usd > 0) facts.request({ key, at: time, model: model ?? null, usage: {}, usd });
      facts.addMissing('The store does not include the tokens of requests that condense the conversation.');
      return;
    }
    if (kind === undefined || !requestKinds.has(kind)) return;
    const info = parse(text(message['text']) ?? '');
    const found = isObject(info) ? billedUsage(info, { includesCache: this.#includesCache, at, provider }) : undefined;
    if (found === undefined) return;
    this.#session.model(model);
    const { usage, usd } = found;
    facts.request({ key, at: time, model: model ?? null, usage, ...(usd !== undefined && { usd }) });
  }
}
