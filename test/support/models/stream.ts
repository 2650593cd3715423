import { type Message, splitText } from './answer.ts';
import type { Block, Usage } from './scripts/scenario.ts';
import { type Frame, namedFrame } from './server.ts';

/** The message in the Anthropic API without streaming. */
export function wholeMessage({ count, model, blocks, stopReason, usage }: Message): object {
  const content = blocks.map((block) => (block.type === 'thinking' ? { ...block, signature } : block));
  return {
    id: `msg_scripted_${count}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: counted(usage),
  };
}

/** Opaque signature that the API sends with thinking. */
const signature = 'c2NyaXB0ZWQ=';

/** This API does not report thinking tokens. */
function counted({ input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens }: Usage): Usage {
  return { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens };
}

/** Events of a streamed answer, in the API's order. `size`: characters per delta. */
export function* streamEvents(message: Message, size: number): Generator<Frame> {
  // At the start, the API does not know the output tokens: it sends a placeholder until message_delta.
  const usage = { ...counted(message.usage), output_tokens: 1 };
  yield namedFrame({
    type: 'message_start',
    message: { ...wholeMessage(message), content: [], stop_reason: null, usage },
  });
  for (const [index, block] of message.blocks.entries()) {
    yield namedFrame({ type: 'content_block_start', index, content_block: withoutContent(block) });
    for (const delta of deltas(block, size)) yield namedFrame({ type: 'content_block_delta', index, delta }, true);
    yield namedFrame({ type: 'content_block_stop', index });
  }
  const delta = { stop_reason: message.stopReason, stop_sequence: null };
  yield namedFrame({ type: 'message_delta', delta, usage: counted(message.usage) });
  yield namedFrame({ type: 'message_stop' });
}

function withoutContent(block: Block): object {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { ...block, input: {} };
}

function* deltas(block: Block, size: number): Generator<object> {
  if (block.type === 'text') {
    for (const text of splitText(block.text, size)) yield { type: 'text_delta', text };
  } else if (block.type === 'thinking') {
    for (const thinking of splitText(block.thinking, size)) yield { type: 'thinking_delta', thinking };
    yield { type: 'signature_delta', signature };
  } else {
    for (const json of splitText(JSON.stringify(block.input), size))
      yield { type: 'input_json_delta', partial_json: json };
  }
}
