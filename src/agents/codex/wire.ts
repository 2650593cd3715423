import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { TokenUsage } from '../../model/usage/usage.ts';
import { count, field, idOf, nonEmpty, text } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import { textOfBlocks } from '../shared/resultText.ts';

/**
 * The JSON of `codex exec --json`. Only this file knows it. Two formats: threads of items (since 0.44), and events of the
 * program's internal protocol (before). A field of an unexpected type is ignored; the rest of the line counts.
 */

/** One item of a thread: a message, a command, a change, … */
export interface CodexItem {
  readonly id: string | undefined;
  readonly type: string;
  readonly fields: JsonObject;
}

/** The item of an `item.*` line. The first versions with items call the type `item_type`. */
export function itemOf(message: JsonObject): CodexItem | undefined {
  const fields = message['item'];
  if (!isObject(fields)) return undefined;
  const type = nonEmpty(fields['item_type']) ?? nonEmpty(fields['type']);
  return type === undefined ? undefined : { id: idOf(fields['id']), type, fields };
}

/** Text of a message or thought, from a field or from content blocks. */
export function itemText(fields: JsonObject): string | undefined {
  return (
    textOfBlocks(fields['text']) ??
    textOfBlocks(fields['content']) ??
    textOfBlocks(fields['message']) ??
    textOfBlocks(fields['summary'], '\n\n')
  );
}

/** The id of the conversation in a `thread.started` line, under either name. */
export function threadId(message: JsonObject): string | undefined {
  return (
    nonEmpty(message['thread_id']) ??
    nonEmpty(message['threadId']) ??
    nonEmpty(message['session_id']) ??
    nonEmpty(field(message['thread'], 'id'))
  );
}

/** An event of the old format: `{"id":"1","msg":{"type":…}}`. */
export function eventOf(message: JsonObject): { readonly type: string; readonly fields: JsonObject } | undefined {
  const fields = message['msg'];
  if (!isObject(fields)) return undefined;
  const type = nonEmpty(fields['type']);
  return type === undefined ? undefined : { type, fields };
}

/** The first line of the old format: the settings of the run. Its keys can have any order. */
export interface ConfigLine {
  readonly model: string | undefined;
  readonly workDir: string | undefined;
  readonly provider: string | undefined;
  readonly sandbox: string | undefined;
  readonly approval: string | undefined;
  readonly effort: string | undefined;
}

export function configLine(message: JsonObject): ConfigLine | undefined {
  if ('type' in message || 'msg' in message) return undefined;
  const config: ConfigLine = {
    model: nonEmpty(message['model']),
    workDir: nonEmpty(message['workdir']),
    provider: nonEmpty(message['provider']),
    sandbox: nonEmpty(message['sandbox']),
    approval: nonEmpty(message['approval']),
    effort: nonEmpty(message['reasoning effort']),
  };
  const known = Object.values(config).filter((value) => value !== undefined).length;
  return known < 2 ? undefined : config;
}

/** The second line of the old format: the prompt. */
export function promptLine(message: JsonObject): string | undefined {
  return Object.keys(message).length === 1 ? text(message['prompt']) : undefined;
}

/** Tokens as Codex counts them: input includes cache reads and writes. */
export function tokenUsage(value: unknown): TokenUsage | null {
  if (!isObject(value)) return null;
  const input = count(value['input_tokens']);
  const cacheRead = count(value['cached_input_tokens']);
  const cacheWrite = count(value['cache_write_input_tokens']);
  const output = count(value['output_tokens']);
  const reasoning = count(value['reasoning_output_tokens']);
  const usage: TokenUsage = {};
  if (input !== undefined) usage.input = Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0));
  if (output !== undefined) usage.output = output;
  if (cacheRead !== undefined) usage.cacheRead = cacheRead;
  if (cacheWrite !== undefined) usage.cacheWrite = cacheWrite;
  if (reasoning !== undefined) usage.reasoning = reasoning;
  return Object.keys(usage).length === 0 ? null : usage;
}

/** Begins the line of a rollout that says under which settings a turn runs. */
const contextStart = /^\{(?:"timestamp":"[^"]*",)?(?:"ordinal":\d+,)?"type":"turn_context"/;

export function isContextLine(line: string): boolean {
  return contextStart.test(line);
}

/** The model of a `turn_context` line. */
export function contextModel(line: string): string | undefined {
  return nonEmpty(field(field(parse(line), 'payload'), 'model'));
}
