import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { type Message, messageOf, paceOf, splitText } from './answer.ts';
import type { ModelRequest } from './conversation.ts';
import { exampleOf } from './example.ts';
import type { Answer, ApiError, Usage } from './scripts/scenario.ts';
import { type Frame, type ModelServer, type ModelServerOptions, sendEvents, sendJson, serveScript } from './server.ts';

const part = z.looseObject({ text: z.string().optional(), thought: z.boolean().optional() });
const requestSchema = z.looseObject({
  contents: z.array(z.object({ role: z.string().default('user'), parts: z.array(part).default([]) })),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(z.unknown()).optional() })).default([]),
  generationConfig: z.looseObject({ responseJsonSchema: z.unknown().optional() }).optional(),
});
type GeminiRequest = z.infer<typeof requestSchema>;

/** A scripted Gemini API, streamed or not; `url` is for GOOGLE_GEMINI_BASE_URL. */
export function startGeminiServer(options: ModelServerOptions): Promise<ModelServer> {
  return serveScript(options, async ({ route, body, text, response }, script) => {
    const [, model, method] = /^POST \/v1beta\/models\/([^/:]+):(\w+)$/.exec(route) ?? [];
    if (method === 'countTokens') {
      sendJson(response, 200, { totalTokens: Math.ceil(text.length / 4) });
      return;
    }
    if (model === undefined || (method !== 'generateContent' && method !== 'streamGenerateContent')) {
      fail(response, { status: 404, type: 'NOT_FOUND', message: `${route} is not served here` });
      return;
    }
    const parsed = requestSchema.safeParse(body);
    if (!parsed.success) {
      fail(response, { status: 400, type: 'INVALID_ARGUMENT', message: parsed.error.message });
      return;
    }
    const step = script.next(modelRequest(parsed.data, model)) ?? sideAnswer(parsed.data);
    if ('hang' in step) return;
    if ('error' in step) {
      fail(response, step.error);
      return;
    }
    const message = messageOf(step, model, script.count());
    const pace = paceOf(step);
    if (method === 'streamGenerateContent') {
      await sendEvents(response, frames(message, pace.chunk), { pace, cut: step.cut });
    } else sendJson(response, 200, chunk(message, [...message.blocks.map(partOf)], true));
  });
}

/** Side requests expect JSON of a given schema. */
function sideAnswer({ generationConfig }: GeminiRequest): Answer {
  const schema = generationConfig?.responseJsonSchema;
  const text = schema === undefined ? 'Beside.' : JSON.stringify(exampleOf(schema));
  // A resumed run starts with a side request about the previous session, which scripts do not count.
  const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  return { blocks: [{ type: 'text', text }], usage };
}

/** The conversation in the format of the Messages API; calls have no ids from the model here. */
function modelRequest({ contents, tools }: GeminiRequest, model: string): ModelRequest {
  const messages = contents.map(({ role, parts }) => ({
    role: role === 'model' ? 'assistant' : 'user',
    content: parts.map(({ text, thought }) => ({ type: 'text', ...(thought !== true && { text }) })),
  }));
  const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  return { model, stream: true, messages, tools: declared.map(() => ({})) };
}

function partOf(block: Message['blocks'][number]): object {
  if (block.type === 'text') return { text: block.text };
  if (block.type === 'thinking') return { text: block.thinking, thought: true };
  return { functionCall: { name: block.name, args: block.input } };
}

function* frames(message: Message, size: number): Generator<Frame> {
  const frame = (data: object, piece: boolean): Frame => ({ text: `data: ${JSON.stringify(data)}\r\n\r\n`, piece });
  for (const block of message.blocks) {
    if (block.type === 'tool_use') yield frame(chunk(message, [partOf(block)], false), true);
    else {
      const whole = block.type === 'text' ? block.text : block.thinking;
      for (const text of splitText(whole, size)) {
        yield frame(chunk(message, [{ ...partOf(block), text }], false), true);
      }
    }
  }
  yield frame(chunk(message, [{ text: '' }], true), false);
}

const finishReasons = new Map([['max_tokens', 'MAX_TOKENS']]);

function chunk({ count, model, stopReason, usage }: Message, parts: readonly object[], last: boolean): object {
  const finish = { finishReason: finishReasons.get(stopReason) ?? 'STOP' };
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(last && finish) }],
    modelVersion: model,
    responseId: `scripted_${count}`,
    ...(last && { usageMetadata: usageMetadata(usage) }),
  };
}

/** In this API's fields: the prompt includes cached tokens, and thoughts are separate from candidates. */
function usageMetadata(usage: Usage): object {
  const prompt = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  const thoughts = usage.thinking_tokens ?? 0;
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: usage.cache_read_input_tokens,
    candidatesTokenCount: usage.output_tokens - thoughts,
    thoughtsTokenCount: thoughts,
    totalTokenCount: prompt + usage.output_tokens,
  };
}

function fail(response: ServerResponse, { status, type, message }: ApiError): void {
  sendJson(response, status, { error: { code: status, message, status: type } });
}
