import { isObject, type JsonObject } from '../../model/text/json.ts';
import { totalTokens, type TokenUsage } from '../../model/usage/usage.ts';
import { code, codeBlock } from '../shared/describe.ts';
import { parseAmount, count, field, idOf, list, nonEmpty, objects, text } from '../shared/guards.ts';
import { resultText } from '../shared/resultText.ts';
import type { RecordReader, StoreSession } from '../stores/storeSession.ts';
import { toolAction } from './tools.ts';

const compactionUsageMissing = 'Pi does not record the tokens of requests that compact a session.';

/** Reads the entries of one session. Abandoned branches stay in the file, and in the transcript. */
export class PiReader implements RecordReader {
  readonly #session: StoreSession;
  readonly #entryIds = new Set<string>();

  constructor(session: StoreSession) {
    this.#session = session;
  }

  read(entry: JsonObject | readonly unknown[]): boolean {
    if (!isObject(entry)) return false;
    const id = nonEmpty(entry['id']);
    if (entry['type'] !== 'session' && id !== undefined) {
      if (this.#entryIds.has(id)) return true;
      this.#entryIds.add(id);
    }
    const now = this.#session.addTime(entry['timestamp']);
    const { facts, run } = this.#session;
    switch (entry['type']) {
      case 'session':
        this.#readHeader(entry);
        return true;
      case 'message':
        return isObject(entry['message']) && this.#readMessage(entry['message'], id);
      case 'model_change':
        this.#session.model(nonEmpty(entry['modelId']));
        return true;
      case 'session_info':
        facts.title = nonEmpty(entry['name']) ?? null;
        return true;
      case 'compaction':
        facts.addMissing(compactionUsageMissing);
        run.system('compaction', nonEmpty(entry['summary']) ?? 'The session was compacted.', now);
        return true;
      case 'branch_summary':
        facts.addMissing(compactionUsageMissing);
        run.system('branch', nonEmpty(entry['summary']) ?? 'The user went back to an earlier message.', now);
        return true;
      case 'custom_message':
        this.#session.userMessage(resultText(entry['content']), 'system');
        return true;
      case 'thinking_level_change':
      case 'custom':
      case 'label':
        return true;
      default:
        return false;
    }
  }

  #readHeader(entry: JsonObject): void {
    const { facts } = this.#session;
    facts.id(nonEmpty(entry['id']));
    this.#session.setFolder(nonEmpty(entry['cwd']));
    const parent = nonEmpty(entry['parentSession']) ?? nonEmpty(entry['branchedFrom']);
    const id = parent === undefined ? undefined : /_([\w-]+)\.jsonl$/.exec(parent)?.[1];
    if (id !== undefined) facts.parent = { id, kind: 'fork' };
  }

  #readMessage(message: JsonObject, id: string | undefined): boolean {
    const now = this.#session.addTime(message['timestamp']);
    const { facts, run } = this.#session;
    // A fork copies entries unchanged.
    const key = `${id ?? ''}:${now}`;
    switch (message['role']) {
      case 'user': {
        const shown = resultText(message['content']);
        this.#session.userMessage(shown, 'human');
        facts.prompt({ key, at: now }, shown);
        facts.setLastState('answering', now);
        return true;
      }
      case 'assistant':
        this.#answer(message, key);
        return true;
      case 'toolResult':
        this.#readResult(message);
        facts.setLastState('answering', now);
        return true;
      case 'bashExecution': {
        const exitCode = count(message['exitCode']);
        const end = exitCode === undefined ? '' : ` (exit code ${exitCode})`;
        const shown = `The user ran ${code(text(message['command']) ?? '')}${end}`;
        run.system('user_command', `${shown}\n\n${codeBlock(text(message['output']) ?? '')}`, now);
        return true;
      }
      case 'custom':
      case 'hookMessage':
        this.#session.userMessage(resultText(message['content']), 'system');
        return true;
      case 'branchSummary':
      case 'compactionSummary':
        this.#session.userMessage(text(message['summary']) ?? '', 'compaction');
        return true;
      default:
        return false;
    }
  }

  #answer(message: JsonObject, key: string): void {
    const { facts, run, now } = this.#session;
    const model = nonEmpty(message['model']);
    this.#session.model(model);
    let calls = 0;
    for (const block of objects(message['content'])) {
      if (block['type'] === 'text') this.#session.addText('text', text(block['text']) ?? '');
      else if (block['type'] === 'thinking') this.#session.addText('thinking', text(block['thinking']) ?? '');
      else if (block['type'] === 'toolCall') {
        this.#startCall(block);
        calls += 1;
      } else this.#session.unknown('Unknown block type', JSON.stringify(block));
    }
    const usage = usageOf(message['usage']);
    const cost = parseAmount(field(field(message['usage'], 'cost'), 'total'));
    if (usage !== undefined) {
      const usd = cost === undefined || cost === 0 ? {} : { usd: cost };
      facts.request({ key, at: now, model: model ?? null, usage, ...usd });
    }
    const stop = message['stopReason'];
    if (stop === 'aborted') run.system('interrupted', 'The turn was interrupted.', now);
    if (stop === 'error')
      run.error(nonEmpty(message['errorMessage']) ?? 'A request to the model failed.', undefined, now);
    if (stop === 'aborted' || stop === 'error') facts.setLastState('interrupted', now);
    else facts.setLastState(calls > 0 ? 'tool' : 'answered', now);
  }

  #startCall(block: JsonObject): void {
    const { facts, run, now } = this.#session;
    const toolName = nonEmpty(block['name']) ?? 'unknown';
    const id = idOf(block['id']) ?? run.calls.makeId();
    const input = block['arguments'];
    facts.call({ key: id, at: now });
    const action = toolAction(toolName, input);
    run.calls.start({ id, toolName, action, input, timestamp: now, metadata: this.#session.metadata() });
  }

  #readResult(message: JsonObject): void {
    const { facts, run, now } = this.#session;
    const id = idOf(message['toolCallId']) ?? run.calls.oldestOpenCall() ?? run.calls.makeId();
    const isError = message['isError'] === true;
    const shown = list(message['content']).length === 0 ? '' : resultText(message['content']);
    const change = { id, status: isError ? ('failed' as const) : ('success' as const), timestamp: now };
    const result = { text: shown, isError };
    const call = run.calls.get(id);
    if (call !== undefined) {
      const patch = nonEmpty(field(message['details'], 'diff'));
      const [edit] = call.action.kind === 'file_edit' ? call.action.changes : [];
      const action =
        call.action.kind === 'file_edit' && edit !== undefined && patch !== undefined
          ? { ...call.action, changes: [{ ...edit, patch }, ...call.action.changes.slice(1)] }
          : call.action;
      run.calls.finish({ ...change, action, result });
      return;
    }
    facts.call({ key: id, at: now });
    run.calls.addOrphanedResult({ ...change, result }, this.#session.metadata());
  }
}

/** `input` excludes the cache, `output` includes thoughts. */
function usageOf(value: unknown): TokenUsage | undefined {
  const usage: TokenUsage = {
    input: count(field(value, 'input')) ?? 0,
    output: count(field(value, 'output')) ?? 0,
    cacheRead: count(field(value, 'cacheRead')) ?? 0,
    cacheWrite: count(field(value, 'cacheWrite')) ?? 0,
  };
  return totalTokens(usage) === 0 ? undefined : usage;
}
