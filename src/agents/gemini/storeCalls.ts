import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { FileChange, ToolAction, ToolResult, ToolStatus } from '../../model/transcript/tool.ts';
import { count, field, idOf, nonEmpty, objects, text } from '../shared/guards.ts';
import { timeOf, type StoreSession } from '../stores/storeSession.ts';
import { toolAction } from './tools.ts';

const statuses = new Map<string, ToolStatus>([
  ['success', 'success'],
  ['error', 'failed'],
  ['cancelled', 'cancelled'],
]);

const exitCode = /^Exit Code: (\d{1,9})$/m;

/** The tool calls of a chat, from the message of the request that made them. */
export class GeminiStoreCalls {
  readonly #session: StoreSession;
  readonly #agents = new Map<string, string>();

  constructor(session: StoreSession) {
    this.#session = session;
  }

  /** The call by which a subagent was started. */
  callOfAgent(agent: string): string | undefined {
    return this.#agents.get(agent);
  }

  call(record: JsonObject, parentCallId?: string): void {
    const { run, facts } = this.#session;
    const toolName = nonEmpty(record['name']) ?? 'unknown';
    const id = idOf(record['id']) ?? `${toolName}-${this.#session.now}`;
    const agent = nonEmpty(record['agentId']);
    if (agent !== undefined) this.#agents.set(agent, id);
    const timestamp = timeOf(record['timestamp']) ?? this.#session.now;
    const input = record['args'];
    const action = toolAction(toolName, input);
    facts.call({ key: id, at: timestamp });
    run.calls.start({ id, toolName, action, input, parentCallId, timestamp, metadata: this.#session.metadata() });
    const status = statuses.get(text(record['status']) ?? '');
    if (status === undefined) return;
    const output = responseText(objects(record['result']).map((part) => part['functionResponse']));
    const result = resultOf(record['resultDisplay'], output, status === 'failed');
    run.calls.finish({
      id,
      action: completeAction(action, record['resultDisplay'], output),
      status,
      result,
      timestamp,
    });
  }

  /** The result as the model gets it; for a known call, its message has more. */
  response(value: unknown): void {
    const id = idOf(field(value, 'id'));
    if (id === undefined || this.#session.run.calls.get(id) !== undefined) return;
    const response = field(value, 'response');
    const isError = field(response, 'error') !== undefined;
    const result: ToolResult = { text: responseText([value]) ?? '', isError };
    const timestamp = this.#session.now;
    this.#session.facts.call({ key: id, at: timestamp });
    this.#session.run.calls.addOrphanedResult(
      { id, status: isError ? 'failed' : 'success', result, timestamp },
      this.#session.metadata(),
    );
  }
}

/** `text` is what the program prints; `data` what the model got, if that is more. */
function resultOf(display: unknown, output: string | undefined, isError: boolean): ToolResult {
  if (isError) return { text: output ?? text(display) ?? '', isError };
  if (Array.isArray(display)) return { text: output ?? '', isError };
  const shown = text(display) ?? '';
  return output === undefined || output === shown
    ? { text: shown, isError }
    : { text: shown, data: { output }, isError };
}

function responseText(responses: readonly unknown[]): string | undefined {
  const texts = responses.flatMap((functionResponse) => {
    const response = field(functionResponse, 'response');
    const output = text(field(response, 'output')) ?? text(field(response, 'error'));
    return output === undefined ? [] : [output];
  });
  return texts.length === 0 ? undefined : texts.join('\n');
}

function completeAction(action: ToolAction, display: unknown, output: string | undefined): ToolAction {
  if (action.kind === 'command_run') {
    const code = exitCode.exec(output ?? '')?.[1];
    return code === undefined ? action : { ...action, exitCode: Number(code) };
  }
  if (action.kind !== 'file_edit' || !isObject(display)) return action;
  const patch = nonEmpty(display['fileDiff']);
  const stat = display['diffStat'];
  const added = count(field(stat, 'model_added_lines'));
  const removed = count(field(stat, 'model_removed_lines'));
  const [change, ...others] = action.changes;
  if (change === undefined || others.length > 0) return action;
  const reported: FileChange = {
    ...change,
    ...(patch !== undefined && { patch }),
    ...(added !== undefined && { added }),
    ...(removed !== undefined && { removed }),
  };
  return { ...action, changes: [reported] };
}
