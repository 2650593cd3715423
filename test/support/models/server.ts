import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { marker, type ModelRequest, place } from './conversation.ts';
import type { Pace, Scenarios, Step } from './scripts/scenario.ts';

/** A request for an answer as it came in; `scenario` is absent for the agent's own side questions (titles and such). */
export interface Asked {
  readonly request: ModelRequest;
  readonly scenario?: string;
  readonly step?: number;
}

export interface ModelServer {
  /** Address of the API, without a path. */
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

/** One request to a vendor's API. */
export interface Call {
  /** Method and path without the query. */
  readonly route: string;
  /** The body as JSON; undefined where it is none. */
  readonly body: unknown;
  readonly text: string;
  readonly response: ServerResponse;
}

/** What the script says. */
export interface Script {
  /** The next step of the conversation that `request` carries, which counts as asked; undefined: a side question. */
  next(request: ModelRequest): Step | undefined;
  /** A number for each answer, from 1. */
  count(): number;
}

/**
 * A model's API on loopback that answers by script, so that a real agent runs without an account. The step of a scenario
 * follows from the conversation that the request carries, so a resumed session continues where it was.
 */
export async function serveScript(
  { scenarios, choose = marker, port = 0 }: ModelServerOptions,
  handle: (call: Call, script: Script) => Promise<void>,
): Promise<ModelServer> {
  const asked: Asked[] = [];
  const waiting = new Set<(latest: Asked) => void>();
  const taken = new Map<Step, number>();
  let answers = 0;

  const tell = (latest: Asked): void => {
    asked.push(latest);
    for (const notify of waiting) notify(latest);
  };
  const script: Script = {
    count: () => (answers += 1),
    next: (request) => {
      // Agents ask side questions about the same conversation; those come without tools.
      const found = request.tools.length > 0 ? place(request, choose) : undefined;
      const steps = found && Object.hasOwn(scenarios, found.name) ? scenarios[found.name] : undefined;
      // Steps that have failed often enough have ended; the conversation that counts the others knows nothing of them.
      const left = steps?.filter((step) => !('times' in step) || (taken.get(step) ?? 0) < (step.times ?? Infinity));
      const step = left?.[Math.min(found?.step ?? 0, left.length - 1)];
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
    // An agent that is stopped hangs up in the middle of its request or of our answer.
    serve(request, response).catch(() => response.destroy());
  });
  // Some agents would rather have a web socket, and continue without.
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

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** One server-sent event as it is written; after a piece of content comes the pause. */
export interface Frame {
  readonly text: string;
  readonly piece: boolean;
}

/** An event whose `type` is also its name. */
export function named(event: { readonly type: string; readonly [key: string]: unknown }, piece = false): Frame {
  return { text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`, piece };
}

/** `cut`: hangs up after the last piece of content. */
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
