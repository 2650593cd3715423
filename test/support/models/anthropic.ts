import type { ServerResponse } from 'node:http';
import { messageOf, paceOf } from './answer.ts';
import { requestSchema } from './conversation.ts';
import type { Answer, ApiError } from './scripts/scenario.ts';
import { type ModelServer, type ModelServerOptions, sendEvents, sendJson, serveScript } from './server.ts';
import { streamEvents, wholeMessage } from './stream.ts';

export type { ModelServer } from './server.ts';

const sideAnswer: Answer = { blocks: [{ type: 'text', text: '{"title":"A scripted session","isNewTopic":true}' }] };

/** A scripted Anthropic Messages API; `url` is for ANTHROPIC_BASE_URL. */
export function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  return serveScript(options, async ({ route, body, text, response }, script) => {
    if (route === 'POST /v1/messages/count_tokens') {
      sendJson(response, 200, { input_tokens: Math.ceil(text.length / 4) });
      return;
    }
    if (route !== 'POST /v1/messages') {
      fail(response, { status: 404, type: 'not_found_error', message: `${route} is not served here` });
      return;
    }
    const request = requestSchema.safeParse(body);
    if (!request.success) {
      fail(response, { status: 400, type: 'invalid_request_error', message: request.error.message });
      return;
    }
    const step = script.next(request.data) ?? sideAnswer;
    if ('hang' in step) return;
    if ('error' in step) {
      fail(response, step.error);
      return;
    }
    const message = messageOf(step, request.data.model, script.count());
    const pace = paceOf(step);
    if (request.data.stream) await sendEvents(response, streamEvents(message, pace.chunk), { pace, cut: step.cut });
    else sendJson(response, 200, wholeMessage(message));
  });
}

function fail(response: ServerResponse, { status, type, message }: ApiError): void {
  sendJson(response, status, { type: 'error', error: { type, message } });
}
