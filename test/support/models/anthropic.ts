import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { marker, type ModelRequest, place, requestSchema, toolCallId } from './conversation.ts';
import type { Answer, ApiError, Pace, Scenarios, Step, Usage } from './scenario.ts';
import { type Message, streamEvents, wholeMessage } from './stream.ts';

/** A request for an answer as it came in; `scenario` is absent for the agent's own side questions (titles and such). */
export interface Asked {
  readonly request: ModelRequest;
  readonly scenario?: string;
  readonly step?: number;
}

export interface ModelServer {
  /** For ANTHROPIC_BASE_URL. */
  readonly url: string;
  /** Every request for an answer since the start, oldest first. */
  readonly asked: readonly Asked[];
  /** The next request, or the first so far, that `test` holds for. */
  waitFor(test: (asked: Asked) => boolean): Promise<Asked>;
  stop(): Promise<void>;
}

export interface ModelServerOptions {
  readonly scenarios: Scenarios;
  /** Names the scenario that a user's text starts, or undefined. Default: the last `[[name]]` in it. */
  readonly choose?: (userText: string) => string | undefined;
  readonly port?: number;
}

const defaultUsage: Usage = {
  input_tokens: 12,
  cache_creation_input_tokens: 1000,
  cache_read_input_tokens: 2000,
  output_tokens: 50,
};
const defaultPace: Pace = { first: 0, between: 0, chunk: 24 };
const sideAnswer: Answer = { blocks: [{ type: 'text', text: '{"title":"A scripted session","isNewTopic":true}' }] };

/**
 * An Anthropic Messages API on loopback that answers by script, so that a real agent runs without an account. The step of a
 * scenario follows from the conversation that the request carries, so a resumed session goes on where it was.
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { scenarios, choose = marker, port = 0 } = options;
  const asked: Asked[] = [];
  const waiting = new Set<(latest: Asked) => void>();
  let count = 0;

  const locate = (request: ModelRequest): { asked: Asked; step: Step } => {
    // Agents ask side questions about the same conversation; those come without tools.
    const found = request.tools.length > 0 ? place(request, choose) : undefined;
    const steps = found && Object.hasOwn(scenarios, found.name) ? scenarios[found.name] : undefined;
    if (!found || !steps) return { asked: { request }, step: sideAnswer };
    const step = steps[Math.min(found.step, steps.length - 1)] ?? sideAnswer;
    return { asked: { request, scenario: found.name, step: found.step }, step };
  };

  const answer = async (body: string, response: ServerResponse): Promise<void> => {
    const parsed = requestSchema.safeParse(parseJson(body));
    if (!parsed.success) {
      fail(response, { status: 400, type: 'invalid_request_error', message: parsed.error.message });
      return;
    }
    const { asked: latest, step } = locate(parsed.data);
    asked.push(latest);
    for (const notify of waiting) notify(latest);
    if ('hang' in step) return;
    if ('error' in step) {
      fail(response, step.error);
      return;
    }
    count += 1;
    await send(response, messageOf(step, parsed.data.model, count), parsed.data.stream, {
      ...defaultPace,
      ...step.pace,
    });
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readText(request);
    const path = request.url?.split('?')[0];
    const route = `${request.method ?? ''} ${path ?? ''}`;
    if (route === 'POST /v1/messages') await answer(body, response);
    else if (route === 'POST /v1/messages/count_tokens')
      sendJson(response, 200, { input_tokens: Math.ceil(body.length / 4) });
    else fail(response, { status: 404, type: 'not_found_error', message: `${route} is not served here` });
  };

  const server = createServer((request, response) => {
    // An agent that is stopped hangs up in the middle of its request or of our answer.
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    waitFor: (test) => {
      const earlier = asked.find(test);
      if (earlier !== undefined) return Promise.resolve(earlier);
      return new Promise((resolve) => {
        const notify = (latest: Asked): void => {
          if (!test(latest)) return;
          waiting.delete(notify);
          resolve(latest);
        };
        waiting.add(notify);
      });
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function messageOf(answer: Answer, model: string, count: number): Message {
  const blocks = answer.blocks.map((block, index) =>
    block.type === 'tool_use' ? { ...block, id: toolCallId(count, index) } : block,
  );
  const stopReason = answer.stopReason ?? (blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');
  return { id: `msg_scripted_${count}`, model, blocks, stopReason, usage: { ...defaultUsage, ...answer.usage } };
}

async function send(response: ServerResponse, message: Message, stream: boolean, pace: Pace): Promise<void> {
  await delay(pace.first);
  if (!stream) {
    sendJson(response, 200, wholeMessage(message));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of streamEvents(message, pace.chunk)) {
    if (response.closed) return;
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (event.type === 'content_block_delta' && pace.between > 0) await delay(pace.between);
  }
  response.end();
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function fail(response: ServerResponse, { status, type, message }: ApiError): void {
  sendJson(response, status, { type: 'error', error: { type, message } });
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
