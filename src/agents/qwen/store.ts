import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { TokenUsage } from '../../model/usage/usage.ts';
import { GeminiChatReader, identifyChat, placeOfChat, projectNotes } from '../gemini/store.ts';
import { code } from '../shared/describe.ts';
import { count, field, list, nonEmpty, objects, text } from '../shared/guards.ts';
import type { StoreFormat, StorePart, StoreRecord } from '../stores/storeFormat.ts';
import { storeRoots } from '../stores/roots.ts';
import { RecordParser, timeOf, type RecordReader, type StoreSession } from '../stores/storeSession.ts';
import { QwenCalls } from './calls.ts';

/**
 * The chats of Qwen Code: `~/.qwen/projects/<folder>/chats/<id>.jsonl`, append-only; a request appears twice, as an answer
 * and as telemetry. Earlier versions kept the files of Gemini CLI under `~/.qwen/tmp`. Sources: captured stores of 0.24.4;
 * names of records in the package `@qwen-code/qwen-code` 0.24.4.
 */
export const qwenStore: StoreFormat = {
  agent: 'qwen',
  label: 'Qwen Code',
  roots: storeRoots.qwen,
  place: placeOf,
  look: identifyChat,
  isDocument: (path) => path.endsWith('.json') || path.endsWith('/.project_root'),
  notes: projectNotes,
  createParser: (options) => new RecordParser(options, (session) => new QwenReader(session)),
  resume: (nativeId) => ({ program: 'qwen', args: ['--resume', nativeId] }),
};

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const chat = new RegExp(`^[^/]+/chats/(${uuid})\\.(jsonl|runtime\\.json)$`, 'i');
const subagentFile = new RegExp(`^[^/]+/subagents/(${uuid})/([^/]+)\\.jsonl$`, 'i');

function placeOf(path: string): StorePart | 'head' | undefined {
  const [, session, kind] = chat.exec(path) ?? [];
  if (session !== undefined) return { role: kind === 'jsonl' ? 'main' : 'sidecar', session };
  const [, parent, agent] = subagentFile.exec(path) ?? [];
  if (parent !== undefined && agent !== undefined) return { role: 'subagent', session: parent, agent };
  return placeOfChat(path);
}

const unrecorded = 'Qwen Code does not record its requests for prompt suggestions and command checks.';

/** Known records that repeat others or have no content. */
const bookkeeping = new Set([
  'attribution_snapshot',
  'file_history_snapshot',
  'session_model',
  'session_source',
  'session_sources_snapshot',
  'session_artifact_snapshot',
  'session_artifact_event',
  'branch_checkpoint',
  'turn_result',
  'user_text_elements',
  'at_command',
  'goal_state',
  'goal_runtime',
  'goal_turn_end',
]);

class QwenReader implements RecordReader {
  readonly #session: StoreSession;
  readonly #calls: QwenCalls;
  /** Reads the files of old versions. */
  readonly #oldFormat: GeminiChatReader;
  readonly #recordIds = new Set<string>();
  /** Telemetry of the request arrived; its answer follows, with the same figures. */
  #isRequestCounted = false;

  constructor(session: StoreSession) {
    this.#session = session;
    this.#calls = new QwenCalls(session);
    this.#oldFormat = new GeminiChatReader(session);
  }

  read(value: JsonObject | readonly unknown[], record: StoreRecord): boolean {
    if (!isObject(value)) return false;
    if (record.part.role === 'sidecar') return this.#readRuntime(value);
    const uuid = nonEmpty(value['uuid']);
    if (uuid === undefined) return this.#oldFormat.read(value, record);
    if (this.#recordIds.has(uuid)) return true;
    this.#recordIds.add(uuid);
    this.#session.addTime(value['timestamp']);
    if (record.part.role === 'subagent') return this.#readSubagentRecord(value, record.part.agent);
    const { facts } = this.#session;
    this.#session.setFolder(nonEmpty(value['cwd']));
    facts.branch = nonEmpty(value['gitBranch']) ?? facts.branch;
    facts.agentVersion = nonEmpty(value['version']) ?? facts.agentVersion;
    const fork = nonEmpty(field(value['forkedFrom'], 'sessionId'));
    if (fork !== undefined) facts.parent ??= { id: fork, kind: 'fork' };
    switch (value['type']) {
      case 'user':
        return this.#readUser(value, uuid, fork);
      case 'assistant':
        this.#answer(value, uuid, fork);
        return true;
      case 'tool_result':
        this.#calls.result(value);
        facts.setLastState('answering', this.#session.now);
        return true;
      case 'system':
        return this.#readSystem(value, fork);
      default:
        return false;
    }
  }

  /** Written by the program in a terminal while it runs, and never removed. */
  #readRuntime(value: JsonObject): boolean {
    const { facts } = this.#session;
    facts.entryPoint = 'terminal';
    facts.addMissing(unrecorded);
    this.#session.setFolder(nonEmpty(value['work_dir']));
    facts.agentVersion = nonEmpty(value['qwen_version']) ?? facts.agentVersion;
    return true;
  }

  #readUser(value: JsonObject, uuid: string, fork: string | undefined): boolean {
    const shown = partsText(value['message']);
    const { facts, now } = this.#session;
    const isByUser = value['provenance'] === undefined || value['provenance'] === 'real_user';
    if (!isByUser || value['subtype'] !== undefined) {
      if (shown !== '') this.#session.userMessage(shown, 'system');
      return true;
    }
    this.#session.userMessage(shown, 'human');
    facts.prompt({ key: originOf(value) ?? uuid, at: now, ...owner(fork) }, shown);
    facts.setLastState('answering', now);
    this.#isRequestCounted = false;
    return true;
  }

  #answer(value: JsonObject, uuid: string, fork: string | undefined): void {
    const { facts, now } = this.#session;
    const model = nonEmpty(value['model']);
    this.#session.model(model);
    const usage = usageOf(value['usageMetadata'], names.answer);
    const key = originOf(value) ?? uuid;
    if (!this.#isRequestCounted && usage !== undefined) {
      facts.request({ key, at: now, model: model ?? null, usage, ...owner(fork) });
    }
    this.#isRequestCounted = false;
    const calls = this.#readParts(value['message']);
    facts.setLastState(calls > 0 ? 'tool' : 'answered', now);
  }

  /** Returns the number of calls among the parts. */
  #readParts(message: unknown, parentCallId?: string): number {
    const extra = parentCallId === undefined ? {} : { parentCallId };
    let calls = 0;
    for (const part of objects(field(message, 'parts'))) {
      const shown = text(part['text']);
      if (shown !== undefined) this.#session.addText(part['thought'] === true ? 'thinking' : 'text', shown, extra);
      else if (isObject(part['functionCall'])) {
        this.#calls.call(part['functionCall'], parentCallId);
        calls += 1;
      } else this.#session.unknown('Unknown part type', JSON.stringify(part));
    }
    return calls;
  }

  #readSystem(value: JsonObject, fork: string | undefined): boolean {
    const subtype = text(value['subtype']) ?? '';
    const payload = value['systemPayload'];
    const { facts, now, run } = this.#session;
    switch (subtype) {
      case 'ui_telemetry':
        this.#readTelemetry(field(payload, 'uiEvent'), fork);
        return true;
      case 'custom_title':
        facts.title = nonEmpty(field(payload, 'customTitle')) ?? facts.title;
        return true;
      case 'parent_session': {
        const id = nonEmpty(field(payload, 'parentSessionId'));
        if (id !== undefined) facts.parent = { id, kind: 'subagent' };
        return true;
      }
      case 'mid_turn_user_message': {
        const shown = nonEmpty(field(payload, 'displayText')) ?? partsText(value['message']);
        this.#session.userMessage(shown, 'human');
        facts.prompt({ key: originOf(value) ?? nonEmpty(value['uuid']) ?? now, at: now, ...owner(fork) }, shown);
        return true;
      }
      case 'chat_compression':
        run.system('compaction', 'The chat was compressed.', now);
        for (const message of objects(field(payload, 'compressedHistory'))) {
          if (message['role'] === 'user') this.#session.userMessage(partsText(message), 'compaction');
        }
        return true;
      case 'slash_command':
        if (field(payload, 'phase') === 'invocation') {
          run.system('slash_command', `Command ${code(text(field(payload, 'rawCommand')) ?? '')}`, now);
        }
        return true;
      case 'rewind':
        run.system('rewind', 'The chat was rewound: the model no longer sees the messages after an earlier one.', now);
        facts.setLastState('answered', now);
        return true;
      default:
        return bookkeeping.has(subtype);
    }
  }

  #readTelemetry(event: unknown, fork: string | undefined): void {
    const { facts, now } = this.#session;
    const at = timeOf(field(event, 'event.timestamp')) ?? now;
    switch (field(event, 'event.name')) {
      case 'qwen-code.api_response': {
        const usage = usageOf(event, names.telemetry);
        const key = nonEmpty(field(event, 'response_id')) ?? `${nonEmpty(field(event, 'prompt_id')) ?? ''} ${at}`;
        const model = nonEmpty(field(event, 'model')) ?? null;
        if (usage !== undefined) facts.request({ key, at, model, usage, ...owner(fork) });
        if (field(event, 'subagent_name') === undefined) this.#isRequestCounted = usage !== undefined;
        return;
      }
      case 'qwen-code.api_error': {
        const message = nonEmpty(field(event, 'error')) ?? nonEmpty(field(event, 'error_message'));
        const status = count(field(event, 'status_code'));
        const shown = message ?? 'A request to the model failed.';
        this.#session.run.error(shown, status === undefined ? undefined : `http_${status}`, at);
        facts.setLastState('interrupted', at);
        return;
      }
      case 'qwen-code.tool_call':
        this.#calls.addDecision(event);
    }
  }

  #readSubagentRecord(value: JsonObject, agent: string): boolean {
    const parentCallId = this.#calls.callOfAgent(agent);
    const extra = parentCallId === undefined ? {} : { parentCallId };
    switch (value['type']) {
      case 'user':
        this.#session.userMessage(partsText(value['message']), 'subagent', extra);
        return true;
      case 'assistant':
        this.#session.facts.model(nonEmpty(value['model']));
        this.#readParts(value['message'], parentCallId);
        return true;
      case 'tool_result':
        this.#calls.result(value);
        return true;
      case 'system':
        this.#readTelemetry(field(value['systemPayload'], 'uiEvent'), undefined);
        return true;
      default:
        return false;
    }
  }
}

/** The id of the record that this one is a copy of. */
function originOf(value: JsonObject): string | undefined {
  return nonEmpty(field(value['forkedFrom'], 'messageUuid'));
}

function owner(fork: string | undefined): { readonly owner?: string } {
  return fork === undefined ? {} : { owner: fork };
}

function partsText(message: unknown): string {
  return list(field(message, 'parts'))
    .map((part) => text(field(part, 'text')) ?? '')
    .join('');
}

const names = {
  answer: {
    input: 'promptTokenCount',
    output: 'candidatesTokenCount',
    cached: 'cachedContentTokenCount',
    thoughts: 'thoughtsTokenCount',
  },
  telemetry: {
    input: 'input_token_count',
    output: 'output_token_count',
    cached: 'cached_content_token_count',
    thoughts: 'thoughts_token_count',
  },
} as const;

/** Input includes cache reads, output includes thoughts. */
function usageOf(value: unknown, name: Readonly<Record<keyof typeof names.answer, string>>): TokenUsage | undefined {
  const input = count(field(value, name.input));
  const output = count(field(value, name.output));
  if (input === undefined && output === undefined) return undefined;
  const cacheRead = count(field(value, name.cached)) ?? 0;
  const reasoning = count(field(value, name.thoughts)) ?? 0;
  return { input: Math.max(0, (input ?? 0) - cacheRead), output: output ?? 0, cacheRead, reasoning };
}
