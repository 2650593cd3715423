import type { JsonObject } from '../../../model/text/json.ts';
import type { StoreFacts, StoreRequest } from '../../../model/session/observed.ts';
import { subtractUsage, totalTokens, type TokenUsage } from '../../../model/usage/usage.ts';
import { field, isTrue, nonEmpty } from '../../shared/guards.ts';
import type { SessionNote } from '../../stores/storeFormat.ts';
import { FactsBuilder } from '../../stores/factsBuilder.ts';
import { tokenUsage } from '../wire.ts';
import { userText } from './items.ts';
import { isPlain } from './plainRecords.ts';

const missingTitles = 'Codex does not store requests for titles in its terminal.';
const missingTokens = 'This version of Codex does not store tokens.';

/** Tokens from one thread's file so far. */
interface TokenCounter {
  /** The id in the keys of its requests. */
  id: string;
  model: string | undefined;
  /** The last total. */
  total: TokenUsage;
  /** The process has not counted anything yet. */
  isNewProcess: boolean;
  /** How often a process started counting again. */
  restarts: number;
  /** Latest message of a person. */
  prompt: string;
  /** Keys of requests before the first model. */
  readonly unnamed: string[];
  /** Each request has its own record, so totals add nothing. */
  hasRecords: boolean;
  /** The totals include those of the thread that it was forked from. */
  inheritsTotals: boolean;
}

/** Facts from the records of a session's threads. */
export class CodexFacts {
  readonly #facts = new FactsBuilder();
  readonly #session: string;
  readonly #title: string | null;
  readonly #threads = new Map<string, TokenCounter>();

  constructor(session: string, notes: ReadonlyMap<string, SessionNote>) {
    this.#session = session;
    this.#title = notes.get(session)?.title ?? null;
    this.#facts.id(session);
  }

  get records(): FactsBuilder['records'] {
    return this.#facts.records;
  }

  facts(): StoreFacts {
    this.#facts.title ??= this.#title;
    return this.#facts.facts();
  }

  /** `thread`: the subagent of the record; absent for the main conversation. */
  addRecord(record: JsonObject, thread: string | undefined): void {
    const facts = this.#facts;
    const at = nonEmpty(record['timestamp']);
    facts.time(at);
    const payload = record['payload'];
    const isMain = thread === undefined;
    const counter = this.#tokenCounter(thread ?? this.#session);
    switch (record['type']) {
      case 'session_meta':
        this.#readMeta(payload, isMain, counter);
        break;
      case 'turn_context':
        this.#setModel(nonEmpty(field(payload, 'model')), counter);
        facts.model(counter.model, isMain);
        if (isMain) facts.folder(nonEmpty(field(payload, 'cwd')));
        break;
      case 'token_usage_record':
        this.#addUsage(payload, at, counter);
        break;
      case 'response_item':
        this.#readItem(payload, at, isMain);
        break;
      case 'event_msg':
        this.#readEvent(payload, at, isMain, counter);
        break;
      default:
    }
  }

  #tokenCounter(id: string): TokenCounter {
    const known = this.#threads.get(id);
    if (known !== undefined) return known;
    const fresh: TokenCounter = {
      id,
      model: undefined,
      total: {},
      isNewProcess: false,
      restarts: 0,
      prompt: '',
      unnamed: [],
      hasRecords: false,
      inheritsTotals: false,
    };
    this.#threads.set(id, fresh);
    return fresh;
  }

  #readMeta(payload: unknown, isMain: boolean, counter: TokenCounter): void {
    const facts = this.#facts;
    counter.hasRecords ||= field(payload, 'history_mode') === 'paginated';
    if (isPlain(payload)) facts.addMissing(missingTokens);
    const forkedFrom = nonEmpty(field(payload, 'forked_from_id'));
    counter.inheritsTotals ||= field(payload, 'history_base') !== undefined;
    // Older forks repeat the history with its totals.
    if (forkedFrom !== undefined && !counter.inheritsTotals) counter.id = forkedFrom;
    // A fork can also repeat the first record of its history.
    if (!isMain || nonEmpty(field(payload, 'id')) !== this.#session) return;
    if (forkedFrom !== undefined) facts.parent = { id: forkedFrom, kind: 'fork' };
    facts.folder(nonEmpty(field(payload, 'cwd')));
    facts.branch = nonEmpty(field(field(payload, 'git'), 'branch')) ?? facts.branch;
    facts.agentVersion = nonEmpty(field(payload, 'cli_version')) ?? facts.agentVersion;
    const source = nonEmpty(field(payload, 'source'));
    const isTerminal = source === 'cli' || nonEmpty(field(payload, 'originator'))?.includes('tui') === true;
    facts.entryPoint = isTerminal ? 'terminal' : source === 'vscode' ? 'chat' : source === undefined ? null : 'sdk';
    if (isTerminal && counter.hasRecords) facts.addMissing(missingTitles);
  }

  /** One per request, compaction included. */
  #addUsage(payload: unknown, at: string | undefined, counter: TokenCounter): void {
    counter.hasRecords = true;
    const key = nonEmpty(field(payload, 'response_id'));
    const usage = tokenUsage(field(payload, 'usage'));
    if (key === undefined || usage === null) return;
    const owner = nonEmpty(field(payload, 'session_id'));
    this.#request(
      { key, at: at ?? null, usage, ...(owner !== undefined && owner !== this.#session && { owner }) },
      counter,
    );
  }

  #request(request: Omit<StoreRequest, 'model'>, counter: TokenCounter): void {
    const { key } = request;
    if (counter.model === undefined) counter.unnamed.push(key);
    this.#facts.request({ ...request, model: counter.model ?? null });
    this.#facts.answer(key);
  }

  /** A fork that starts with a compaction names its model only afterwards. */
  #setModel(model: string | undefined, counter: TokenCounter): void {
    if (model === undefined) return;
    counter.model = model;
    for (const key of counter.unnamed.splice(0)) this.#facts.nameModel(key, model);
  }

  /** Totals are repeated often; only their increase counts. In older versions (0.77), each process starts counting at 0. */
  #addTotal(info: unknown, at: string | undefined, counter: TokenCounter): void {
    if (info === null) counter.isNewProcess = true;
    const total = tokenUsage(field(info, 'total_token_usage'));
    if (total === null || counter.hasRecords) return;
    const isFirst = totalTokens(counter.total) === 0;
    const last = tokenUsage(field(info, 'last_token_usage'));
    const before = totalTokens(counter.total);
    const isAll = last !== null && totalTokens(last) === totalTokens(total);
    const isRestart =
      !isFirst && (totalTokens(total) < before || (isAll && (counter.isNewProcess || totalTokens(total) > before)));
    counter.isNewProcess = false;
    if (isRestart) counter.restarts += 1;
    const usage =
      isFirst && counter.inheritsTotals && last !== null
        ? last
        : isRestart
          ? total
          : subtractUsage(total, counter.total);
    counter.total = total;
    if (totalTokens(usage) === 0) return;
    const { input = 0, cacheRead = 0, output = 0 } = total;
    // Two forks can reach the same total in different steps.
    const step = last === null ? '' : `${totalTokens(last)}:${last.output ?? 0}`;
    const process = counter.restarts === 0 ? '' : `${counter.restarts}:${counter.prompt}`;
    const key = `${counter.id}:${input}:${cacheRead}:${output}:${step}:${process}`;
    this.#request({ key, at: at ?? null, usage }, counter);
  }

  #readItem(payload: unknown, at: string | undefined, isMain: boolean): void {
    const facts = this.#facts;
    const type = nonEmpty(field(payload, 'type')) ?? '';
    const id = nonEmpty(field(payload, 'call_id')) ?? nonEmpty(field(payload, 'id'));
    if (type.endsWith('_call') && id !== undefined) {
      facts.call({ key: id, at: at ?? null });
      if (isMain) facts.setLastState('tool', at);
    } else if (type.endsWith('_call_output') && isMain) facts.setLastState('answering', at);
  }

  #readEvent(payload: unknown, at: string | undefined, isMain: boolean, counter: TokenCounter): void {
    const facts = this.#facts;
    const type = field(payload, 'type');
    if (type === 'token_count') this.#addTotal(field(payload, 'info'), at, counter);
    const item = field(payload, 'item');
    if (!isMain) return;
    if (type === 'thread_name_updated') facts.title = nonEmpty(field(payload, 'thread_name')) ?? facts.title;
    else if (type === 'task_started') facts.setLastState('answering', at);
    else if (type === 'task_complete')
      facts.setLastState(
        field(payload, 'error') === undefined || field(payload, 'error') === null ? 'answered' : 'interrupted',
        at,
      );
    // Older versions do not store the end of a turn.
    else if (type === 'agent_message' && !counter.hasRecords) facts.setLastState('answered', at);
    else if (type === 'turn_aborted') facts.setLastState('interrupted', at);
    else if (type === 'user_message' && !counter.hasRecords) this.#addPrompt(payload, at, counter);
    else if (type === 'item_completed' && field(item, 'type') === 'UserMessage') this.#addPrompt(item, at, counter);
  }

  #addPrompt(item: unknown, at: string | undefined, counter: TokenCounter): void {
    if (typeof item !== 'object' || item === null || isTrue(field(item, 'is_internal'))) return;
    const text = userText({ ...item });
    const key =
      nonEmpty(field(item, 'id')) ?? `${at ?? `${this.#session} ${this.records.total}`}:${text.slice(0, 200)}`;
    counter.prompt = text.slice(0, 200);
    this.#facts.prompt({ key, at: at ?? null }, text);
    this.#facts.setLastState('answering', at);
  }
}
