import { isObject, type JsonObject } from '../../../model/text/json.ts';
import { field, list, nonEmpty, texts } from '../../shared/guards.ts';
import { textOfBlocks } from '../../shared/resultText.ts';
import { shellWord } from '../../shared/describe.ts';

/** Names that are not the snake-case form of their name in the store. */
const renamed = new Map([
  ['CollabAgentToolCall', 'collab_tool_call'],
  ['McpToolCall', 'mcp_tool_call'],
  ['Plan', 'agent_message'],
]);

/** An item in the form of `codex exec --json`; `undefined` for messages of a person, which it does not print. */
export function toPrintedItem(item: JsonObject): JsonObject | undefined {
  const type = nonEmpty(item['type']) ?? '';
  if (type === 'UserMessage') return undefined;
  const snake = renamed.get(type) ?? type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
  switch (snake) {
    case 'reasoning':
      return { id: item['id'], type: snake, text: reasoning(item) };
    case 'command_execution':
      return { ...item, type: snake, command: texts(item['command']).map(shellWord).join(' ') || item['command'] };
    case 'collab_tool_call':
      return {
        prompt: null,
        ...item,
        type: snake,
        tool: collabTools.get(String(item['tool'])) ?? item['tool'],
        agents_states: toPrintedStates(item['agents_states']),
      };
    default:
      return { ...item, type: snake };
  }
}

const collabTools = new Map([
  ['wait_agent', 'wait'],
  ['wait_agents', 'wait'],
]);

function reasoning(item: JsonObject): string {
  const summary = texts(item['summary_text']);
  return summary.length > 0 ? summary.join('\n\n') : texts(item['raw_content']).join('\n\n');
}

/** The store has `"pending_init"` or `{"completed": "…"}` where the output has `{status, message}`. */
function toPrintedStates(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([thread, state]) => [thread, stateOf(state)]));
}

function stateOf(state: unknown): unknown {
  if (typeof state === 'string') return { status: state, message: null };
  if (!isObject(state) || 'status' in state) return state;
  const [[status, message] = ['unknown', null]] = Object.entries(state);
  return { status, message };
}

/** Message of a person, from a `UserMessage` or a `user_message`. */
export function userText(item: JsonObject): string {
  const content = item['content'];
  const parts = list(content).map((part) => nonEmpty(field(part, 'text')) ?? '');
  return (typeof item['message'] === 'string' ? item['message'] : parts.join('')) || (textOfBlocks(content) ?? '');
}
