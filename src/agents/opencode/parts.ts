import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { JsonObject } from '../../model/text/json.ts';
import type { ToolResult, ToolStatus } from '../../model/transcript/tool.ts';
import { field, idOf, nonEmpty, text } from '../shared/guards.ts';
import { timeOf, type StoreSession } from '../stores/storeSession.ts';
import type { OpenCodeMessage } from './message.ts';
import { completedAction, toolAction } from './tools.ts';

/** Known parts that repeat others or have no content. */
const bookkeeping = new Set(['step-start', 'snapshot', 'patch', 'agent']);

const statuses = new Map<string, ToolStatus>([
  ['pending', 'created'],
  ['running', 'running'],
  ['completed', 'success'],
  ['error', 'failed'],
]);

interface ShownPart {
  readonly entry: NormalizedEntry;
  readonly text: string;
}

/** The parts of messages as entries. */
export class OpenCodeParts {
  /** Sessions of subagents; the call that started one has its id. */
  readonly subagents = new Set<string>();
  readonly #session: StoreSession;
  readonly #callBySession = new Map<string, string>();
  readonly #shownParts = new Map<string, ShownPart>();
  readonly #runningIds = new Set<string>();

  constructor(session: StoreSession) {
    this.#session = session;
  }

  get isToolRunning(): boolean {
    return this.#runningIds.size > 0;
  }

  readPart(part: JsonObject, message: OpenCodeMessage | undefined): boolean {
    const type = text(part['type']) ?? '';
    const session = message?.session ?? text(part['sessionID']) ?? text(part['session_id']);
    const isSubagent = session !== this.#session.options.session;
    const extra = this.#subagentMetadata(session);
    if (message?.role === 'assistant') {
      if (isSubagent) this.#session.facts.model(nonEmpty(message.data['modelID']), false);
      else this.#session.model(nonEmpty(message.data['modelID']));
    }
    switch (type) {
      case 'text':
        this.#readText(part, message, isSubagent, extra);
        return true;
      case 'reasoning':
        this.#addText(part, 'thinking', extra);
        return true;
      case 'tool':
        this.#readTool(part, extra['parentCallId']);
        return true;
      case 'file': {
        const name = nonEmpty(part['filename']) ?? nonEmpty(field(part['source'], 'path')) ?? 'file';
        this.#runOnce(part, () => this.#session.run.system('attachment', name, this.#session.now, extra));
        return true;
      }
      case 'compaction':
        this.#runOnce(part, () =>
          this.#session.run.system('compaction', 'The session was compacted.', this.#session.now, extra),
        );
        return true;
      case 'retry': {
        const shown = nonEmpty(field(field(part['error'], 'data'), 'message')) ?? 'The request was retried.';
        this.#runOnce(part, () => this.#session.run.system('retry', shown, this.#session.now, extra));
        return true;
      }
      default:
        return bookkeeping.has(type);
    }
  }

  #subagentMetadata(session: string | undefined): { readonly parentCallId?: string } {
    const call = session === undefined ? undefined : this.#callBySession.get(session);
    return call === undefined ? {} : { parentCallId: call };
  }

  #readText(part: JsonObject, message: OpenCodeMessage | undefined, isSubagent: boolean, extra: JsonObject): void {
    if (message?.role !== 'user') {
      this.#addText(part, 'text', extra);
      return;
    }
    const shown = text(part['text']) ?? '';
    this.#runOnce(part, () => {
      const byProgram = part['synthetic'] === true;
      const origin = isSubagent ? 'subagent' : byProgram ? 'system' : 'human';
      if (shown !== '') this.#session.userMessage(shown, origin, extra);
      if (origin !== 'human') return;
      const at = timeOf(message.created) ?? this.#session.now;
      this.#session.facts.prompt({ key: `${message.created ?? message.id}:user`, at }, unquote(shown));
    });
  }

  #addText(part: JsonObject, kind: 'text' | 'thinking', extra: JsonObject): void {
    const id = nonEmpty(part['id']) ?? '';
    const shown = text(part['text']) ?? '';
    const before = this.#shownParts.get(id);
    if (before?.text === shown || shown === '') return;
    const { texts } = this.#session.run;
    if (before === undefined) {
      const entry = texts.add(kind, shown, this.#session.now, this.#session.metadata(extra));
      this.#shownParts.set(id, { entry, text: shown });
    } else {
      texts.replace(before.entry, kind, shown);
      this.#shownParts.set(id, { entry: before.entry, text: shown });
    }
  }

  #runOnce(part: JsonObject, report: () => void): void {
    const id = nonEmpty(part['id']) ?? '';
    if (this.#reportedIds.has(id)) return;
    this.#reportedIds.add(id);
    report();
  }

  readonly #reportedIds = new Set<string>();

  #readTool(part: JsonObject, parentCallId: string | undefined): void {
    const { run, facts, now } = this.#session;
    const toolName = nonEmpty(part['tool']) ?? 'unknown';
    const id = idOf(part['callID']) ?? nonEmpty(part['id']) ?? run.calls.makeId();
    const state = part['state'];
    const input = field(state, 'input');
    const metadata = field(state, 'metadata');
    const child = nonEmpty(field(metadata, 'sessionId')) ?? nonEmpty(field(metadata, 'sessionID'));
    if (child !== undefined) this.#callBySession.set(child, id);
    const action = toolAction(toolName, input);
    facts.call({ key: id, at: now });
    run.calls.start({ id, toolName, action, input, parentCallId, timestamp: now, metadata: this.#session.metadata() });
    const status = statuses.get(text(field(state, 'status')) ?? '') ?? 'running';
    if (status === 'created' || status === 'running') {
      this.#runningIds.add(id);
      return;
    }
    this.#runningIds.delete(id);
    const error = nonEmpty(field(state, 'error'));
    const result: ToolResult = { text: text(field(state, 'output')) ?? error ?? '', isError: status === 'failed' };
    run.calls.finish({
      id,
      action: completedAction(action, metadata),
      status: status === 'failed' && error !== undefined && refusedText.test(error) ? 'denied' : status,
      result,
      timestamp: timeOf(field(field(state, 'time'), 'end')) ?? now,
    });
  }
}

/** The program's two error texts for a denied call. */
const refusedText = /^(?:The user rejected permission|The user has specified a rule which prevents)/;

/** A prompt from the command line is stored in quotation marks. */
function unquote(prompt: string): string {
  return /^"[^"]*"$/s.test(prompt) ? prompt.slice(1, -1) : prompt;
}
