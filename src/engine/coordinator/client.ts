import { createConnection } from 'node:net';
import { accepted } from '../../coordinator/acceptedRuns.ts';
import {
  createRunSchema,
  type Claim,
  type CoordinatorLink,
  type CreateRun,
  type Job,
  type Registration,
  type RunFilter,
  type RunListener,
  type RunReport,
  type Seat,
} from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import type { ListedRunner, Runner } from '../../model/session/runner.ts';
import type { Run } from '../../model/session/session.ts';
import type { Disposable, Log } from '../api.ts';
import { Emitter } from '../emitter.ts';
import { isProof, newNonce, proofOf } from './handshake.ts';
import { LineSocket } from './lineSocket.ts';
import type { CoordinatorPlace } from './place.ts';
import { answerSchema, calls, challengeSchema, welcomeSchema, type CallName, type ResultOf } from './wire.ts';

const connectMs = 5000;
const callMs = 30_000;

interface Waiting {
  /** Of a list, what came so far. */
  readonly parts: (readonly unknown[])[];
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** A coordinator in another process of this user, over its socket. Does not come back once the connection is lost. */
export class CoordinatorClient implements CoordinatorLink, Disposable {
  /** Settles when no one answers any more. */
  readonly closed: Promise<void>;
  readonly #lines: LineSocket;
  readonly #changed: Emitter<[run: Run]>;
  readonly #waiting = new Map<number, Waiting>();
  #ids = 0;
  #over = false;

  private constructor(place: CoordinatorPlace, log: Log, ready: (failure?: CoordinatorError) => void) {
    this.#changed = new Emitter(log);
    const nonce = newNonce();
    let welcome = false;
    let challenged = false;
    const refuse = (): void => {
      ready(
        new CoordinatorError(
          'forbidden',
          `Another program is listening at ${place.address}, the coordinator's address.`,
        ),
      );
      this.#lines.destroy();
    };
    const socket = createConnection({ path: place.address });
    let closed = (): void => undefined;
    this.closed = new Promise((resolve) => {
      closed = resolve;
    });
    this.#lines = new LineSocket(socket, {
      message: (message) => {
        if (welcome) this.#take(message);
        else if (challenged) {
          const answer = welcomeSchema.safeParse(message);
          welcome = answer.success && isProof(answer.data.proof, place.token, 'server', nonce);
          if (welcome) ready();
          else refuse();
        } else {
          const challenge = challengeSchema.safeParse(message);
          challenged = challenge.success;
          if (!challenge.success) refuse();
          else this.#lines.send({ proof: proofOf(place.token, 'client', challenge.data.nonce), nonce });
        }
      },
      closed: () => {
        ready(
          challenged && !welcome
            ? new CoordinatorError('forbidden', 'The coordinator rejected the token.')
            : new CoordinatorError('unreachable', 'The coordinator does not respond.'),
        );
        this.#end();
        closed();
      },
    });
  }

  /** @throws CoordinatorError `unreachable` where no one listens, `forbidden` where one of both does not know the token */
  static async connect(place: CoordinatorPlace, log: Log): Promise<CoordinatorClient> {
    let client: CoordinatorClient | undefined;
    const timer = setTimeout(() => client?.dispose(), connectMs);
    try {
      await new Promise<void>((resolve, reject) => {
        client = new CoordinatorClient(place, log, (failure) => (failure === undefined ? resolve() : reject(failure)));
      });
    } finally {
      clearTimeout(timer);
    }
    if (client === undefined) throw new CoordinatorError('unreachable', 'The coordinator does not respond.');
    return client;
  }

  /** What would be refused is not sent: one that is too long for a line would end the connection. */
  async createRun(request: CreateRun): Promise<Run> {
    return this.#call('createRun', accepted(createRunSchema, request));
  }

  stopRun(runId: string): Promise<Run> {
    return this.#call('stopRun', runId);
  }

  runs(filter: RunFilter = {}): Promise<readonly Run[]> {
    return this.#call('runs', filter);
  }

  runners(): Promise<readonly ListedRunner[]> {
    return this.#call('runners');
  }

  register(registration: Registration): Promise<Runner> {
    return this.#call('register', registration);
  }

  async heartbeat(seat: Seat): Promise<void> {
    await this.#call('heartbeat', seat);
  }

  claim(claim: Claim): Promise<Job | null> {
    return this.#call('claim', claim);
  }

  report(seat: Seat, report: RunReport): Promise<Run> {
    return this.#call('report', seat, report);
  }

  async leave(seat: Seat): Promise<void> {
    await this.#call('leave', seat);
  }

  onRun(listener: RunListener): Disposable {
    return this.#changed.on(listener);
  }

  dispose(): void {
    this.#lines.destroy();
  }

  async #call<N extends CallName>(call: N, ...params: readonly unknown[]): Promise<ResultOf<N>>;
  async #call(call: CallName, ...params: readonly unknown[]): Promise<unknown> {
    if (this.#over) throw new CoordinatorError('unreachable', 'The connection to the coordinator was closed.');
    this.#ids += 1;
    const id = this.#ids;
    const result = await new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new CoordinatorError('unreachable', `The coordinator did not respond within ${callMs / 1000} seconds.`));
      }, callMs);
      this.#waiting.set(id, { parts: [], resolve, reject, timer });
      this.#lines.send({ id, call, params });
    });
    const parsed = calls[call].result.safeParse(result);
    if (!parsed.success) throw new CoordinatorError('invalid', 'The coordinator sent an invalid response.');
    return parsed.data;
  }

  #take(message: unknown): void {
    const { data } = answerSchema.safeParse(message);
    if (data === undefined) {
      this.#lines.destroy();
      return;
    }
    if ('run' in data) {
      this.#changed.fire(data.run);
      return;
    }
    const waiting = this.#waiting.get(data.id);
    if (waiting === undefined) return;
    if ('part' in data) {
      waiting.parts.push(data.part);
      waiting.timer.refresh();
      return;
    }
    this.#waiting.delete(data.id);
    clearTimeout(waiting.timer);
    if ('error' in data) waiting.reject(new CoordinatorError(data.error.code, data.error.message));
    else waiting.resolve(Array.isArray(data.result) ? [...waiting.parts, data.result].flat() : data.result);
  }

  #end(): void {
    this.#over = true;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new CoordinatorError('unreachable', 'The coordinator exited before it responded.'));
    }
    this.#waiting.clear();
  }
}
