import type { JsonObject } from '../../model/text/json.ts';
import type { ToolUse } from '../../model/transcript/tool.ts';
import { limitDepth } from '../shared/bounds.ts';
import { describeCall } from '../shared/describe.ts';
import { nonEmpty, objects, text } from '../shared/guards.ts';
import { resultText } from '../shared/resultText.ts';
import type { PlacedItem } from './messages.ts';

/** Blocks that the program adds to a person's message, between its own tags. */
const details = /<environment_details>[\s\S]*?<\/environment_details>/g;
const wrapped =
  /^\s*<(?:task|feedback|user_message|answer)>\s*([\s\S]*?)\s*<\/(?:task|feedback|user_message|answer)>\s*$/;

/** What the model saw as items, for a task without the other file. Old versions have calls in the text, where they stay. */
export function historyItems(history: readonly JsonObject[], session: string, folder: string): readonly PlacedItem[] {
  const results = new Map(
    history.flatMap((message) =>
      objects(message['content']).flatMap((block) => {
        const id = nonEmpty(block['tool_use_id']);
        return block['type'] !== 'tool_result' || id === undefined ? [] : [[id, block] as const];
      }),
    ),
  );
  const items: PlacedItem[] = [];
  for (const message of history) {
    const { content } = message;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
    for (const block of blocks) {
      const at = items.length;
      if (block['type'] === 'tool_use') items.push({ at, item: callItem(block, results, `${session}-${at}`, folder) });
      else if (message['role'] === 'assistant') items.push(...messageItems(block, at));
      else if (block['type'] === 'text') items.push(...userItem(text(block['text']) ?? '', at));
    }
  }
  return items;
}

function messageItems(block: JsonObject, at: number): PlacedItem[] {
  const thought = block['type'] === 'thinking' ? text(block['thinking']) : undefined;
  if (thought !== undefined)
    return [{ at, item: { type: { kind: 'thinking', reasoning: thought }, content: thought } }];
  const blockText = block['type'] === 'text' ? text(block['text']) : undefined;
  return blockText === undefined || blockText === ''
    ? []
    : [{ at, item: { type: { kind: 'assistant_message' }, content: blockText } }];
}

function userItem(content: string, at: number): PlacedItem[] {
  const own = content.replace(details, '').trim();
  if (own === '') return [];
  const prompt = wrapped.exec(own)?.[1];
  const origin = prompt === undefined ? 'system' : 'human';
  const item = { type: { kind: 'user_message' }, content: prompt ?? own, origin } as const;
  return [{ at, item, ...(prompt !== undefined && { prompt }) }];
}

function callItem(
  block: JsonObject,
  results: ReadonlyMap<string, JsonObject>,
  fallbackId: string,
  folder: string,
): PlacedItem['item'] {
  const toolName = nonEmpty(block['name']) ?? 'unknown';
  const callId = nonEmpty(block['id']) ?? fallbackId;
  const input = limitDepth(block['input']);
  const answer = results.get(callId);
  const isError = answer?.['is_error'] === true;
  const action = { kind: 'tool', input } as const;
  const tool: ToolUse = {
    toolName,
    callId,
    action,
    input,
    status: answer === undefined ? 'running' : isError ? 'failed' : 'success',
    ...(answer !== undefined && { result: { text: resultText(answer['content']), isError } }),
  };
  return { type: { kind: 'tool_use', tool }, content: describeCall(toolName, action, folder), callId };
}
