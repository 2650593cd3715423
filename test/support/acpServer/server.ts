import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ErrorModel, Message, Scenario } from './protocol.ts';
import { ScriptedRun } from './run.ts';
import { scenarios as allScenarios } from './scenarios.ts';

export interface AcpServer {
  readonly url: string;
  /** Method, path and headers of every request, oldest first. */
  readonly requests: { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  readonly runs: ReadonlyMap<string, ScriptedRun>;
  stop(): Promise<void>;
}

interface Options {
  readonly scenarios?: Readonly<Record<string, Scenario>>;
  /** Required bearer token. */
  readonly token?: string;
}

class Refusal extends Error {
  readonly status: number;
  readonly error: ErrorModel;

  constructor(status: number, code: ErrorModel['code'], message: string) {
    super(message);
    this.status = status;
    this.error = { code, message };
  }
}

/** A server on loopback with the published OpenAPI of the Agent Communication Protocol and scripted agents. */
export async function startAcpServer({ scenarios = allScenarios, token }: Options = {}): Promise<AcpServer> {
  const runs = new Map<string, ScriptedRun>();
  const requests: { method: string; path: string; headers: IncomingMessage['headers'] }[] = [];
  const asked = new Map<string, number>();

  function create(body: Record<string, unknown>): ScriptedRun {
    const agent = String(body['agent_name']);
    const scenario = scenarios[agent];
    if (scenario === undefined) throw new Refusal(404, 'not_found', `Agent ${agent} not found`);
    if (!Array.isArray(body['input'])) throw new Refusal(422, 'invalid_input', 'input is required');
    const session = typeof body['session_id'] === 'string' ? body['session_id'] : randomUUID();
    const before = asked.get(session) ?? 0;
    asked.set(session, before + 1);
    const input = (body['input'] as Message[])
      .flatMap(({ parts }) => parts.map(({ content }) => content ?? ''))
      .join('');
    const run = new ScriptedRun(agent, scenario, session, { input, before: String(before) });
    runs.set(run.run.run_id, run);
    return run;
  }

  function find(id: string | undefined): ScriptedRun {
    const found = runs.get(id ?? '');
    if (found === undefined) throw new Refusal(404, 'not_found', `Run ${id} not found`);
    return found;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://loopback');
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      throw new Refusal(401, 'invalid_input', 'A token is required');
    }
    const [, what, id, of] = pathname.split('/');
    const route = `${request.method} /${what}${id === undefined ? '' : '/*'}${of === undefined ? '' : `/${of}`}`;
    switch (route) {
      case 'GET /ping': {
        json(response, 200, {});
        return;
      }
      case 'GET /agents': {
        const offset = Number(searchParams.get('offset') ?? 0);
        const listed = Object.entries(scenarios).slice(offset, offset + Number(searchParams.get('limit') ?? 10));
        json(response, 200, { agents: listed.map(([name, scenario]) => manifest(name, scenario)) });
        return;
      }
      case 'GET /agents/*': {
        const scenario = scenarios[id ?? ''];
        if (scenario === undefined) throw new Refusal(404, 'not_found', `Agent ${id} not found`);
        json(response, 200, manifest(id ?? '', scenario));
        return;
      }
      case 'POST /runs': {
        const body = await bodyOf(request);
        return play(create(body), body['mode'], response);
      }
      case 'GET /runs/*': {
        json(response, 200, find(id).run);
        return;
      }
      case 'POST /runs/*': {
        const body = await bodyOf(request);
        const scripted = find(id);
        if (scripted.run.status !== 'awaiting') throw new Refusal(403, 'invalid_input', 'The run does not wait');
        scripted.answer((body['await_resume'] as { message: Message }).message);
        return play(scripted, body['mode'], response);
      }
      case 'POST /runs/*/cancel': {
        const scripted = find(id);
        scripted.cancel();
        json(response, 202, scripted.run);
        return;
      }
      case 'GET /runs/*/events': {
        json(response, 200, { events: find(id).events });
        return;
      }
      default:
        throw new Refusal(404, 'not_found', `No such path: ${pathname}`);
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof Refusal) json(response, error.status, error.error);
      else json(response, 500, { code: 'server_error', message: String(error) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    runs,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function play(scripted: ScriptedRun, mode: unknown, response: ServerResponse): Promise<void> {
  if (mode === 'stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    await scripted.play({
      event: (event) => response.write(`data: ${JSON.stringify(event)}\n\n`),
      raw: (text) => response.write(text),
      // Written data must arrive before the connection is closed.
      drop: () => response.write(': cut\n\n', () => response.destroy()),
    });
    if (!response.destroyed && scripted.run.status !== 'in-progress') response.end();
    return;
  }
  const played = scripted.play();
  if (mode === 'async') {
    json(response, 202, scripted.run);
    return;
  }
  await played;
  json(response, 200, scripted.run);
}

function manifest(name: string, { description }: Scenario): object {
  return { name, description, input_content_types: ['*/*'], output_content_types: ['*/*'], metadata: {} };
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
  } catch {
    throw new Refusal(422, 'invalid_input', 'The body is no JSON');
  }
}
