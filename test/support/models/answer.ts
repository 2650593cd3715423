import { toolCallId } from './conversation.ts';
import type { Answer, Block, Pace, Usage } from './scripts/scenario.ts';

/** An answer with the fields that a server adds to a script. */
export interface Message {
  /** 1-based, over all answers of the server. */
  readonly count: number;
  readonly model: string;
  readonly blocks: readonly (Block & { readonly id?: string })[];
  readonly stopReason: string;
  readonly usage: Usage;
}

export const defaultUsage: Usage = {
  input_tokens: 12,
  cache_creation_input_tokens: 1000,
  cache_read_input_tokens: 2000,
  output_tokens: 50,
};

export function messageOf(answer: Answer, model: string, count: number): Message {
  const blocks = answer.blocks.map((block, index) =>
    block.type === 'tool_use' ? { ...block, id: toolCallId(count, index) } : block,
  );
  const stopReason = answer.stopReason ?? (blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');
  return { count, model, blocks, stopReason, usage: { ...defaultUsage, ...answer.usage } };
}

export function paceOf({ pace }: Answer): Pace {
  return { first: 0, between: 0, chunk: 24, ...pace };
}

/** By code points, so that no surrogate pair is split. */
export function* splitText(text: string, size: number): Generator<string> {
  const points = Array.from(text);
  for (let start = 0; start < points.length; start += size) yield points.slice(start, start + size).join('');
}
