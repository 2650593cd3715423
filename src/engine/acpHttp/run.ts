import { setTimeout as delay } from 'node:timers/promises';
import { RunWatch } from '../../agents/acp-http/watch.ts';
import type { ExitInfo } from '../../model/usage/facts.ts';
import type { AcpHttpClient, AcpHttpRequest } from './client.ts';
import { acpHttpFailures, AcpHttpFailure } from './failures.ts';
import type { AgentInput } from '../process/agentInput.ts';
import type { AgentProcess } from '../process/agentProcess.ts';
import { LineSplitter } from '../output/lineSplitter.ts';
import type { OutputChunk } from '../output/outputChunks.ts';

/** Delays in ms before each attempt to fetch missed events. New events reset them. */
const retryDelaysMs: readonly number[] = [0, 500, 1000, 2000, 4000, 8000, 15_000];

const cancelMs = 5000;

export interface AcpHttpRunRequest extends AcpHttpRequest {
  readonly client: AcpHttpClient;
  readonly clock: () => number;
  /** Time for the server to end a stopped run, in ms. */
  readonly graceMs: number;
  /** Someone answers the agent's questions. Otherwise the run ends at the first question. */
  readonly canAskUser: boolean;
  readonly pollIntervalsMs?: readonly number[];
}

/**
 * A run on a server, shaped like a process: the server's events are its stdout, connection problems its stderr.
 * @throws AcpHttpFailure if the server does not accept the run
 */
export async function startAcpHttpRun(request: AcpHttpRunRequest): Promise<AgentProcess> {
  const { client } = request;
  const abort = new AbortController();
  const first = await client.run(request, abort.signal);
  const run = new AcpHttpRun(request, abort);
  return {
    pid: undefined,
    input: request.canAskUser ? run.input : null,
    output: run.output(first),
    exit: run.exit,
    leftovers: () => Promise.resolve(0),
    stop: async (steps) => {
      await run.stop(steps?.reduce((sum, { graceMs }) => sum + graceMs, 0) ?? request.graceMs);
      return [];
    },
  };
}

class AcpHttpRun {
  /** Takes answers only; the protocol has no other input for a run. */
  readonly input: AgentInput = {
    open: false,
    write: (line) => this.#sendAnswer(answerIn(line)),
    close: () => this.#sendAnswer(null),
  };
  readonly exit: Promise<ExitInfo>;
  readonly #request: AcpHttpRunRequest;
  readonly #abort: AbortController;
  readonly #watch = new RunWatch();
  #lines = new LineSplitter();
  readonly #stop = new AbortController();
  #cancelled: Promise<void> | undefined;
  /** Answers in the order of the questions; `null` ends the input. An answer may arrive before the stream ends. */
  readonly #answers: (string | null)[] = [];
  #onAnswer = (): void => undefined;
  #resolveExit: (exit: ExitInfo) => void = () => undefined;

  constructor(request: AcpHttpRunRequest, abort: AbortController) {
    this.#request = request;
    this.#abort = abort;
    this.exit = new Promise((resolve) => {
      this.#resolveExit = resolve;
    });
  }

  async *output(first: AsyncIterable<Uint8Array>): AsyncGenerator<OutputChunk> {
    let exit: ExitInfo = { code: 1, signal: null };
    try {
      let stream: AsyncIterable<Uint8Array> | null = first;
      while (stream !== null) {
        yield* this.#readToEnd(stream);
        stream = this.#watch.hasEnded ? null : yield* this.#resumeStream();
      }
      exit = { code: 0, signal: null };
    } catch (error) {
      if (this.#abort.signal.aborted) exit = { code: null, signal: 'SIGTERM' };
      else yield this.#chunk('stderr', Buffer.from(describeError(error)));
    } finally {
      // The reader may have stopped early.
      this.#abort.abort();
      this.#resolveExit(exit);
    }
  }

  /** Requests the end of the run. Closes the connection if that takes longer than `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort();
    const timer = setTimeout(() => this.#abort.abort(), graceMs);
    void this.#cancel();
    await this.exit;
    clearTimeout(timer);
  }

  /** Reads one stream until the run ends or awaits an answer. Fetches missed events if the connection breaks. */
  async *#readToEnd(stream: AsyncIterable<Uint8Array>): AsyncGenerator<OutputChunk> {
    let cause: unknown;
    try {
      for await (const bytes of stream) {
        yield this.#readOutputChunk(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
        // This chunk may have contained the run's id.
        if (this.#isStopping) void this.#cancel();
      }
    } catch (error) {
      cause = error;
    }
    this.#endLines();
    this.#abort.signal.throwIfAborted();
    if (!this.#isDoneOrAsking)
      yield* this.#recoverEvents('The connection was lost. Vitrine requested the remaining events.', cause);
  }

  async *#recoverEvents(why: string, cause?: unknown): AsyncGenerator<OutputChunk> {
    const { client, pollIntervalsMs: waits = retryDelaysMs } = this.#request;
    const { runId } = this.#watch;
    const { signal } = this.#abort;
    if (runId === null) throw acpHttpFailures.streamBroken(null, cause);
    yield this.#readOutputChunk(Buffer.from(`\n: ${why}\n\n`));
    let reason = cause;
    for (let attempt = 0; attempt < waits.length; attempt += 1) {
      await delay(waits[attempt], undefined, { signal });
      const events = await client.events(runId, signal).catch((error: unknown) => {
        // The network or the server may recover before the last attempt.
        if (!AcpHttpFailure.is(error) || !error.isTransient) throw error;
        reason = error;
        return null;
      });
      if (events === null) continue;
      const missing = this.#watch.missing(events);
      for (const event of missing) yield this.#readOutputChunk(Buffer.from(`data: ${event}\n\n`));
      if (this.#isDoneOrAsking) return;
      if (missing.length > 0) attempt = 0;
    }
    throw acpHttpFailures.streamBroken(runId, reason);
  }

  /** Stream of the run after an answer; `null` if there was no answer and the run was cancelled. */
  async *#resumeStream(): AsyncGenerator<OutputChunk, AsyncIterable<Uint8Array> | null> {
    const { client } = this.#request;
    const { question, runId } = this.#watch;
    const { signal } = this.#abort;
    if (question === null || runId === null) throw acpHttpFailures.streamBroken(runId);
    const answer = this.#request.canAskUser
      ? await Promise.race([this.#nextAnswer(), whenAborted(this.#stop.signal)])
      : null;
    this.#watch.clearQuestion();
    if (answer !== null && !this.#isStopping) return client.resume(runId, answer, signal);
    this.#stop.abort();
    await this.#cancel();
    yield* this.#recoverEvents('The run was cancelled while it was waiting. Vitrine requested its last events.');
    return null;
  }

  async #nextAnswer(): Promise<string | null> {
    while (this.#answers.length === 0) {
      await new Promise<void>((resolve) => {
        this.#onAnswer = resolve;
      });
    }
    return this.#answers.shift() ?? null;
  }

  #sendAnswer(answer: string | null): boolean {
    this.#answers.push(answer);
    this.#onAnswer();
    return true;
  }

  get #isStopping(): boolean {
    return this.#stop.signal.aborted;
  }

  get #isDoneOrAsking(): boolean {
    return this.#watch.hasEnded || (this.#watch.question !== null && !this.#isStopping);
  }

  async #cancel(): Promise<void> {
    const { runId } = this.#watch;
    if (runId === null || this.#watch.hasEnded) return;
    // The run's last event tells whether the cancellation worked. Without one, the connection is closed.
    this.#cancelled ??= this.#request.client.cancel(runId, AbortSignal.timeout(cancelMs)).catch(() => undefined);
    await this.#cancelled;
  }

  #readOutputChunk(data: Buffer): OutputChunk {
    for (const line of this.#lines.push(data)) this.#watch.line('text' in line ? line.text : null);
    return this.#chunk('stdout', data);
  }

  #endLines(): void {
    for (const line of this.#lines.end()) this.#watch.line('text' in line ? line.text : null);
    this.#watch.cut();
    this.#lines = new LineSplitter();
  }

  #chunk(type: OutputChunk['type'], data: Buffer): OutputChunk {
    return { type, data, timestamp: new Date(this.#request.clock()) };
  }
}

function whenAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function answerIn(line: string): string | null {
  const answer: unknown = JSON.parse(line);
  return typeof answer === 'string' ? answer : null;
}

function describeError(error: unknown): string {
  if (AcpHttpFailure.is(error)) return `${error.message}\n${error.detail}\n`;
  return `${error instanceof Error ? error.message : String(error)}\n`;
}
