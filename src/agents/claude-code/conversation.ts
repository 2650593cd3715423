import type { NormalizedEntry, Origin } from '../../model/transcript/entry.ts';
import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';
import type { ToolCalls } from './tools/calls.ts';
import { blockText, resultText } from '../shared/resultText.ts';
import { errorCode } from './figures/errors.ts';
import type { Line } from './line.ts';
import type { Partials } from './texts/partials.ts';
import type { RunState } from './figures/runState.ts';
import { syntheticModel, type SessionInfo } from './session.ts';
import type { Texts } from './texts/texts.ts';
import { resultStatus } from './tools/toolOutcome.ts';
import type { MessageUsages } from './figures/usage.ts';
import { count, field, isTrue, list, nonEmpty, objects, text } from '../shared/guards.ts';
import type { EntryWriter } from '../shared/normalizer/entryWriter.ts';

/** Text of an interruption, in versions without a field for it. */
const interruption = /^\[Request interrupted by user(?: for tool use)?\]$/;

interface Parts {
  readonly writer: EntryWriter;
  readonly session: SessionInfo;
  readonly texts: Texts;
  readonly calls: ToolCalls;
  readonly usages: MessageUsages;
  readonly state: RunState;
  /** Adds a block of an unknown kind as a separate entry. */
  readonly unknownBlock: (block: unknown, line: Line) => void;
}

/** `assistant` and `user` lines, and the blocks in them. */
export class Conversation {
  readonly #parts: Parts;
  readonly #prompt: string | undefined;
  #isPromptReplayed = false;
  #userLines = 0;
  #isAfterCompaction = false;
  compactions = 0;

  constructor(parts: Parts, prompt: string | undefined) {
    this.#parts = parts;
    this.#prompt = prompt?.trim();
  }

  /** Lines of the main conversation on the user's side, without replayed prompts. */
  get userLines(): number {
    return this.#userLines;
  }

  /** The next message that the agent writes for itself is the summary of the conversation. */
  handleCompaction(): void {
    this.#isAfterCompaction = true;
    this.compactions += 1;
  }

  /** `false`: not a message. */
  readAssistantMessage(line: Line, partials: Partials): boolean {
    const message = line.message['message'];
    if (!isObject(message)) return false;
    const blocks = contentBlocks(message['content']);
    if (blocks === undefined) return false;
    const id = nonEmpty(message['id']);
    const model = nonEmpty(message['model']);
    const ended = text(message['stop_reason']);
    const { session, texts, usages, state } = this.#parts;
    if (line.parentCallId === null && model !== syntheticModel) {
      session.setModel(model);
      texts.message(id);
    }
    if (ended === 'refusal' && model !== syntheticModel) state.isRefused = true;
    if (id !== undefined && model !== syntheticModel) {
      usages.addUsage({
        messageId: id,
        model: model ?? null,
        parentCallId: line.parentCallId,
        usage: message['usage'],
        isFinal: ended !== undefined,
      });
    }
    if (id !== undefined && model !== syntheticModel) partials.follows(id, line);
    const api = apiError(line.message, ended);
    for (const block of blocks) {
      if (api !== undefined && field(block, 'type') === 'text') this.#addApiError(block, api, line);
      else this.block(block, line, model, { id, partials });
    }
    if (line.message['aborted'] === true) state.isInterrupted = true;
    return true;
  }

  /** One block of a message of the model. */
  block(block: unknown, line: Line, model: string | undefined, from?: { id: string | undefined; partials: Partials }) {
    const type = field(block, 'type');
    if (typeof block === 'string') this.#addText('text', block, [], line, model, from);
    else if (!isObject(block) || typeof type !== 'string') this.#parts.unknownBlock(block, line);
    else if (type === 'text' && typeof block['text'] === 'string') {
      this.#addText('text', block['text'], list(block['citations']), line, model, from);
    } else if (type === 'thinking' && typeof block['thinking'] === 'string') {
      this.#addThinking(block['thinking'], line, model, from);
    } else {
      from?.partials.handleFinalBlock(from.id, block, line);
      if (type === 'redacted_thinking') this.#addHiddenThinking('[redacted thinking]', line, model);
      else if (type.endsWith('tool_use')) this.#startCall(block, line, model, from?.id);
      else if (type.endsWith('tool_result')) this.#finishCall(block, line, true);
      else this.#addOtherBlock(block, line, model);
    }
  }

  #addText(
    kind: 'text' | 'thinking',
    content: string,
    cited: readonly unknown[],
    line: Line,
    model: string | undefined,
    from: { id: string | undefined; partials: Partials } | undefined,
  ): void {
    if (content === '') return;
    const extra = lineMetadata(line.message);
    const streamed = from?.partials.merge(from.id, kind, content, cited, line, extra);
    if (streamed !== undefined) {
      if (kind === 'text') this.#linkEntryToUsage(from?.id, streamed);
      return;
    }
    const metadata = extra === undefined ? line.metadata(model) : line.metadataWith(extra, model);
    if (model === syntheticModel && kind === 'text') {
      this.#parts.state.addSynthetic(this.#parts.texts.addSynthetic(content, line, metadata));
    } else {
      const added = this.#parts.texts.add(kind, content, cited, line, metadata);
      if (kind === 'text') this.#linkEntryToUsage(from?.id, added);
    }
  }

  #linkEntryToUsage(id: string | undefined, entry: NormalizedEntry | undefined): void {
    if (id !== undefined && entry !== undefined) this.#parts.usages.addEntry(id, entry.index);
  }

  #addThinking(
    content: string,
    line: Line,
    model: string | undefined,
    from: { id: string | undefined; partials: Partials } | undefined,
  ): void {
    if (content === '') this.#addHiddenThinking('[thinking that the agent does not show]', line, model);
    else this.#addText('thinking', content, [], line, model, from);
  }

  #addHiddenThinking(content: string, line: Line, model: string | undefined): void {
    const { timestamp } = line;
    this.#parts.writer.add({ type: { kind: 'thinking' }, content, timestamp, metadata: line.metadata(model) });
  }

  #startCall(block: JsonObject, line: Line, model: string | undefined, messageId: string | undefined): void {
    const id = nonEmpty(block['id']) ?? count(block['id'])?.toString() ?? this.#parts.calls.makeId();
    const started = this.#parts.calls.start({
      id,
      messageId,
      name: nonEmpty(block['name']) ?? 'unknown',
      input: block['input'],
      parentCallId: line.parentCallId,
      timestamp: line.timestamp,
      metadata: line.metadata(model),
      isWhole: true,
    });
    if (started) this.#linkEntryToUsage(messageId, this.#parts.calls.entry(id));
    else this.#parts.unknownBlock(block, line);
  }

  /** An image or another attachment; anything else is unknown. */
  #addOtherBlock(block: JsonObject, line: Line, model: string | undefined): void {
    const shown = blockText(block);
    if (shown === undefined) this.#parts.unknownBlock(block, line);
    else this.#parts.texts.add('text', shown, [], line, line.metadata(model));
  }

  /** `only`: the line has no other result, so its other fields are about this one. */
  #finishCall(block: JsonObject, line: Line, only: boolean): void {
    const id = nonEmpty(block['tool_use_id']) ?? count(block['tool_use_id'])?.toString();
    if (id === undefined) {
      this.#parts.unknownBlock(block, line);
      return;
    }
    const shown = resultText(block['content']);
    const meta = objects(line.message['tool_result_meta']).find((item) => item['id'] === id);
    const failed = isTrue(block['is_error']) || field(block['content'], 'error_code') !== undefined;
    const own = line.message['tool_use_result'];
    const taken = this.#parts.calls.addResult({
      id,
      text: shown,
      isError: failed,
      status: only && isTrue(field(own, 'interrupted')) ? 'cancelled' : resultStatus(shown, failed, meta),
      detail: own === undefined && typeof block['content'] !== 'string' ? apiToolResult(block) : only ? own : undefined,
      parentCallId: line.parentCallId,
      timestamp: line.timestamp,
      metadata: line.metadata(),
    });
    if (!taken) this.#parts.unknownBlock(block, line);
  }

  #addApiError(block: unknown, api: ApiError, line: Line): void {
    const shown = text(field(block, 'text')) ?? '';
    const refused = api.refused || this.#parts.state.isRefused;
    const code = refused ? 'refusal' : errorCode({ ...api, message: shown });
    this.#parts.state.error(shown, code ?? 'api_error', line.timestamp, line.metadata());
  }

  /** `false`: not a message. */
  readUserMessage(line: Line): boolean {
    const blocks = contentBlocks(field(line.message['message'], 'content'));
    if (blocks === undefined) return false;
    if (line.parentCallId === null && line.message['isReplay'] !== true) this.#userLines += 1;
    const results = blocks.filter(isResult);
    for (const block of results) this.#finishCall(block, line, results.length === 1);
    if (results.length === blocks.length) return true;
    const spokenBlocks = blocks.filter((block) => !isResult(block));
    if (!this.#isPrompt(spokenBlocks, line)) for (const block of spokenBlocks) this.#addBlock(block, line);
    return true;
  }

  /** With `--replay-user-messages` the agent repeats the prompt, which the transcript already has. */
  #isPrompt(blocks: readonly unknown[], line: Line): boolean {
    if (line.message['isReplay'] !== true || this.#prompt === undefined || this.#isPromptReplayed) return false;
    this.#isPromptReplayed =
      blocks
        .map((block) => blockText(block))
        .join('\n')
        .trim() === this.#prompt;
    return this.#isPromptReplayed;
  }

  #addBlock(block: unknown, line: Line): void {
    const shown = blockText(block);
    if (shown === undefined) {
      this.#parts.unknownBlock(block, line);
      return;
    }
    if (interruption.test(shown)) {
      this.#parts.state.addInterruption(line, shown);
      return;
    }
    this.#parts.writer.add({
      type: { kind: 'user_message' },
      content: shown,
      timestamp: line.timestamp,
      metadata: line.metadata(),
      origin: this.#origin(line),
    });
  }

  #origin({ message, parentCallId }: Line): Origin {
    if (parentCallId !== null) return 'subagent';
    const synthetic = message['isSynthetic'] === true || message['isMeta'] === true;
    if (message['isCompactSummary'] === true || (synthetic && this.#isAfterCompaction)) {
      this.#isAfterCompaction = false;
      return 'compaction';
    }
    if (field(message['origin'], 'kind') === 'hook') return 'hook';
    if (synthetic || message['isReplay'] !== true) return 'system';
    // A replayed prompt has blocks, as it was sent; output of the program's own commands is a text.
    return typeof field(message['message'], 'content') === 'string' ? 'replay' : 'human';
  }
}

function isResult(block: unknown): block is JsonObject {
  return isObject(block) && typeof block['type'] === 'string' && block['type'].endsWith('tool_result');
}

function contentBlocks(content: unknown): readonly unknown[] | undefined {
  if (typeof content === 'string') return [content];
  return Array.isArray(content) ? content : undefined;
}

interface ApiError {
  readonly error: string | undefined;
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly refused: boolean;
}

function apiError(message: JsonObject, ended: string | undefined): ApiError | undefined {
  const error = nonEmpty(message['error']);
  if (error === undefined && message['is_api_error_message'] !== true && message['isApiErrorMessage'] !== true) {
    return undefined;
  }
  const type = nonEmpty(message['api_error_type']);
  return { error, status: count(message['api_error_status']), type, refused: ended === 'refusal' };
}

/** The result of an API tool (`server_tool_use`), for the action of its call. */
function apiToolResult(block: JsonObject): unknown {
  return Array.isArray(block['content']) ? { results: [{ content: block['content'] }] } : block['content'];
}

function lineMetadata(message: JsonObject): NormalizedEntryMetadata | undefined {
  if (message['aborted'] === true) return { aborted: true };
  const command = nonEmpty(field(message['local_command_run'], 'command'));
  return command === undefined ? undefined : { localCommand: command };
}
