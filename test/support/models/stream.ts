import { type Message, pieces } from './answer.ts';
import type { Block, Usage } from './scripts/scenario.ts';
import { type Frame, named } from './server.ts';

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
  yield named({ type: 'message_start', message: { ...wholeMessage(message), content: [], stop_reason: null, usage } });
  for (const [index, block] of message.blocks.entries()) {
    yield named({ type: 'content_block_start', index, content_block: emptied(block) });
    for (const delta of deltas(block, size)) yield named({ type: 'content_block_delta', index, delta }, true);
    yield named({ type: 'content_block_stop', index });
  }
  const delta = { stop_reason: message.stopReason, stop_sequence: null };
  yield named({ type: 'message_delta', delta, usage: counted(message.usage) });
  yield named({ type: 'message_stop' });
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
