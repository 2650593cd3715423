import type {
  CountedUsage,
  EntryPoint,
  LastRecord,
  StoreCost,
  StoreFacts,
  StorePrompt,
  StoreRequest,
} from '../../model/session/observed.ts';
import { totalTokens } from '../../model/usage/usage.ts';

/** Items per session. Further ones are not listed, which `missing` says. */
const maxCounted = 200_000;
const maxNames = 1000;
const maxPrompt = 100_000;

/** Gathers the facts of one session from its records. */
export class FactsBuilder {
  readonly #ids: string[] = [];
  readonly #folders: string[] = [];
  readonly #models: string[] = [];
  readonly #prompts = new Map<string, StorePrompt>();
  /** Prompts without a request after them. */
  readonly #unansweredPrompts = new Set<string>();
  readonly #calls = new Map<string, CountedUsage>();
  readonly #requests = new Map<string, StoreRequest>();
  readonly #missingReasons = new Set<string>();
  #startedAt: string | null = null;
  #lastActivityAt: string | null = null;
  #lastTime = Number.NEGATIVE_INFINITY;
  #uncountedRecords = 0;
  #last: StoreFacts['last'] = { state: 'empty', at: null };
  parent: StoreFacts['parent'] = null;
  branch: string | null = null;
  title: string | null = null;
  firstPrompt: string | null = null;
  agentVersion: string | null = null;
  entryPoint: EntryPoint | null = null;
  cost: StoreCost | null = null;
  readonly records = { total: 0, unknown: 0, malformed: 0 };

  id(id: string | undefined): void {
    if (id !== undefined) addName(this.#ids, id);
  }

  /** The agent's current folder. */
  folder(folder: string | undefined): void {
    if (folder === undefined || this.#folders.at(-1) === folder) return;
    const at = this.#folders.indexOf(folder);
    if (at !== -1) this.#folders.splice(at, 1);
    if (this.#folders.length < maxNames) this.#folders.push(folder);
  }

  /** The last one is the current model of the main conversation. */
  model(model: string | undefined, isMain = true): void {
    if (model === undefined || model === this.#models.at(-1)) return;
    const at = this.#models.indexOf(model);
    if (!isMain) {
      if (at === -1 && this.#models.length < maxNames) this.#models.unshift(model);
      return;
    }
    if (at !== -1) this.#models.splice(at, 1);
    addName(this.#models, model);
  }

  /** Something happened at this time. ISO 8601; invalid times are ignored. */
  time(at: string | undefined): void {
    const time = at === undefined ? Number.NaN : Date.parse(at);
    if (at === undefined || Number.isNaN(time)) return;
    this.#startedAt ??= at;
    if (time < this.#lastTime) return;
    this.#lastTime = time;
    this.#lastActivityAt = at;
  }

  prompt(prompt: CountedUsage, text: string): void {
    this.firstPrompt ??= text.length > maxPrompt ? text.slice(0, maxPrompt) : text;
    if (!this.#prompts.has(prompt.key)) this.#unansweredPrompts.add(prompt.key);
    this.#count(this.#prompts, prompt);
  }

  /** Call for the first request after the latest prompts. */
  answer(request: string): void {
    for (const key of this.#unansweredPrompts) {
      const prompt = this.#prompts.get(key);
      if (prompt !== undefined) this.#prompts.set(key, { ...prompt, answer: request });
    }
    this.#unansweredPrompts.clear();
  }

  call(call: CountedUsage): void {
    this.#count(this.#calls, call);
  }

  /** If a request is recorded more than once, the record with the most tokens counts. */
  request(request: StoreRequest): void {
    const before = this.#requests.get(request.key);
    if (before === undefined) this.#count(this.#requests, request);
    else if (totalTokens(request.usage) > totalTokens(before.usage)) this.#requests.set(request.key, request);
  }

  /** The model of a request, known later. */
  nameModel(key: string, model: string): void {
    const request = this.#requests.get(key);
    if (request?.model === null) this.#requests.set(key, { ...request, model });
  }

  /** Why the store lacks billed requests: a sentence. */
  addMissing(reason: string): void {
    this.#missingReasons.add(reason);
  }

  setLastState(state: LastRecord, at: string | null | undefined): void {
    this.#last = { state, at: at ?? this.#lastActivityAt };
  }

  get lastState(): LastRecord {
    return this.#last.state;
  }

  facts(): StoreFacts {
    const { parent, branch, title, firstPrompt, agentVersion, entryPoint, cost, records } = this;
    if (this.#uncountedRecords > 0) this.addMissing(`Too many records: ${this.#uncountedRecords} are not counted.`);
    return {
      nativeIds: [...this.#ids],
      parent,
      folders: [...this.#folders],
      branch,
      title,
      firstPrompt,
      startedAt: this.#startedAt,
      lastActivityAt: this.#lastActivityAt,
      agentVersion,
      models: [...this.#models],
      entryPoint,
      prompts: [...this.#prompts.values()],
      toolCalls: [...this.#calls.values()],
      requests: [...this.#requests.values()],
      cost,
      missing: [...this.#missingReasons],
      last: this.#last,
      records: { ...records },
    };
  }

  #count<T extends CountedUsage>(counted: Map<string, T>, item: T): void {
    if (counted.has(item.key)) return;
    if (counted.size < maxCounted) counted.set(item.key, item);
    else this.#uncountedRecords += 1;
  }
}

function addName(names: string[], name: string): void {
  if (name !== '' && names.length < maxNames && !names.includes(name)) names.push(name);
}
