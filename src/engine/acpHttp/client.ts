import { isObject } from '../../model/text/json.ts';
import { acpHttpFailures, AcpHttpFailure } from './failures.ts';

/** Maximum bytes of a response that is not a stream. */
const maxAnswer = 8 * 1024 * 1024;
const maxAgents = 1000;
const pageOfAgents = 100;
const streamTimeoutMs = 30_000;

export interface AcpHttpOptions {
  readonly baseUrl: string;
  /** Sent with every request, for example an access token. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  /** Timeout of responses that are not streams. Default 30 seconds. */
  readonly timeoutMs?: number;
}

export interface AcpHttpAgent {
  readonly name: string;
  readonly description: string;
}

export interface AcpHttpRequest {
  readonly agent: string;
  readonly prompt: string;
  /** A session of the server to resume, or a UUID for a new one. */
  readonly sessionId?: string;
}

/** Client of the Agent Communication Protocol. Every failure is an `AcpHttpFailure`, except aborts by the caller. */
export class AcpHttpClient {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;

  /** @throws AcpHttpFailure for an invalid URL */
  constructor({ baseUrl, headers = {}, fetch: ownFetch = fetch, timeoutMs = 30_000 }: AcpHttpOptions) {
    const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) throw acpHttpFailures.badAddress(baseUrl);
    if (url.username !== '' || url.password !== '') throw acpHttpFailures.secretInAddress(url.origin);
    this.#baseUrl = url.href.replace(/[?#].*$/, '').replace(/\/+$/, '');
    for (const [name, value] of Object.entries(headers)) {
      // The error of `fetch` for an invalid header includes its value.
      if (!isHeader(name, value)) throw acpHttpFailures.badHeader(name);
    }
    this.#headers = headers;
    this.#fetch = ownFetch;
    this.#timeoutMs = timeoutMs;
  }

  async ping(signal?: AbortSignal): Promise<void> {
    await this.#requestJson('GET', '/ping', undefined, signal);
  }

  /** Lists all agents of the server, at most 1,000. */
  async agents(signal?: AbortSignal): Promise<AcpHttpAgent[]> {
    const found = new Map<string, AcpHttpAgent>();
    for (let offset = 0; offset < maxAgents; offset += pageOfAgents) {
      const path = `/agents?limit=${pageOfAgents}&offset=${offset}`;
      const { where, value } = await this.#requestJson('GET', path, undefined, signal);
      const listed: unknown = isObject(value) ? value['agents'] : value;
      if (!Array.isArray(listed))
        throw acpHttpFailures.notTheProtocol(where, 'the response contains no list of agents');
      const before = found.size;
      for (const agent of listed) {
        if (!isObject(agent) || typeof agent['name'] !== 'string') continue;
        const { name, description } = agent;
        found.set(name, { name, description: typeof description === 'string' ? description : '' });
      }
      // A server without paging returns the same agents for each page.
      if (listed.length < pageOfAgents || found.size === before) break;
    }
    return [...found.values()];
  }

  /**
   * Starts a run. Resolves to the event stream once the server has accepted the run. The stream ends when the run ends
   * or awaits an answer.
   * @throws AcpHttpFailure
   */
  run({ agent, prompt, sessionId }: AcpHttpRequest, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const input = [message(prompt)];
    const session = sessionId === undefined ? {} : { session_id: sessionId };
    return this.#requestStream('/runs', { agent_name: agent, input, mode: 'stream', ...session }, signal);
  }

  /** Answers an awaiting run and continues as `run` does. @throws AcpHttpFailure */
  resume(runId: string, answer: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const resume = { run_id: runId, await_resume: { type: 'message', message: message(answer) }, mode: 'stream' };
    return this.#requestStream(`/runs/${encodeURIComponent(runId)}`, resume, signal);
  }

  /** Requests the end of a run. The run's stream reports when it has ended. */
  async cancel(runId: string, signal?: AbortSignal): Promise<void> {
    await this.#requestJson('POST', `/runs/${encodeURIComponent(runId)}/cancel`, {}, signal);
  }

  /** All events of a run so far, as JSON texts. Used after a lost connection. @throws AcpHttpFailure */
  async events(runId: string, signal?: AbortSignal): Promise<string[]> {
    const { where, value } = await this.#requestJson(
      'GET',
      `/runs/${encodeURIComponent(runId)}/events`,
      undefined,
      signal,
    );
    const events: unknown = isObject(value) ? value['events'] : undefined;
    if (!Array.isArray(events)) throw acpHttpFailures.notTheProtocol(where, 'the response contains no list of events');
    return events.map((event) => JSON.stringify(event));
  }

  async #requestStream(
    path: string,
    body: object,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<Uint8Array>> {
    const where = `POST ${this.#baseUrl}${path}`;
    const response = await this.#fetchAccepted(where, path, body, signal);
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || response.body === null) throw await this.#toFailure(where, response);
    if (type.startsWith('text/event-stream')) return response.body;
    await response.body.cancel();
    throw acpHttpFailures.notTheProtocol(where, `${type === '' ? 'no content type' : type} instead of an event stream`);
  }

  /** The timeout covers only the response headers: a stream is silent as long as the agent is. */
  async #fetchAccepted(where: string, path: string, body: object, signal: AbortSignal | undefined): Promise<Response> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), streamTimeoutMs);
    const combinedSignal = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    try {
      return await this.#request('POST', path, body, 'text/event-stream', combinedSignal);
    } catch (error) {
      if (late.signal.aborted && signal?.aborted !== true)
        throw acpHttpFailures.timedOut(where, streamTimeoutMs / 1000);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #requestJson(
    method: string,
    path: string,
    body: object | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ where: string; value: unknown }> {
    const where = `${method} ${this.#baseUrl}${path}`;
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const combinedSignal = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      const response = await this.#request(method, path, body, 'application/json', combinedSignal);
      if (!response.ok) throw await this.#toFailure(where, response);
      const text = await textOf(response, where);
      try {
        return { where, value: JSON.parse(text) };
      } catch {
        throw acpHttpFailures.notTheProtocol(where, 'the response is not JSON');
      }
    } catch (error) {
      if (AcpHttpFailure.is(error)) throw error;
      if (timeout.aborted && signal?.aborted !== true) throw acpHttpFailures.timedOut(where, this.#timeoutMs / 1000);
      if (signal?.aborted === true) throw error;
      throw acpHttpFailures.unreachable(where, error);
    }
  }

  async #request(
    method: string,
    path: string,
    body: object | undefined,
    accept: string,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const where = `${method} ${this.#baseUrl}${path}`;
    let response: Response;
    try {
      response = await this.#fetch(this.#baseUrl + path, {
        method,
        headers: {
          ...this.#headers,
          accept,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        redirect: 'manual',
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
      });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw acpHttpFailures.unreachable(where, error);
    }
    if (response.status < 300 || response.status >= 400) return response;
    await response.body?.cancel();
    throw acpHttpFailures.redirected(where, response.headers.get('location') ?? '?');
  }

  async #toFailure(where: string, response: Response): Promise<AcpHttpFailure> {
    let body = '';
    try {
      const value: unknown = JSON.parse(await textOf(response, where));
      const message = isObject(value) ? (value['message'] ?? value['detail']) : undefined;
      if (typeof message === 'string') body = message;
    } catch {
      // The HTTP status is enough.
    }
    const { status } = response;
    if (status === 401 || status === 403) return acpHttpFailures.unauthorized(where, status, body);
    return status === 404 ? acpHttpFailures.notFound(where, body) : acpHttpFailures.refused(where, status, body);
  }
}

function message(content: string): object {
  return { role: 'user', parts: [{ content_type: 'text/plain', content }] };
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers({ [name]: value }).has(name);
  } catch {
    return false;
  }
}

async function textOf({ body }: Response, where: string): Promise<string> {
  return body === null ? '' : decoded(body, where);
}

async function decoded(body: AsyncIterable<Uint8Array>, where: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswer) throw acpHttpFailures.tooLarge(where, maxAnswer / 1024 / 1024);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
