import * as z from 'zod';

const block = z.looseObject({ type: z.string(), text: z.string().optional(), id: z.string().optional() });
const message = z.object({ role: z.string(), content: z.union([z.string(), z.array(block)]) });

/** The parts of a Messages request that a script or a test looks at. */
export const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(message),
  tools: z.array(z.looseObject({ name: z.string().optional() })).default([]),
});
export type ModelRequest = z.infer<typeof requestSchema>;
type RequestMessage = z.infer<typeof message>;

function textOf({ content }: RequestMessage): string {
  return typeof content === 'string' ? content : content.map((each) => each.text ?? '').join('\n');
}

/** Everything said so far, one string per message (`user: …`, `assistant: …`), tool calls and results left out. */
export function turnsOf(request: ModelRequest): string[] {
  return request.messages.map((each) => `${each.role}: ${textOf(each)}`);
}

/** The id of a tool call says which answer made it, which `place` counts by. */
export const toolCallId = (answer: number, block: number): string => `toolu_scripted_${answer}_${block}`;

/**
 * Which scenario the conversation is in, by the last user message that `choose` has a name for, and how many answers were
 * given since. Agents do not give answers back as they were: old versions send one message per block, and an answer with
 * several tool calls once per call. So answers count by the ids of their calls, and those without calls by neighbourhood.
 */
export function place(
  { messages }: ModelRequest,
  choose: (userText: string) => string | undefined,
): { readonly name: string; readonly step: number } | undefined {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const prompt = messages[index]!;
    const name = prompt.role === 'user' ? choose(textOf(prompt)) : undefined;
    if (name !== undefined) return { name, step: countAnswers(messages.slice(index + 1)) };
  }
  return undefined;
}

function countAnswers(messages: readonly RequestMessage[]): number {
  const answers = new Set<string>();
  let group: RequestMessage[] = [];
  const close = (at: number): void => {
    const calls = group.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.flatMap(({ id }) => id ?? []),
    );
    for (const id of calls) answers.add(id.replace(/_\d+$/, ''));
    if (group.length > 0 && calls.length === 0) answers.add(`without calls, before ${at}`);
    group = [];
  };
  for (const [at, each] of messages.entries()) {
    if (each.role === 'assistant') group.push(each);
    else close(at);
  }
  close(messages.length);
  return answers.size;
}

/** The name in the last `[[name]]` of a text. */
export function marker(text: string): string | undefined {
  return [...text.matchAll(/\[\[([\w-]+)\]\]/g)].at(-1)?.[1];
}
