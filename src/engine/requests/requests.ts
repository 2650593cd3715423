import type { NewRequest } from '../../agents/dialogue.ts';
import type { ClientLine } from '../../model/transcript/clientLine.ts';
import type { AgentRequest, Answer, Decision } from '../../model/agent/request.ts';
import { Countdown, type Presence } from './countdown.ts';

/** An agent that asks for more at once is not waited for. */
const maxPending = 100;

export interface RequestsDeps {
  readonly clock: () => number;
  readonly requestMs: number;
  readonly workDir: string;
  /** `requestMs` counts while someone is present; absent: always. */
  readonly presence?: Presence | undefined;
  /** Someone can be asked. */
  readonly interactive: boolean;
  readonly tell: (line: ClientLine) => void;
  readonly onDecision: (request: AgentRequest, decision: Decision) => void;
  /** Other requests wait than before. */
  readonly onChange: () => void;
}

interface Pending {
  /** With the time at which it is denied, while that is settled. */
  readonly request: () => AgentRequest;
  readonly decided: Promise<Decision>;
  readonly settle: (by: Decision['by'], answer: Answer, client?: Decision['client']) => void;
}

/** What an agent asks and waits for. Every request is decided, by whom or what ever, and exactly once. */
export class Requests {
  readonly #deps: RequestsDeps;
  readonly #pending = new Map<string, Pending>();
  #over = false;

  constructor(deps: RequestsDeps) {
    this.#deps = deps;
  }

  pending(): readonly AgentRequest[] {
    return [...this.#pending.values()].map(({ request }) => request());
  }

  ask(asked: NewRequest, withdrawn?: PromiseLike<unknown>): Promise<Decision> {
    // Asked once more, in the same words or others: one answer is for both.
    const known = this.#pending.get(asked.id);
    if (known !== undefined) return known.decided;
    const { clock, requestMs, presence, interactive, workDir, tell, onChange } = this.#deps;
    const now = clock();
    const isTimed = Number.isFinite(requestMs);
    const request: AgentRequest = { cwd: workDir, ...asked, asked_at: iso(now) };
    const isCounting = isTimed && presence?.isPresent() !== false;
    tell({ type: 'request', request: isCounting ? { ...request, expires_at: iso(now + requestMs) } : request });
    if (this.#over) return Promise.resolve(this.#decide(request, 'run_over', overAnswer));
    if (!interactive) return Promise.resolve(this.#decide(request, 'nobody', nobodyAnswer));
    if (this.#pending.size >= maxPending) return Promise.resolve(this.#decide(request, 'policy', tooManyAnswer));
    let resolve: (decision: Decision) => void = () => undefined;
    const decided = new Promise<Decision>((settled) => {
      resolve = settled;
    });
    const settle: Pending['settle'] = (by, answer, client) => {
      if (!this.#pending.delete(request.id)) return;
      countdown?.dispose();
      resolve(this.#decide(request, by, answer, client));
      onChange();
    };
    const minutes = Math.round(requestMs / 60_000);
    const waited = minutes > 0 ? `${minutes} min` : `${Math.round(requestMs / 1000)} s`;
    const onEnd = (): void => settle('timeout', { kind: 'deny', reason: `No answer within ${waited}.` });
    const countdown = isTimed ? new Countdown(requestMs, { presence, clock, onChange, onEnd }) : undefined;
    const timed = (): AgentRequest => {
      const ends = countdown?.endsAt;
      return ends === undefined ? request : { ...request, expires_at: iso(ends) };
    };
    this.#pending.set(request.id, { request: timed, decided, settle });
    const withdraw = (): void => settle('withdrawn', withdrawnAnswer);
    withdrawn?.then(withdraw, withdraw);
    onChange();
    return decided;
  }

  /** `false`: it is no longer waiting, or the answer is invalid. */
  answer(id: string, answer: Answer, client?: Decision['client']): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined || !fits(pending.request(), answer)) return false;
    // What the agent did not offer cannot be granted.
    const narrowed = answer.kind === 'allow' && pending.request().session === undefined;
    pending.settle('user', narrowed ? { kind: 'allow', scope: 'once' } : answer, client);
    return true;
  }

  /** Nothing will be answered any more. */
  end(): void {
    this.#over = true;
    this.settle();
  }

  /** Who asked is gone. */
  settle(): void {
    for (const { settle } of [...this.#pending.values()]) settle('run_over', overAnswer);
  }

  #decide(request: AgentRequest, by: Decision['by'], answer: Answer, client?: Decision['client']): Decision {
    const decision = { by, at: iso(this.#deps.clock()), answer, ...(client !== undefined && { client }) };
    this.#deps.tell({ type: 'decision', id: request.id, decision });
    this.#deps.onDecision(request, decision);
    return decision;
  }
}

function fits({ kind }: AgentRequest, answer: Answer): boolean {
  return answer.kind === 'deny' || (kind === 'question') === (answer.kind === 'answer');
}

const overAnswer: Answer = { kind: 'deny', reason: 'The run ended before anyone answered.' };
const nobodyAnswer: Answer = { kind: 'deny', reason: 'No one is available to answer.' };
const withdrawnAnswer: Answer = { kind: 'deny', reason: 'The agent withdrew the request.' };
const tooManyAnswer: Answer = { kind: 'deny', reason: `More than ${maxPending} requests at once.` };

function iso(epochMs: number): string {
  return new Date(Math.min(epochMs, 8.64e15)).toISOString();
}
