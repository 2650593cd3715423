import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { ToolAction, ToolResult, ToolStatus } from '../../model/transcript/tool.ts';
import { toolAction as geminiAction } from '../gemini/tools.ts';
import { count, field, idOf, nonEmpty, objects, text } from '../shared/guards.ts';
import type { StoreSession } from '../stores/storeSession.ts';

/** The tool calls of a chat: the call is part of an answer, the result a separate record. */
export class QwenCalls {
  readonly #session: StoreSession;
  readonly #deniedIds = new Set<string>();
  readonly #agents: string[] = [];

  constructor(session: StoreSession) {
    this.#session = session;
  }

  /** The call that started a subagent, which is in its file name. */
  callOfAgent(agent: string): string | undefined {
    return this.#agents.find((callId) => agent.includes(callId));
  }

  call(record: JsonObject, parentCallId?: string): void {
    const { run, facts, now } = this.#session;
    const toolName = nonEmpty(record['name']) ?? 'unknown';
    const id = idOf(record['id']) ?? run.calls.makeId();
    const input = record['args'];
    const action = actionOf(toolName, input);
    if (action.kind === 'task') this.#agents.push(id);
    facts.call({ key: id, at: now });
    run.calls.start({ id, toolName, action, input, parentCallId, timestamp: now, metadata: this.#session.metadata() });
  }

  /** Adds what only the telemetry of a call contains. */
  addDecision(event: unknown): void {
    const id = idOf(field(event, 'call_id'));
    if (id !== undefined && field(event, 'decision') === 'reject') this.#deniedIds.add(id);
  }

  result(record: JsonObject): void {
    const { run, facts, now } = this.#session;
    const outcome = record['toolCallResult'];
    for (const part of objects(field(record['message'], 'parts'))) {
      const response = part['functionResponse'];
      const id = idOf(field(response, 'id')) ?? idOf(field(outcome, 'callId'));
      if (id === undefined) continue;
      const answer = field(response, 'response');
      const output = text(field(answer, 'output')) ?? text(field(answer, 'error')) ?? '';
      const display = field(outcome, 'resultDisplay');
      const status = this.#statusOf(id, text(field(outcome, 'status')), field(answer, 'error') !== undefined);
      const shell = field(display, 'type') === 'shell_result' ? display : undefined;
      const result: ToolResult = { text: text(field(shell, 'text')) ?? output, isError: status !== 'success' };
      const call = run.calls.get(id);
      if (call === undefined) {
        facts.call({ key: id, at: now });
        run.calls.addOrphanedResult({ id, status, result, timestamp: now }, this.#session.metadata());
      } else {
        run.calls.finish({ id, action: completeAction(call.action, display), status, result, timestamp: now });
      }
    }
  }

  #statusOf(id: string, status: string | undefined, failed: boolean): ToolStatus {
    if (this.#deniedIds.has(id)) return 'denied';
    if (status === 'cancelled') return 'cancelled';
    return status === 'error' || failed ? 'failed' : 'success';
  }
}

/** The tools are those of Gemini CLI, some under other names. */
function actionOf(name: string, input: unknown): ToolAction {
  if (name === 'edit') return geminiAction('replace', input);
  if (name !== 'agent' && name !== 'task') return geminiAction(name, input);
  const prompt = nonEmpty(field(input, 'prompt'));
  const agentType = nonEmpty(field(input, 'subagent_type'));
  return {
    kind: 'task',
    description: nonEmpty(field(input, 'description')) ?? prompt ?? '',
    ...(prompt !== undefined && { prompt }),
    ...(agentType !== undefined && { agentType }),
  };
}

function completeAction(action: ToolAction, display: unknown): ToolAction {
  if (!isObject(display)) return action;
  if (action.kind === 'command_run') {
    const exitCode = count(display['exitCode']);
    const stdout = text(display['output']);
    return { ...action, ...(exitCode !== undefined && { exitCode }), ...(stdout !== undefined && { stdout }) };
  }
  const patch = nonEmpty(display['fileDiff']);
  const [change, ...others] = action.kind === 'file_edit' ? action.changes : [];
  if (action.kind !== 'file_edit' || change === undefined || others.length > 0 || patch === undefined) return action;
  return { ...action, changes: [{ ...change, patch }] };
}
