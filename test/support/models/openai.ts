import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { messageOf, paceOf } from './answer.ts';
import type { ModelRequest } from './conversation.ts';
import { responseEvents } from './openaiStream.ts';
import type { Answer, ApiError } from './scripts/scenario.ts';
import { type ModelServer, type ModelServerOptions, sendEvents, sendJson, serveScript } from './server.ts';

const part = z.looseObject({ text: z.string().optional() });
const item = z.looseObject({
  type: z.string().default('message'),
  role: z.string().optional(),
  content: z.union([z.string(), z.array(part)]).nullish(),
  call_id: z.string().optional(),
});
type Item = z.infer<typeof item>;

const requestSchema = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(item)]),
  tools: z.array(z.looseObject({ name: z.string().optional() })).default([]),
});

const sideAnswer: Answer = { blocks: [{ type: 'text', text: 'An answer beside the conversation.' }] };

/** A scripted OpenAI Responses API, streamed; `url` + `/v1` is a provider's base URL for `responses`. */
export function startOpenaiServer(options: ModelServerOptions): Promise<ModelServer> {
  return serveScript(options, async ({ route, body, response }, script) => {
    if (route === 'GET /v1/models') {
      sendJson(response, 200, { object: 'list', data: [], models: [] });
      return;
    }
    if (route !== 'POST /v1/responses') {
      fail(response, { status: 404, type: 'invalid_request_error', message: `${route} is not served here` });
      return;
    }
    const parsed = requestSchema.safeParse(body);
    if (!parsed.success) {
      fail(response, { status: 400, type: 'invalid_request_error', message: parsed.error.message });
      return;
    }
    const { model, input, tools } = parsed.data;
    const step = script.next({ model, stream: true, messages: messagesOf(input), tools }) ?? sideAnswer;
    if ('hang' in step) return;
    if ('error' in step) {
      fail(response, step.error);
      return;
    }
    const message = messageOf(step, model, script.count());
    const pace = paceOf(step);
    await sendEvents(response, responseEvents(message, pace.chunk), { pace, cut: step.cut });
  });
}

/** The conversation in the format of the Messages API: calls are the assistant's, results the user's. */
function messagesOf(input: string | readonly Item[]): ModelRequest['messages'] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  return input.flatMap(({ type, role, content, call_id: id }): ModelRequest['messages'] => {
    if (type === 'message') return [{ role: role ?? 'user', content: textOf(content) }];
    if (type === 'function_call' || type === 'custom_tool_call') {
      return [{ role: 'assistant', content: [{ type: 'tool_use', id }] }];
    }
    const isResult = type === 'function_call_output' || type === 'custom_tool_call_output';
    return isResult ? [{ role: 'user', content: [{ type: 'tool_result' }] }] : [];
  });
}

function textOf(content: Item['content']): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n');
}

function fail(response: ServerResponse, { status, type, message }: ApiError): void {
  sendJson(response, status, { error: { message, type, code: null, param: null } });
}
