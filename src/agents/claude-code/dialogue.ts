import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { Dialogue, DialogueFactory, DialogueHost } from '../dialogue.ts';
import { field, nonEmpty, objects, texts } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import { controlLines } from './control.ts';
import { unknownSessionText } from './figures/errors.ts';
import { permissionAnswer, permissionRequest, Plans, type PermissionAsked } from './tools/permissions.ts';
import { permissionRequestId } from './wire.ts';

/** Talks with `claude --input-format stream-json --permission-prompt-tool stdio`. */
export function claudeDialogue(prompt: string): DialogueFactory {
  return (host) => new ClaudeDialogue(host, prompt);
}

class ClaudeDialogue implements Dialogue {
  /** If they are only signalled, older versions print no figures. */
  readonly cancelsBeforeStop = true;
  readonly #host: DialogueHost;
  readonly #prompt: string;
  readonly #plans = new Plans();
  /** How to withdraw waiting requests, by id. */
  readonly #withdrawals = new Map<string, () => void>();
  #nextId = 1;
  #isInTurn = true;
  /** Tasks that continue after a turn. */
  #background = 0;
  /** A task ended during this turn: the agent may start another turn to report it. */
  #hasTaskEnded = false;

  constructor(host: DialogueHost, prompt: string) {
    this.#host = host;
    this.#prompt = prompt;
  }

  begin(): void {
    this.#request({ subtype: 'initialize', hooks: null });
    this.sendMessage(this.#prompt);
  }

  handleLine(content: string): void {
    // Most lines of a run are these, and mean nothing here.
    if (content.startsWith('{"type":"stream_event"')) return;
    const message = parse(content);
    if (isObject(message)) this.#handleMessage(message);
  }

  handleOversizeLine(head: string): void {
    // A request that is too long to read is denied, so that the agent does not wait for its answer.
    const id = /"type":"control_request"/.test(head) ? /"request_id":"([^"\\]+)"/.exec(head)?.[1] : undefined;
    if (id !== undefined) this.#host.write(controlLines.failure(id, 'The request is too long.'));
  }

  sendMessage(text: string): void {
    this.#isInTurn = true;
    this.#host.write(controlLines.user(text));
  }

  interrupt(): void {
    this.#request({ subtype: 'interrupt' });
  }

  setModel(model: string): void {
    this.#request({ subtype: 'set_model', model });
  }

  setPermissionMode(mode: string): void {
    this.#request({ subtype: 'set_permission_mode', mode });
  }

  end(): void {
    for (const withdraw of this.#withdrawals.values()) withdraw();
    this.#withdrawals.clear();
  }

  #handleMessage(message: JsonObject): void {
    switch (message['type']) {
      case 'control_request':
        this.#handleRequest(message);
        return;
      case 'control_cancel_request':
        this.#withdrawals.get(nonEmpty(message['request_id']) ?? '')?.();
        return;
      case 'assistant':
        this.#plans.readPlans(message['message']);
        return;
      case 'system':
        this.#handleSystemMessage(message);
        return;
      case 'result':
        this.#handleResult(message);
    }
  }

  #handleRequest(message: JsonObject): void {
    const id = nonEmpty(message['request_id']);
    const request = message['request'];
    if (id === undefined || !isObject(request)) return;
    const toolName = nonEmpty(request['tool_name']);
    const { input } = request;
    if (permissionRequestId(message) === undefined || toolName === undefined || !isObject(input)) {
      const subtype = nonEmpty(request['subtype']) ?? 'unknown';
      this.#host.write(controlLines.failure(id, `Unsupported control request subtype: ${subtype}`));
      const content = `The agent asked for \`${subtype.replaceAll('`', "'")}\`, which Vitrine does not support. Vitrine rejected the request.`;
      this.#host.record({ type: 'note', subtype: 'unsupported_request', content });
      return;
    }
    // A repeated request gets the same answer as the first.
    if (this.#withdrawals.has(id)) return;
    const plan = toolName === 'ExitPlanMode' ? this.#plans.permissionOf(nonEmpty(request['tool_use_id'])) : undefined;
    void this.#ask({ id, toolName, input, request, plan });
  }

  async #ask(request: PermissionAsked): Promise<void> {
    const { id } = request;
    const withdrawn = new Promise<void>((withdraw) => {
      this.#withdrawals.set(id, withdraw);
    });
    const decision = await this.#host.ask(permissionRequest(request), withdrawn);
    this.#withdrawals.delete(id);
    const answer = permissionAnswer(request, decision);
    if (answer !== null) this.#host.write(controlLines.success(id, answer));
  }

  #handleSystemMessage(message: JsonObject): void {
    switch (message['subtype']) {
      case 'init':
        this.#hasTaskEnded = false;
        if (!this.#isInTurn) this.#host.onTurnStarted();
        this.#isInTurn = true;
        return;
      case 'task_notification':
        this.#hasTaskEnded = true;
        return;
      case 'background_tasks_changed': {
        const before = this.#background;
        this.#background = objects(message['tasks']).length;
        if (before > 0 && this.#background === 0 && !this.#isInTurn) this.#host.onTurnEnded('may_continue');
      }
    }
  }

  #handleResult(result: JsonObject): void {
    // It ends by itself; queued messages wait for the next attempt.
    if (texts(result['errors']).some((error) => unknownSessionText.test(error))) return;
    this.#isInTurn = false;
    const own = nonEmpty(field(result['origin'], 'kind')) !== undefined;
    const continuation = this.#background > 0 ? 'continues' : this.#hasTaskEnded && !own ? 'may_continue' : 'done';
    this.#host.onTurnEnded(continuation);
  }

  #request(request: JsonObject): void {
    this.#host.write(controlLines.request(`vitrine-${this.#nextId++}`, request));
  }
}
