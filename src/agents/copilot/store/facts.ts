import type { JsonObject } from '../../../model/text/json.ts';
import type { StoreFacts } from '../../../model/session/observed.ts';
import type { ModelUsage } from '../../../model/usage/usage.ts';
import { field, nonEmpty, objects } from '../../shared/guards.ts';
import { textOfBlocks } from '../../shared/resultText.ts';
import { FactsBuilder } from '../../stores/factsBuilder.ts';
import { requestUsage, usageFile, type CopilotEvent } from '../wire.ts';

const uncountedReason = 'Copilot CLI did not store the tokens it used to summarize the conversation.';

/** Events that ask a person something other than a permission. */
const questions = new Set([
  'elicitation.requested',
  'exit_plan_mode.requested',
  'user_input.requested',
  'sampling.requested',
]);

/** Facts from the events of a session. */
export class CopilotFacts {
  readonly #facts = new FactsBuilder();
  readonly #session: string;
  readonly #permissions = new Set<string>();
  #totals: readonly ModelUsage[] = [];
  #hasRequests = false;

  constructor(session: string) {
    this.#session = session;
    this.#facts.id(session);
  }

  get records(): FactsBuilder['records'] {
    return this.#facts.records;
  }

  facts(): StoreFacts {
    // Older versions store only totals, which accumulate.
    if (!this.#hasRequests) {
      for (const { model, ...usage } of this.#totals) {
        const key = `${this.#session}:${model}`;
        this.#facts.request({ key, at: null, model: model === '' ? null : model, usage });
      }
    }
    return this.#facts.facts();
  }

  workspace(fields: ReadonlyMap<string, string>): void {
    const facts = this.#facts;
    facts.folder(fields.get('cwd'));
    facts.branch = fields.get('branch') ?? facts.branch;
    // Until a person renames it, its name is its first prompt.
    if (fields.get('user_named') === 'true') facts.title = fields.get('name') ?? facts.title;
    facts.time(fields.get('created_at'));
  }

  addEvent(event: CopilotEvent, at: string | undefined): void {
    const facts = this.#facts;
    const { type, data, id } = event;
    facts.time(at);
    const isMain = event.agentId === undefined && event.parentCallId === undefined;
    switch (type) {
      case 'session.start':
      case 'session.resume':
        this.#readSessionStart(data);
        break;
      case 'session.usage_record':
        this.#addUsage(field(data, 'usage'), at);
        break;
      case 'session.compaction_complete':
        this.#addCompactionUsage(data, id, at);
        break;
      case 'session.shutdown': {
        const snapshot = field(data, 'accountingSnapshot') ?? data;
        this.#totals = usageFile(snapshot)?.models ?? this.#totals;
        break;
      }
      case 'user.message':
        if (isMain && nonEmpty(data['source']) === undefined && id !== undefined) {
          facts.prompt({ key: id, at: at ?? null }, textOfBlocks(data['content']) ?? '');
        }
        break;
      case 'assistant.message':
        if (isMain) facts.model(nonEmpty(data['model']));
        for (const call of objects(data['toolRequests'])) this.#addCall(nonEmpty(call['toolCallId']), at);
        break;
      case 'tool.execution_start':
        this.#addCall(nonEmpty(data['toolCallId']), at);
        break;
      default:
    }
    this.#updateState(event, isMain, at);
  }

  #updateState({ type, data }: CopilotEvent, isMain: boolean, at: string | undefined): void {
    const facts = this.#facts;
    const request = nonEmpty(data['requestId']) ?? '';
    if (type === 'permission.requested') this.#permissions.add(request);
    if (type === 'permission.completed') this.#permissions.delete(request);
    if (this.#permissions.size > 0 && type !== 'session.shutdown') {
      if (type === 'permission.requested') facts.setLastState('permission', at);
      return;
    }
    if (questions.has(type)) facts.setLastState('question', at);
    else if (type === 'session.shutdown') {
      this.#permissions.clear();
      facts.setLastState('ended', at);
    } else if (type === 'permission.completed') facts.setLastState('tool', at);
    else if (type === 'abort') facts.setLastState('interrupted', at);
    else if (!isMain) return;
    else if (type === 'user.message' || type === 'assistant.turn_start' || type === 'tool.execution_complete') {
      facts.setLastState('answering', at);
    } else if (type === 'tool.execution_start') facts.setLastState('tool', at);
    else if (type === 'assistant.turn_end') facts.setLastState('answered', at);
    else if (type === 'session.resume') facts.setLastState('answered', at);
  }

  #readSessionStart(data: JsonObject): void {
    const facts = this.#facts;
    const { context } = data;
    facts.folder(nonEmpty(field(context, 'cwd')));
    facts.branch = nonEmpty(field(context, 'branch')) ?? facts.branch;
    facts.agentVersion = nonEmpty(data['copilotVersion']) ?? facts.agentVersion;
  }

  #addUsage(usage: unknown, at: string | undefined): void {
    if (typeof usage !== 'object' || usage === null) return;
    const accounting = field(usage, 'accounting');
    const key = nonEmpty(field(accounting, 'usageId')) ?? nonEmpty(field(usage, 'apiCallId'));
    const found = requestUsage({ ...usage });
    if (key === undefined || found === undefined) return;
    const owner = nonEmpty(field(accounting, 'sourceSessionId'));
    const { model, ...tokens } = found;
    this.#hasRequests = true;
    this.#facts.request({
      key,
      at: at ?? null,
      model: model === '' ? null : model,
      usage: tokens,
      ...(owner !== undefined && owner !== this.#session && { owner }),
    });
  }

  /** Its tokens are recorded only here. */
  #addCompactionUsage(data: JsonObject, id: string | undefined, at: string | undefined): void {
    const used = data['compactionTokensUsed'];
    const found = typeof used === 'object' && used !== null ? requestUsage({ ...used }) : undefined;
    const key = nonEmpty(data['compactionAttemptId']) ?? id;
    if (found === undefined || key === undefined) {
      this.#facts.addMissing(uncountedReason);
      return;
    }
    const { model, ...usage } = found;
    this.#facts.request({ key, at: at ?? null, model: model === '' ? null : model, usage });
  }

  #addCall(id: string | undefined, at: string | undefined): void {
    if (id !== undefined) this.#facts.call({ key: id, at: at ?? null });
  }
}
