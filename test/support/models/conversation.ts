import * as z from 'zod';

const block = z.looseObject({ type: z.string(), text: z.string().optional(), id: z.string().optional() });
const message = z.object({ role: z.string(), content: z.union([z.string(), z.array(block)]) });

/** Fields of a Messages request that scripts or tests inspect. */
export const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(message),
  tools: z.array(z.looseObject({ name: z.string().optional() })).default([]),
});
export type ModelRequest = z.infer<typeof requestSchema>;
type RequestMessage = z.infer<typeof message>;

function textOf({ content }: RequestMessage): string {
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n');
}

/** The conversation so far, one string per message (`user: …`, `assistant: …`), without tool calls and results. */
export function turnsOf(request: ModelRequest): string[] {
  return request.messages.map((sent) => `${sent.role}: ${textOf(sent)}`);
}

/** Tool call ids contain the number of their answer, which `findPlace` counts. */
export const toolCallId = (answer: number, block: number): string => `toolu_scripted_${answer}_${block}`;

/**
 * Finds the scenario by the last user message with a name that `choose` recognizes, and the number of answers since
 * then. Agents change the history: old versions send one message per block, and repeat an answer for each of its tool
 * calls. So answers with calls are counted by call ids, and others by adjacency.
 */
export function findPlace(
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
  for (const [at, sent] of messages.entries()) {
    if (sent.role === 'assistant') group.push(sent);
    else close(at);
  }
  close(messages.length);
  return answers.size;
}

/** The name in the last `[[name]]` of a text. */
export function findMarker(text: string): string | undefined {
  return [...text.matchAll(/\[\[([\w-]+)\]\]/g)].at(-1)?.[1];
}
