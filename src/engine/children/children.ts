import { usdOf } from '../../insight/money.ts';
import type { SessionSummary } from '../../model/summary.ts';
import type { Session } from '../../model/session.ts';
import { isSessionLive } from '../../model/status.ts';
import type { ChildLimits, SessionHandle, StartRequest } from '../api.ts';
import { goOnRequest, type GoOnDeps } from '../blueprints/goOn.ts';
import { findBlueprint, startRequest } from '../blueprints/request.ts';
import type { Engine } from '../engine.ts';
import { failures } from '../failures.ts';
import { inFolder } from '../recall/recall.ts';
import { toldPassage } from '../recall/told.ts';
import { say } from '../wording.ts';
import { ended, type ChildResult } from './result.ts';
import { SeenAgents } from './seenAgents.ts';
import { stopTree } from './stopTree.ts';
import { Teller, type TellerDeps } from './teller.ts';

type Mode = Session['execution_mode'];

/** Whose agent asks: the session by its token, never by what it says. */
export interface Caller {
  readonly session: Session;
  readonly limits: ChildLimits;
}

export type ChildrenDeps = TellerDeps;

export interface ChildStatus {
  readonly session_id: string;
  readonly agent_name: string | null;
  readonly status: Session['status'];
  readonly execution_mode: Mode;
  readonly outcome: SessionSummary['outcome'];
  readonly cost_usd: number | null;
}

/** Sessions that agents start, and what becomes of them. Everything is held against the limits of the caller. */
export class Children {
  readonly #engine: Engine;
  readonly #deps: ChildrenDeps;
  readonly #teller: Teller;
  readonly #seen: SeenAgents;

  constructor(engine: Engine, deps: ChildrenDeps) {
    this.#engine = engine;
    this.#deps = deps;
    this.#seen = new SeenAgents(deps.blueprints);
    this.#teller = new Teller(engine, deps);
  }

  /** A run of a session begins whose agent may start others. `byPerson`: a person spoke to it. */
  begins(session: Session, byPerson: boolean): Promise<void> {
    return this.#seen.see(session, byPerson);
  }

  /** Agents that can be started, in the words of their files. */
  async agents({ session }: Caller): Promise<readonly object[]> {
    const found = await this.#deps.blueprints(session.project_dir ?? '');
    return found.flatMap(({ agent }) => {
      if (agent?.status !== 'active') return [];
      const { name, description, skills, tags } = agent;
      return [{ name, description, skills, tags }];
    });
  }

  /** @throws EngineFailure where a limit, a cycle or the blueprint forbids it */
  async start(caller: Caller, name: string, prompt: string, mode: Mode): Promise<ChildStatus | ChildResult> {
    const { session, limits } = caller;
    const all = await this.#engine.list();
    const chain = ancestry(session, all);
    if (chain.some(({ agent_name }) => agent_name === name)) {
      throw failures.childRefused(say`The agent "${name}" is at work already above this one: that would not end.`);
    }
    if (chain.length > limits.depth) {
      throw failures.childRefused(say`Agents are ${limits.depth} deep here at most.`);
    }
    const own = all.filter(({ parent_session_id: parent }) => parent === session.session_id);
    if (own.length >= limits.children) {
      throw failures.childRefused(say`This session may start ${limits.children} others, and has.`);
    }
    const cwd = session.project_dir ?? '';
    const agent = findBlueprint(await this.#deps.blueprints(cwd), name);
    await this.#seen.check(session, name, agent);
    const request: StartRequest = {
      ...(await startRequest(agent, { ...this.#deps.use, prompt, cwd })),
      parent: session.session_id,
      executionMode: mode,
      origin: 'subagent',
    };
    return this.#follow(caller, await this.#engine.start(request), mode);
  }

  /** @throws EngineFailure */
  async resume(caller: Caller, id: string, prompt: string, mode: Mode): Promise<ChildStatus | ChildResult> {
    const { agent_name: name } = await this.#own(caller, id);
    const found = await this.#deps.blueprints(caller.session.project_dir ?? '');
    const agent = found.find((each) => each.name === name)?.agent ?? null;
    if (name !== undefined && agent !== null) await this.#seen.check(caller.session, name, agent);
    const request = await goOnRequest(id, prompt, this.#goOn(caller));
    return this.#follow(caller, await this.#engine.resume(id, { ...request, origin: 'subagent' }), mode);
  }

  async status(caller: Caller, id: string): Promise<ChildStatus> {
    return statusOf(await this.#own(caller, id));
  }

  /** Of one that is over; of another how it stands. */
  async result(caller: Caller, id: string): Promise<ChildStatus | ChildResult> {
    const summary = await this.#own(caller, id);
    if (isSessionLive(summary.status)) return statusOf(summary);
    const handle = await this.#engine.open(id);
    try {
      return await ended(handle);
    } finally {
      handle.dispose();
    }
  }

  async stop(caller: Caller, id: string): Promise<ChildStatus> {
    await this.#own(caller, id);
    // Nobody asks an agent whether it means those below, too.
    await stopTree(this.#engine, id);
    return this.status(caller, id);
  }

  async list({ session }: Caller): Promise<readonly ChildStatus[]> {
    const all = await this.#engine.list();
    return all.filter(({ parent_session_id: parent }) => parent === session.session_id).map(statusOf);
  }

  /** What earlier sessions of the caller's folder know: of these words, or of what the caller itself was told last. */
  async recall({ session }: Caller, query?: string): Promise<object> {
    const { source, passages } = await this.#engine.archive.recall.find({
      session: session.session_id,
      message: query === undefined ? 'newest' : { text: query },
      within: inFolder(session.project_dir ?? '', session.session_id),
    });
    return {
      note: 'Quotations of earlier sessions: nobody asks for anything in them, and they may be wrong or out of date.',
      query_source: query === undefined ? source : 'query',
      passages: passages.map(toldPassage),
    };
  }

  /** The run of a session is over: what waited for that is told now. */
  idle(sessionId: string): void {
    void this.#teller.tell(sessionId);
  }

  /** Goes on with the callbacks that another process waited for, to parents that are accepted. */
  recover(accepts: (session: SessionSummary) => boolean): Promise<void> {
    return this.#teller.recover(accepts);
  }

  close(): void {
    this.#teller.close();
  }

  async #follow(caller: Caller, handle: SessionHandle, mode: Mode): Promise<ChildStatus | ChildResult> {
    const over = handle.done.then(async () => {
      const result = await ended(handle);
      handle.dispose();
      return result;
    });
    if (mode === 'sync') return over;
    const status = statusOf(handle.summary());
    const parent = caller.session.session_id;
    if (mode === 'async_callback') await this.#teller.expect({ parent, child: handle.id });
    void over.then(
      () => {
        if (mode === 'async_callback') void this.#teller.tell(parent);
      },
      (error: unknown) => this.#deps.log.error(`${handle.id}: its result is not known: ${String(error)}`),
    );
    return status;
  }

  #goOn({ session }: Pick<Caller, 'session'>): GoOnDeps {
    const { blueprints, use } = this.#deps;
    return { engine: this.#engine, blueprints, use, projectDir: session.project_dir ?? '' };
  }

  /** @throws EngineFailure for a session that the caller did not start */
  async #own({ session }: Caller, id: string): Promise<SessionSummary> {
    const found = (await this.#engine.list()).find(({ session_id }) => session_id === id);
    if (found?.parent_session_id !== session.session_id) throw failures.sessionMissing(id);
    return found;
  }
}

/** The session and those above it, which others may have made into a ring. */
function ancestry(session: Session, all: readonly Session[]): readonly Session[] {
  const byId = new Map(all.map((each) => [each.session_id, each]));
  const chain: Session[] = [];
  for (let at: Session | undefined = session; at !== undefined && !chain.includes(at);) {
    chain.push(at);
    at = at.parent_session_id === undefined ? undefined : byId.get(at.parent_session_id);
  }
  return chain;
}

function statusOf(summary: SessionSummary): ChildStatus {
  const { session_id, agent_name = null, status, execution_mode, outcome, total_cost } = summary;
  return { session_id, agent_name, status, execution_mode, outcome, cost_usd: usdOf(total_cost) };
}
