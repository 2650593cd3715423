import type { NewRequest } from '../../agents/dialogue.ts';
import type { ClientLine } from '../../model/transcript/clientLine.ts';
import type { AgentRequest, Answer, Decision, EditedText } from '../../model/agent/request.ts';
import { Countdown, type Presence } from './countdown.ts';

/** Maximum number of pending requests; further ones are denied. */
const maxPending = 100;

export interface RequestsDeps {
  readonly clock: () => number;
  readonly requestMs: number;
  readonly workDir: string;
  /** `requestMs` only counts while a user is present; absent: always. */
  readonly presence?: Presence | undefined;
  /** Whether a user can answer. */
  readonly interactive: boolean;
  readonly record: (line: ClientLine) => void;
  readonly onDecision: (request: AgentRequest, decision: Decision) => void;
  /** The set of pending requests changed. */
  readonly onChange: () => void;
}

interface PendingAnswer {
  /** Includes the time of automatic denial, if it is fixed. */
  readonly request: () => AgentRequest;
  readonly decision: Promise<Decision>;
  readonly settle: (by: Decision['by'], answer: Answer, client?: Decision['client']) => void;
}

/** Requests of an agent. Each one is decided exactly once, by a user or automatically. */
export class Requests {
  readonly #deps: RequestsDeps;
  readonly #pendingAnswers = new Map<string, PendingAnswer>();
  #hasEnded = false;

  constructor(deps: RequestsDeps) {
    this.#deps = deps;
  }

  pending(): readonly AgentRequest[] {
    return [...this.#pendingAnswers.values()].map(({ request }) => request());
  }

  ask(newRequest: NewRequest, withdrawn?: PromiseLike<unknown>): Promise<Decision> {
    // A repeated request shares the answer of the first one.
    const known = this.#pendingAnswers.get(newRequest.id);
    if (known !== undefined) return known.decision;
    const { clock, requestMs, presence, interactive, workDir, record: tell, onChange } = this.#deps;
    const now = clock();
    const isTimed = Number.isFinite(requestMs);
    const request: AgentRequest = { cwd: workDir, ...newRequest, asked_at: iso(now) };
    const isCounting = isTimed && presence?.isPresent() !== false;
    tell({ type: 'request', request: isCounting ? { ...request, expires_at: iso(now + requestMs) } : request });
    if (this.#hasEnded) return Promise.resolve(this.#decide(request, 'run_over', runEndedAnswer));
    if (!interactive) return Promise.resolve(this.#decide(request, 'nobody', noUserAnswer));
    if (this.#pendingAnswers.size >= maxPending)
      return Promise.resolve(this.#decide(request, 'policy', tooManyRequestsAnswer));
    let resolve: (decision: Decision) => void = () => undefined;
    const decision = new Promise<Decision>((settled) => {
      resolve = settled;
    });
    const settle: PendingAnswer['settle'] = (by, answer, client) => {
      if (!this.#pendingAnswers.delete(request.id)) return;
      countdown?.dispose();
      resolve(this.#decide(request, by, answer, client));
      onChange();
    };
    const minutes = Math.round(requestMs / 60_000);
    const waitedText = minutes > 0 ? `${minutes} min` : `${Math.round(requestMs / 1000)} s`;
    const onExpired = (): void => settle('timeout', { kind: 'deny', reason: `No answer within ${waitedText}.` });
    const countdown = isTimed ? new Countdown(requestMs, { presence, clock, onChange, onExpired }) : undefined;
    const timed = (): AgentRequest => {
      const ends = countdown?.endsAt;
      return ends === undefined ? request : { ...request, expires_at: iso(ends) };
    };
    this.#pendingAnswers.set(request.id, { request: timed, decision, settle });
    const withdraw = (): void => settle('withdrawn', withdrawnAnswer);
    withdrawn?.then(withdraw, withdraw);
    onChange();
    return decision;
  }

  /** Returns `false` if the request is no longer pending or the answer is invalid. */
  answer(id: string, answer: Answer, client?: Decision['client']): boolean {
    const pending = this.#pendingAnswers.get(id);
    if (pending === undefined || !isAnswerAllowed(pending.request(), answer)) return false;
    // Only options that the agent offered can be granted.
    const isOnceOnly = answer.kind === 'allow' && pending.request().session === undefined;
    pending.settle('user', isOnceOnly ? { ...answer, scope: 'once' } : answer, client);
    return true;
  }

  /** Ends the run: denies pending requests and all further ones. */
  end(): void {
    this.#hasEnded = true;
    this.settle();
  }

  /** Denies pending requests, because the process that asked has exited. */
  settle(): void {
    for (const { settle } of [...this.#pendingAnswers.values()]) settle('run_over', runEndedAnswer);
  }

  #decide(request: AgentRequest, by: Decision['by'], answer: Answer, client?: Decision['client']): Decision {
    const decision = { by, at: iso(this.#deps.clock()), answer, ...(client !== undefined && { client }) };
    this.#deps.record({ type: 'decision', id: request.id, decision });
    this.#deps.onDecision(request, decision);
    return decision;
  }
}

function isAnswerAllowed({ kind, editable, action }: AgentRequest, answer: Answer): boolean {
  const edited = answer.kind === 'allow' ? answer.edited : undefined;
  if (edited !== undefined && (editable !== true || !isActionOn(action, edited))) return false;
  return answer.kind === 'deny' || (kind === 'question') === (answer.kind === 'answer');
}

/** The user may edit the text, but not choose another file. */
function isActionOn(action: AgentRequest['action'], { path }: EditedText): boolean {
  if (action?.kind === 'file_write') return action.path === path;
  return action?.kind === 'file_edit' && action.changes.every((change) => change.path === path);
}

const runEndedAnswer: Answer = { kind: 'deny', reason: 'The run ended before anyone answered.' };
const noUserAnswer: Answer = { kind: 'deny', reason: 'No one is available to answer.' };
const withdrawnAnswer: Answer = { kind: 'deny', reason: 'The agent withdrew the request.' };
const tooManyRequestsAnswer: Answer = { kind: 'deny', reason: `More than ${maxPending} requests at once.` };

function iso(epochMs: number): string {
  return new Date(Math.min(epochMs, 8.64e15)).toISOString();
}
