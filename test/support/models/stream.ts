import type { Block, Usage } from './scenario.ts';

/** An answer with everything that the server adds to a script. */
export interface Message {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly (Block & { readonly id?: string })[];
  readonly stopReason: string;
  readonly usage: Usage;
}

/** One server-sent event: its JSON, whose `type` is also the event's name. */
export interface StreamEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The message as the API gives it when it does not stream. */
export function wholeMessage({ id, model, blocks, stopReason, usage }: Message): StreamEvent {
  const content = blocks.map((block) => (block.type === 'thinking' ? { ...block, signature } : block));
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage,
  };
}

/** Opaque to everybody but the API, which gives it with thinking. */
const signature = 'c2NyaXB0ZWQ=';

/** The events of a streamed answer, in the API's order. `size`: characters per delta. */
export function* streamEvents(message: Message, size: number): Generator<StreamEvent> {
  // The API does not know the output yet when it starts: a placeholder stands there until message_delta.
  const usage = { ...message.usage, output_tokens: 1 };
  yield { type: 'message_start', message: { ...wholeMessage(message), content: [], stop_reason: null, usage } };
  for (const [index, block] of message.blocks.entries()) {
    yield { type: 'content_block_start', index, content_block: emptied(block) };
    for (const delta of deltas(block, size)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const delta = { stop_reason: message.stopReason, stop_sequence: null };
  yield { type: 'message_delta', delta, usage: message.usage };
  yield { type: 'message_stop' };
}

function emptied(block: Block): object {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { ...block, input: {} };
}

function* deltas(block: Block, size: number): Generator<object> {
  if (block.type === 'text') {
    for (const text of pieces(block.text, size)) yield { type: 'text_delta', text };
  } else if (block.type === 'thinking') {
    for (const thinking of pieces(block.thinking, size)) yield { type: 'thinking_delta', thinking };
    yield { type: 'signature_delta', signature };
  } else {
    for (const json of pieces(JSON.stringify(block.input), size))
      yield { type: 'input_json_delta', partial_json: json };
  }
}

/** By code points: a surrogate pair is never torn. */
function* pieces(text: string, size: number): Generator<string> {
  const points = Array.from(text);
  for (let start = 0; start < points.length; start += size) yield points.slice(start, start + size).join('');
}
