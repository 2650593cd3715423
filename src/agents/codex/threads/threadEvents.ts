import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { RunReport } from '../../../model/usage/facts.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import { isShallow } from '../../shared/bounds.ts';
import { code } from '../../shared/describe.ts';
import { errorReason } from '../../shared/resultText.ts';
import type { NormalizedRun, SourceLine } from '../../shared/normalizer/normalizedRun.ts';
import type { TextKind } from '../../shared/normalizer/spokenTexts.ts';
import { errorCode, isRetry, readableError } from '../errors.ts';
import { citations } from './citations.ts';
import { itemCall } from './items.ts';
import { completedReport, completedText, failedReport } from '../report.ts';
import { itemOf, itemText, threadId, type CodexItem } from '../wire.ts';

/** Texts of a run that can still be completed. */
const maxOpenTexts = 1000;

/** The format with threads, turns and items. An item has one entry, however often it is printed. */
export class ThreadEvents {
  readonly #run: NormalizedRun;
  readonly #texts = new Map<string, NormalizedEntry>();
  /** Completed texts of this turn, by item: one that is printed again is the same. */
  readonly #completedTexts = new Map<string, string>();
  /** Messages of this turn, after a part of it was repeated. */
  readonly #turnMessages = new Set<string>();
  #mayRepeat = false;
  readonly reports: RunReport[] = [];
  sideCalls = 0;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** `false`: a line of an unknown kind. */
  readLine(message: JsonObject, line: SourceLine): boolean {
    switch (message['type']) {
      case 'thread.started':
      case 'session.created':
        this.#startThread(threadId(message), line);
        return true;
      case 'turn.started':
        this.#run.isInTurn = true;
        this.#turnMessages.clear();
        this.#completedTexts.clear();
        this.#mayRepeat = false;
        return true;
      case 'turn.completed':
        this.#completeTurn(message['usage'], line);
        return true;
      case 'turn.failed':
        this.#failTurn(message['error'], line);
        return true;
      case 'error':
        this.#addError(
          errorReason(message['message']) ??
            errorReason(message['error']) ??
            'The agent reported an error without a message.',
          line,
          message['will_retry'] === true,
        );
        return true;
      case 'item.started':
      case 'item.updated':
        return this.#readItem(message, line, false);
      case 'item.completed':
        return this.#readItem(message, line, true);
      default:
        return false;
    }
  }

  /** A part of a text that is streamed; its item follows. */
  piece(type: 'agent_message' | 'reasoning', id: string, delta: string, { timestamp }: SourceLine): void {
    const key = `${type} ${id}`;
    const known = this.#texts.get(key);
    if (known !== undefined) {
      this.#run.texts.append(known, delta);
      return;
    }
    if (this.#texts.size >= maxOpenTexts || this.#completedTexts.has(key)) return;
    const kind = kindOf(type);
    const metadata = this.#run.session.metadata();
    this.#texts.set(key, this.#run.texts.add(kind, delta, timestamp, metadata, { open: true, counted: false }));
  }

  /** Open texts are not completed. */
  abandonTexts(): void {
    for (const [key, entry] of this.#texts) this.#run.texts.abandon(entry, kindOf(key));
    this.#texts.clear();
  }

  #startThread(id: string | undefined, line: SourceLine): void {
    const first = this.#run.session.id === null;
    // Within a turn, it is the thread of an agent that this one started.
    if (first || !this.#run.isInTurn) this.#run.setSession(id, line.timestamp);
    this.#run.system('init', id === undefined ? 'The agent started' : `- Session: ${code(id)}`, line.timestamp);
    if (first) this.#run.checkResumed(line.timestamp);
  }

  #completeTurn(usage: unknown, { timestamp }: SourceLine): void {
    this.#run.isInTurn = false;
    const last = this.#run.texts.finalText;
    this.reports.push(completedReport(usage, last === '' ? null : last));
    this.#run.system('result', completedText(usage), timestamp, { result: { usage: isObject(usage) ? usage : null } });
  }

  #failTurn(error: unknown, { timestamp }: SourceLine): void {
    this.#run.isInTurn = false;
    const message = errorReason(error) ?? 'The turn failed; the agent gave no reason.';
    this.#run.error(readableError(message), errorCode(message), timestamp);
    this.reports.push(failedReport(readableError(message)));
  }

  #addError(message: string, { timestamp }: SourceLine, willRetry: boolean): void {
    if (willRetry || isRetry(message)) {
      this.#mayRepeat = true;
      this.abandonTexts();
      this.#run.system('retry', message, timestamp);
    } else {
      this.#run.error(readableError(message), errorCode(message), timestamp);
    }
  }

  #readItem(message: JsonObject, line: SourceLine, isComplete: boolean): boolean {
    const item = itemOf(message);
    if (item === undefined) return false;
    switch (item.type) {
      case 'agent_message':
      case 'assistant_message':
        this.#addText(item, 'text', line, isComplete);
        return true;
      case 'reasoning':
        this.#addText(item, 'thinking', line, isComplete);
        return true;
      case 'error':
        this.#run.warn(itemText(item.fields) ?? 'The agent reported a warning without a message.', line.timestamp);
        return true;
      default:
        return this.#readCall(item, line, { isComplete, isStart: message['type'] === 'item.started' });
    }
  }

  #addText(item: CodexItem, kind: TextKind, line: SourceLine, isComplete: boolean): void {
    const shown = itemText(item.fields) ?? '';
    // Without an id, it is the open one of its type.
    const key = `${item.type} ${item.id ?? ''}`;
    const known = this.#texts.get(key);
    if (
      known === undefined &&
      isComplete &&
      (shown === '' || (item.id !== undefined && this.#completedTexts.get(key) === shown))
    )
      return;
    const repeated = kind === 'text' && this.#mayRepeat && this.#turnMessages.has(shown);
    if (kind === 'text' && (isComplete || known === undefined)) this.#turnMessages.add(shown);
    if (known !== undefined) {
      const entry = this.#withCitations(known, item);
      const marked = repeated ? { ...entry, metadata: { ...entry.metadata, repeated } } : entry;
      this.#run.texts.replace(marked, kind, shown, { open: !isComplete, counted: !repeated });
      if (isComplete) this.#complete(key, shown);
      return;
    }
    const metadata = this.#textMetadata(item, repeated);
    const entry = this.#run.texts.add(kind, shown, line.timestamp, metadata, { open: !isComplete, counted: !repeated });
    if (isComplete) this.#complete(key, shown);
    else if (this.#texts.size < maxOpenTexts) this.#texts.set(key, entry);
  }

  #complete(key: string, content: string): void {
    this.#texts.delete(key);
    if (this.#completedTexts.size < maxOpenTexts) this.#completedTexts.set(key, content);
  }

  /** Sources arrive with their text, at the latest when it is complete. */
  #withCitations(entry: NormalizedEntry, { fields }: CodexItem): NormalizedEntry {
    const annotations = citations(fields);
    return annotations.length === 0 ? entry : { ...entry, metadata: { ...entry.metadata, annotations } };
  }

  #textMetadata(item: CodexItem, repeated: boolean): NormalizedEntryMetadata | undefined {
    const annotations = citations(item.fields);
    const known = this.#run.session.metadata();
    if (annotations.length === 0 && !repeated) return known;
    return { ...known, ...(annotations.length > 0 && { annotations }), ...(repeated && { repeated }) };
  }

  #readCall(
    item: CodexItem,
    line: SourceLine,
    { isComplete, isStart }: { isComplete: boolean; isStart: boolean },
  ): boolean {
    const { calls, session } = this.#run;
    const call = itemCall(item, isComplete);
    if (call === undefined) return this.#addUnknownItem(item, line, isComplete);
    const { toolName, action, input, result, status } = call;
    const id = item.id ?? (isStart ? undefined : calls.oldestOpenCall(toolName, input)) ?? calls.makeId();
    const { timestamp } = line;
    if (!calls.hasBegun({ id, toolName, input })) {
      calls.start({ id, toolName, action, input, timestamp, metadata: session.metadata() });
      if (item.type === 'web_search' || toolName === 'spawn_agent') this.sideCalls += 1;
    }
    if (status === undefined) calls.update({ id, action, result });
    else calls.finish({ id, action, status, result, timestamp });
    return true;
  }

  /** An unknown item with a status is an action: a tool of a later version. */
  #addUnknownItem(item: CodexItem, line: SourceLine, isComplete: boolean): boolean {
    const { calls, session } = this.#run;
    if (typeof item.fields['status'] !== 'string' || item.id === undefined) {
      this.#run.lines.addUnknown(`Unknown item type: ${code(item.type)}`, line.raw, line.timestamp);
      return true;
    }
    this.#run.lines.counts.unknown += 1;
    const { id, type: toolName, fields } = item;
    const input = isShallow(fields) ? fields : undefined;
    const action = { kind: 'tool', input } as const;
    const { timestamp } = line;
    const metadata = { ...session.metadata(), raw: line.raw };
    calls.start({ id, toolName, action, input, timestamp, metadata });
    if (!isComplete) return true;
    const status = fields['status'] === 'completed' ? 'success' : fields['status'] === 'declined' ? 'denied' : 'failed';
    calls.finish({ id, action, status, result: { data: input, isError: status !== 'success' }, timestamp });
    return true;
  }
}

/** Text kind of an item type, or of a key that begins with one. */
function kindOf(type: string): TextKind {
  return type.startsWith('reasoning') ? 'thinking' : 'text';
}
