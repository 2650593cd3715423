import { type JsonObject, isObject } from '../../../model/text/json.ts';
import { field, nonEmpty, objects } from '../../shared/guards.ts';
import { blockText } from '../../shared/resultText.ts';

const maxRemembered = 10_000;
const startsAgents = new Set(['Task', 'Agent']);

/**
 * The call that started each subagent. 2.1 has a file with the call; earlier versions name the agent in the result of the
 * call, and until then, the prompt identifies it.
 */
export class Subagents {
  readonly #byAgent = new Map<string, string>();
  readonly #byPrompt = new Map<string, string>();
  /** In 1.0, records of subagents are mixed with the others; only their chain distinguishes them. */
  readonly #callByRecord = new Map<string, string>();
  readonly #warmUps = new Set<string>();

  linkAgent(agent: string, callId: string): void {
    remember(this.#byAgent, agent, callId);
  }

  /** A record of the main conversation. */
  addRecord(record: JsonObject): void {
    const blocks = objects(field(record['message'], 'content'));
    for (const block of blocks) {
      const prompt = nonEmpty(field(block['input'], 'prompt'));
      const id = nonEmpty(block['id']);
      if (
        block['type'] === 'tool_use' &&
        startsAgents.has(String(block['name'])) &&
        prompt !== undefined &&
        id !== undefined
      )
        remember(this.#byPrompt, prompt, id);
    }
    const agent = nonEmpty(field(record['toolUseResult'], 'agentId'));
    const call = blocks.map((block) => nonEmpty(block['tool_use_id'])).find((id) => id !== undefined);
    if (agent !== undefined && call !== undefined) this.linkAgent(agent, call);
  }

  /** The call that a subagent's record belongs to; `null`: none, because the program started it. */
  callOf(record: JsonObject, agent: string | undefined): string | null {
    const known = agent === undefined ? undefined : this.#byAgent.get(agent);
    if (known !== undefined) return known;
    if (agent !== undefined && this.#warmUps.has(agent)) return null;
    const message = record['message'];
    const content = field(message, 'content');
    const prompt =
      record['type'] !== 'user' || !isObject(message)
        ? undefined
        : typeof content === 'string'
          ? content
          : blockText(objects(content)[0]);
    const callId = prompt === undefined ? undefined : this.#byPrompt.get(prompt);
    if (agent === undefined) return this.#addToChain(record, callId);
    if (callId !== undefined) this.linkAgent(agent, callId);
    else if (prompt?.trim() === 'Warmup') {
      if (this.#warmUps.size < maxRemembered) this.#warmUps.add(agent);
      return null;
    } else this.linkAgent(agent, `agent-${agent}`);
    return this.#byAgent.get(agent) ?? `agent-${agent}`;
  }

  #addToChain(record: JsonObject, callId: string | undefined): string {
    const parentId = nonEmpty(record['parentUuid']);
    const id = nonEmpty(record['uuid']);
    const call =
      callId ??
      (parentId === undefined ? undefined : this.#callByRecord.get(parentId)) ??
      `agent-${parentId ?? id ?? ''}`;
    if (id !== undefined) remember(this.#callByRecord, id, call);
    return call;
  }
}

function remember(map: Map<string, string>, key: string, value: string): void {
  if (map.size < maxRemembered || map.has(key)) map.set(key, value);
}
