import type { JsonObject } from '../../../model/text/json.ts';
import type { CountedUsage, StoreFacts } from '../../../model/session/observed.ts';
import { parseAmount, field, nonEmpty, objects } from '../../shared/guards.ts';
import type { SessionNote } from '../../stores/storeFormat.ts';
import { FactsBuilder } from '../../stores/factsBuilder.ts';
import { syntheticModel } from '../session.ts';
import { modelUsage, termsOf, tokenUsage } from '../figures/usage.ts';
import { isFiller, isInterruption, isToolInterruption, typedPrompt } from './records.ts';

const missingSummaries = 'The store does not include the requests that summarized the conversation.';
const missingTitles = 'The store does not include the requests for titles.';
const missingHelperRequests = 'Claude Code before 2.1 does not store its requests to the small helper model.';
const missingAnswer = 'A response was interrupted before it was stored; its tokens are unknown.';

/** Facts from the records of a session. */
export class ClaudeFacts {
  readonly #facts = new FactsBuilder();
  readonly #session: string;
  readonly #notes: ReadonlyMap<string, SessionNote>;
  #customTitle: string | undefined;
  #aiTitle: string | undefined;
  #noteTitle: string | undefined;
  /** Keys of requests of the main conversation after the agent's own figure. */
  readonly #laterRequests = new Set<string>();
  /** A person asked something, and nothing has followed yet. */
  #isPromptUnanswered = false;

  constructor(session: string, notes: ReadonlyMap<string, SessionNote>) {
    this.#session = session;
    this.#notes = notes;
    this.#facts.id(session);
  }

  get records(): FactsBuilder['records'] {
    return this.#facts.records;
  }

  facts(): StoreFacts {
    this.#facts.title = this.#customTitle ?? this.#aiTitle ?? this.#noteTitle ?? null;
    const facts = this.#facts.facts();
    const { cost } = facts;
    return cost === null ? facts : { ...facts, cost: { ...cost, later: [...this.#laterRequests] } };
  }

  addRecord(record: JsonObject, isMain: boolean): void {
    const at = nonEmpty(record['timestamp']);
    const isChain = typeof record['uuid'] === 'string';
    if (isMain || isChain) this.#facts.time(at);
    const uuid = nonEmpty(record['uuid']) ?? nonEmpty(record['leafUuid']);
    if (uuid !== undefined) this.#noteTitle = this.#notes.get(uuid)?.title ?? this.#noteTitle;
    if (isChain) this.#addToChain(record, isMain);
    else this.#addOther(record);
    switch (record['type']) {
      case 'assistant':
        this.#readAssistant(record, at, isMain);
        break;
      case 'user':
      case 'attachment':
        if (isMain) this.#readUser(record, at);
        break;
      case 'system':
        if (isMain) this.#readSystem(record, at);
        break;
      default:
    }
  }

  #addToChain(record: JsonObject, isMain: boolean): void {
    const facts = this.#facts;
    if (isMain) facts.folder(nonEmpty(record['cwd']));
    const branch = nonEmpty(record['gitBranch']);
    if (branch !== undefined && isMain) facts.branch = branch;
    const version = nonEmpty(record['version']);
    if (version !== undefined) {
      facts.agentVersion = version;
      if (/^[01]\.|^2\.0\./.test(version)) facts.addMissing(missingHelperRequests);
    }
    const entrypoint = nonEmpty(record['entrypoint']);
    if (entrypoint !== undefined) {
      facts.entryPoint = entrypoint === 'cli' ? 'terminal' : entrypoint.startsWith('sdk') ? 'sdk' : 'chat';
    }
    const from = nonEmpty(record['requestSessionId']);
    if (from !== undefined && from !== this.#session) facts.parent = { id: from, kind: 'fork' };
  }

  #addOther(record: JsonObject): void {
    const facts = this.#facts;
    switch (record['type']) {
      case 'custom-title':
        this.#customTitle = nonEmpty(record['customTitle']) ?? this.#customTitle;
        break;
      case 'ai-title':
        this.#aiTitle = nonEmpty(record['aiTitle']) ?? this.#aiTitle;
        facts.addMissing(missingTitles);
        break;
      case 'cost-state':
        this.#readCostState(record);
        break;
      default:
    }
  }

  /** Written when a process ends; accumulates over resumes. */
  #readCostState(record: JsonObject): void {
    const usd = parseAmount(record['totalCostUSD']);
    if (usd === undefined) return;
    const facts = this.#facts;
    const isKnown = record['hasUnknownModelCost'] !== true;
    facts.cost = isKnown ? { usd, models: modelUsage(record['modelUsage']), later: [] } : null;
    this.#laterRequests.clear();
    if (facts.lastState !== 'empty') facts.setLastState('ended', null);
  }

  #readAssistant(record: JsonObject, at: string | undefined, isMain: boolean): void {
    const facts = this.#facts;
    const message = record['message'];
    const model = nonEmpty(field(message, 'model'));
    const owner = nonEmpty(record['requestSessionId']);
    const blocks = objects(field(message, 'content'));
    const calls = blocks.filter((block) => block['type'] === 'tool_use');
    for (const call of calls) {
      const id = nonEmpty(call['id']);
      if (id !== undefined) facts.call(countedUsage(id, at, owner));
    }
    if (isMain) {
      if (this.#isPromptUnanswered && isFiller(record)) facts.addMissing(missingAnswer);
      this.#isPromptUnanswered = false;
      const isError = record['isApiErrorMessage'] === true;
      const stop = nonEmpty(field(message, 'stop_reason'));
      const isAsking = calls.some((call) => call['name'] === 'AskUserQuestion');
      if (isError) facts.setLastState('interrupted', at);
      else if (calls.length > 0) facts.setLastState(isAsking ? 'question' : 'tool', at);
      else facts.setLastState(stop === 'end_turn' || stop === 'stop_sequence' ? 'answered' : 'answering', at);
    }
    if (model === undefined || model === syntheticModel) return;
    facts.model(model, isMain);
    const key = nonEmpty(field(message, 'id')) ?? nonEmpty(record['uuid']);
    const usage = tokenUsage(field(message, 'usage'));
    if (key === undefined || usage === null) return;
    if (isMain) {
      this.#laterRequests.add(key);
      facts.answer(key);
    }
    const terms = termsOf(field(message, 'usage'));
    facts.request({ ...countedUsage(key, at, owner), model, usage, ...(terms.length > 0 && { terms }) });
  }

  #readUser(record: JsonObject, at: string | undefined): void {
    const facts = this.#facts;
    const prompt = typedPrompt(record);
    const uuid = nonEmpty(record['uuid']);
    if (prompt !== undefined && uuid !== undefined) {
      if (this.#isPromptUnanswered) facts.addMissing(missingAnswer);
      this.#isPromptUnanswered = true;
      facts.prompt(countedUsage(uuid, at, undefined), prompt);
      facts.setLastState('answering', at);
    } else if (record['type'] === 'user') {
      if (record['isCompactSummary'] === true) facts.addMissing(missingSummaries);
      if (isInterruption(record)) {
        if (!isToolInterruption(record)) facts.addMissing(missingAnswer);
        this.#isPromptUnanswered = false;
        facts.setLastState('interrupted', at);
      } else if (record['isMeta'] !== true && objects(field(record['message'], 'content')).some(isResult)) {
        facts.setLastState('answering', at);
      }
    }
  }

  #readSystem(record: JsonObject, at: string | undefined): void {
    if (record['subtype'] === 'turn_duration') this.#facts.setLastState('answered', at);
    if (record['subtype'] === 'compact_boundary') this.#facts.addMissing(missingSummaries);
  }
}

function isResult(block: JsonObject): boolean {
  return block['type'] === 'tool_result';
}

function countedUsage(key: string, at: string | undefined, owner: string | undefined): CountedUsage {
  return { key, at: at ?? null, ...(owner !== undefined && { owner }) };
}
