import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { findMarker, type ModelRequest, findPlace } from './conversation.ts';
import type { Pace, Scenarios, Step } from './scripts/scenario.ts';

/** A request for an answer; `scenario` is absent for the agent's side requests, such as for titles. */
export interface ReceivedRequest {
  readonly request: ModelRequest;
  readonly scenario?: string;
  readonly step?: number;
}

export interface ModelServer {
  /** URL of the API, without a path. */
  readonly url: string;
  /** All requests for an answer since the start, oldest first. */
  readonly asked: readonly ReceivedRequest[];
  /** The first request that passes the test, past or future. */
  waitFor(test: (asked: ReceivedRequest) => boolean): Promise<ReceivedRequest>;
  stop(): Promise<void>;
}

export interface ModelServerOptions {
  readonly scenarios: Scenarios;
  /** Returns the scenario in a user's text, or undefined. Default: the last `[[name]]`. */
  readonly choose?: (userText: string) => string | undefined;
  readonly port?: number;
}

/** One request to a vendor's API. */
export interface Call {
  /** Method and path without the query. */
  readonly route: string;
  /** The body as JSON; undefined if invalid. */
  readonly body: unknown;
  readonly text: string;
  readonly response: ServerResponse;
}

/** The script's part of a server. */
export interface Script {
  /** Next step of the request's conversation, which is counted; undefined for a side request. */
  next(request: ModelRequest): Step | undefined;
  /** Number of the next answer, 1-based. */
  count(): number;
}

/**
 * A scripted model API on loopback, so that a real agent runs without an account. The step of a scenario is derived
 * from the conversation in the request, so a resumed session continues in the right place.
 */
export async function serveScript(
  { scenarios, choose = findMarker, port = 0 }: ModelServerOptions,
  handle: (call: Call, script: Script) => Promise<void>,
): Promise<ModelServer> {
  const asked: ReceivedRequest[] = [];
  const waiting = new Set<(latest: ReceivedRequest) => void>();
  const taken = new Map<Step, number>();
  let answers = 0;

  const tell = (latest: ReceivedRequest): void => {
    asked.push(latest);
    for (const notify of waiting) notify(latest);
  };
  const script: Script = {
    count: () => (answers += 1),
    next: (request) => {
      // Side requests about the same conversation have no tools.
      const found = request.tools.length > 0 ? findPlace(request, choose) : undefined;
      const steps = found && Object.hasOwn(scenarios, found.name) ? scenarios[found.name] : undefined;
      // Steps that have failed often enough are skipped; they are not part of the conversation.
      const remaining = steps?.filter(
        (step) => !('times' in step) || (taken.get(step) ?? 0) < (step.times ?? Infinity),
      );
      const step = remaining?.[Math.min(found?.step ?? 0, remaining.length - 1)];
      if (found === undefined || step === undefined) {
        tell({ request });
        return undefined;
      }
      taken.set(step, (taken.get(step) ?? 0) + 1);
      tell({ request, scenario: found.name, step: found.step });
      return step;
    },
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readText(request);
    const route = `${request.method ?? ''} ${request.url?.split('?')[0] ?? ''}`;
    await handle({ route, body: parseJson(text), text, response }, script);
  };
  const server = createServer((request, response) => {
    // A stopped agent disconnects during its request or our answer.
    serve(request, response).catch(() => response.destroy());
  });
  // Some agents try a web socket first, and continue without.
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    waitFor: (test) => {
      const earlier = asked.find(test);
      if (earlier !== undefined) return Promise.resolve(earlier);
      return new Promise((resolve) => {
        const notify = (latest: ReceivedRequest): void => {
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

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** A server-sent event as text, and the pause after it. */
export interface Frame {
  readonly text: string;
  readonly piece: boolean;
}

/** An event whose name is its `type`. */
export function namedFrame(event: { readonly type: string; readonly [key: string]: unknown }, piece = false): Frame {
  return { text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`, piece };
}

/** `cut`: disconnects after the last piece of content. */
export async function sendEvents(
  response: ServerResponse,
  frames: Iterable<Frame>,
  { pace, cut = false }: { readonly pace: Pace; readonly cut?: boolean | undefined },
): Promise<void> {
  await pace.after;
  await delay(pace.first);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const all = [...frames];
  const end = cut ? all.findLastIndex(({ piece }) => piece) + 1 : all.length;
  for (const { text, piece } of all.slice(0, end)) {
    if (response.closed) return;
    response.write(text);
    if (piece && pace.between > 0) await delay(pace.between);
  }
  if (cut) response.socket?.end();
  else response.end();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
