import { type Message, splitText } from './answer.ts';
import type { Block, Usage } from './scripts/scenario.ts';
import { type Frame, namedFrame } from './server.ts';

/** Usage in this API's fields: input includes cache reads and writes. */
export function responseUsage(usage: Usage): object {
  const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const input = fresh + read + written;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: usage.thinking_tokens ?? 0 },
    total_tokens: input + usage.output_tokens,
  };
}

interface Item {
  readonly id: string;
  readonly type: string;
  readonly [key: string]: unknown;
}

function itemOf(block: Block & { readonly id?: string }, count: number, index: number): Item {
  const id = `${count}_${index}`;
  if (block.type === 'text') {
    const content = [{ type: 'output_text', text: block.text, annotations: [] }];
    return { id: `msg_scripted_${id}`, type: 'message', role: 'assistant', status: 'completed', content };
  }
  if (block.type === 'thinking') {
    const summary = [{ type: 'summary_text', text: block.thinking }];
    return { id: `rs_scripted_${id}`, type: 'reasoning', summary, encrypted_content: 'c2NyaXB0ZWQ=' };
  }
  const call = { call_id: block.id, name: block.name, status: 'completed' };
  if (typeof block.input === 'string') {
    return { id: `ctc_scripted_${id}`, type: 'custom_tool_call', ...call, input: block.input };
  }
  return { id: `fc_scripted_${id}`, type: 'function_call', ...call, arguments: JSON.stringify(block.input) };
}

/** The item before its content. */
function started(item: Item, block: Block): Item {
  if (block.type === 'text') return { ...item, status: 'in_progress', content: [] };
  if (block.type === 'thinking') return { ...item, summary: [] };
  return { ...item, status: 'in_progress', ...(typeof block.input === 'string' ? { input: '' } : { arguments: '' }) };
}

/** Events of a streamed answer, in the API's order. `size`: characters per delta. */
export function* responseEvents({ count, model, blocks, usage }: Message, size: number): Generator<Frame> {
  let number = 0;
  const event = (type: string, fields: object, piece = false): Frame =>
    namedFrame({ type, sequence_number: number++, ...fields }, piece);
  const response = { id: `resp_scripted_${count}`, object: 'response', created_at: 1, model, output: [], error: null };
  yield event('response.created', { response: { ...response, status: 'in_progress', usage: null } });
  const output: Item[] = [];
  for (const [index, block] of blocks.entries()) {
    const item = itemOf(block, count, index);
    output.push(item);
    yield event('response.output_item.added', { output_index: index, item: started(item, block) });
    for (const { type, ...fields } of contentEvents(block, size)) {
      const at = { item_id: item.id, output_index: index };
      yield event(type, { ...at, ...fields }, type.endsWith('.delta'));
    }
    yield event('response.output_item.done', { output_index: index, item });
  }
  const done = { ...response, status: 'completed', output, usage: responseUsage(usage) };
  yield event('response.completed', { response: done });
}

function* contentEvents(
  block: Block,
  size: number,
): Generator<{ readonly type: string; readonly [key: string]: unknown }> {
  if (block.type === 'text') {
    const part = { type: 'output_text', text: '', annotations: [] };
    yield { type: 'response.content_part.added', content_index: 0, part };
    for (const delta of splitText(block.text, size))
      yield { type: 'response.output_text.delta', content_index: 0, delta };
    yield { type: 'response.output_text.done', content_index: 0, text: block.text };
    yield { type: 'response.content_part.done', content_index: 0, part: { ...part, text: block.text } };
  } else if (block.type === 'thinking') {
    const part = { type: 'summary_text', text: '' };
    yield { type: 'response.reasoning_summary_part.added', summary_index: 0, part };
    for (const delta of splitText(block.thinking, size))
      yield { type: 'response.reasoning_summary_text.delta', summary_index: 0, delta };
    yield { type: 'response.reasoning_summary_text.done', summary_index: 0, text: block.thinking };
    yield { type: 'response.reasoning_summary_part.done', summary_index: 0, part: { ...part, text: block.thinking } };
  } else {
    const plain = typeof block.input === 'string';
    const input = plain ? block.input : JSON.stringify(block.input);
    const kind = plain ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
    for (const delta of splitText(input, size)) yield { type: `${kind}.delta`, delta };
    yield { type: `${kind}.done`, [plain ? 'input' : 'arguments']: input };
  }
}
