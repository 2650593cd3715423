import type { Disposable, Log, SessionHandle } from '../../../engine/api.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Redactor } from '../../../formats/redaction/redactor.ts';
import type { AgentRequest } from '../../../model/agent/request.ts';
import { agentRequestSchema } from '../../../model/agent/request.ts';
import { isSessionLive } from '../../../model/session/status.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import { TeamError } from '../../../team/errors.ts';
import { closeRequest, putRequest, readRequests } from '../../../team/runs/requests.ts';
import type { TeamRun } from '../../../team/runs/teamRuns.ts';
import type { UseDatabase } from '../outbox.ts';

export interface ServedRunsDeps {
  readonly engine: Pick<Engine, 'open' | 'onSummary'>;
  readonly use: UseDatabase;
  readonly redactor: () => Redactor;
  /** Lets whoever asked for the run read its session. */
  readonly share: (sessionId: string) => Promise<void>;
  readonly log: Log;
}

interface ServedRun {
  readonly run: string;
  readonly token: string;
  readonly sent: Map<string, AgentRequest>;
  handle?: SessionHandle;
  work: Promise<void>;
}

/** Runs that this daemon executes for the team: their requests go to whoever asked for them, and the answers come back. */
export class ServedRuns implements Disposable {
  readonly #deps: ServedRunsDeps;
  readonly #runsBySession = new Map<string, ServedRun>();
  readonly #summaries: Disposable;

  constructor(deps: ServedRunsDeps) {
    this.#deps = deps;
    this.#summaries = deps.engine.onSummary((summary) => this.#openServedSession(summary));
  }

  begin({ job: { run }, token }: TeamRun): void {
    if (token === null) return;
    this.#runsBySession.set(run.session_id, { run: run.run_id, token, sent: new Map(), work: Promise.resolve() });
  }

  end(sessionId: string): void {
    this.#runsBySession.get(sessionId)?.handle?.dispose();
    this.#runsBySession.delete(sessionId);
  }

  /** Someone may have answered. */
  handleAnswer(sessionId: string): void {
    this.#enqueue(sessionId, (served) => this.#receiveAnswers(sessionId, served));
  }

  /** After a connection was made. */
  resume(): void {
    for (const id of this.#runsBySession.keys()) {
      this.#enqueue(id, (served) => this.#sendRequests(served));
      this.handleAnswer(id);
    }
  }

  dispose(): void {
    this.#summaries.dispose();
    for (const id of this.#runsBySession.keys()) this.end(id);
  }

  #openServedSession({ session_id: id, status }: SessionSummary): void {
    const served = this.#runsBySession.get(id);
    if (served === undefined || served.handle !== undefined || !isSessionLive(status)) return;
    this.#enqueue(id, async () => {
      if (served.handle !== undefined) return;
      await this.#deps.share(id);
      served.handle = await this.#deps.engine.open(id);
      served.handle.onConversation(() => this.#enqueue(id, (run) => this.#sendRequests(run)));
      await this.#sendRequests(served);
    });
  }

  /** One after the other per session. Never rejects. */
  #enqueue(id: string, work: (served: ServedRun) => Promise<void>): void {
    const served = this.#runsBySession.get(id);
    if (served === undefined) return;
    served.work = served.work
      .then(() => work(served))
      .catch((error: unknown) => {
        if (!TeamError.is(error, 'unreachable')) this.#deps.log.warn(`Requests of ${id}: ${String(error)}`);
      });
  }

  async #sendRequests({ run, token, sent, handle }: ServedRun): Promise<void> {
    const { use, redactor } = this.#deps;
    const pending = new Map((handle?.conversation()?.pendingRequests() ?? []).map((request) => [request.id, request]));
    for (const [id, request] of pending) {
      if (sent.has(id)) continue;
      const masked = agentRequestSchema.parse(redactor().redactJson(request, { path: ['request'] }));
      await use((database) => putRequest(database, { run, token }, { ...masked, id }));
      sent.set(id, request);
    }
    for (const id of sent.keys()) {
      if (pending.has(id)) continue;
      await use((database) => closeRequest(database, { run, token }, id));
      sent.delete(id);
    }
  }

  async #receiveAnswers(sessionId: string, { handle }: ServedRun): Promise<void> {
    const requests = await this.#deps.use((database) => readRequests(database, sessionId));
    for (const { request, answer, answeredBy } of requests) {
      if (answer === null) continue;
      const client = { kind: 'api' as const, ...(answeredBy !== null && { id: answeredBy.slice(0, 64) }) };
      handle?.conversation()?.answer(request.id, answer, client);
    }
  }
}
