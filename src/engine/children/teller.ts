import type { LineOf } from '../../formats/record.ts';
import { isSessionLive } from '../../model/status.ts';
import type { SessionSummary } from '../../model/summary.ts';
import type { Log } from '../api.ts';
import { goOnRequest, type GoOnDeps } from '../blueprints/goOn.ts';
import type { Engine } from '../engine.ts';
import { EngineFailure } from '../failures.ts';
import type { Callback, Callbacks } from './callbacks.ts';
import { ended, type ChildResult } from './result.ts';

/** Before what another process runs is looked at again, in milliseconds. */
const againMs = 10_000;
/** Results in one message; the others are told when its run is over. */
const mostAtOnce = 100;
/** Ids in a reason. */
const mostNamed = 5;

export interface TellerDeps extends Omit<GoOnDeps, 'engine' | 'projectDir'> {
  readonly log: Log;
  readonly clock: () => number;
  readonly callbacks: Callbacks;
  /** Keeps a decision in the record of a session. */
  readonly decide: (sessionId: string, decision: LineOf<'decision'>['decision']) => Promise<void>;
}

/** Resumes parents with what came of their children: all that have ended, once the parent is idle. */
export class Teller {
  readonly #engine: Engine;
  readonly #deps: TellerDeps;
  /** Each parent is seen to once at a time, and again where something happened meanwhile. */
  readonly #busy = new Map<string, { again: boolean }>();
  /** Parents that this process may resume: its own, and those that it was told to accept. */
  readonly #own = new Set<string>();
  #accepts: (session: SessionSummary) => boolean = () => false;
  #timer: NodeJS.Timeout | undefined;

  constructor(engine: Engine, deps: TellerDeps) {
    this.#engine = engine;
    this.#deps = deps;
  }

  /** Goes on with what another process waited for; of a parent that is deleted its child is asked about. */
  async recover(accepts: (session: SessionSummary) => boolean): Promise<void> {
    this.#accepts = accepts;
    await this.#all();
  }

  async expect(callback: Callback): Promise<void> {
    this.#own.add(callback.parent);
    await this.#deps.callbacks.expect(callback);
  }

  /** A child or the run of a parent is over. Never rejects. */
  async tell(parent: string): Promise<void> {
    const busy = this.#busy.get(parent);
    if (busy !== undefined) {
      busy.again = true;
      return;
    }
    const mine = { again: true };
    this.#busy.set(parent, mine);
    try {
      while (takeAgain(mine)) await this.#tell(parent);
    } catch (error) {
      this.#deps.log.error(`${parent} could not be told of its children: ${String(error)}`);
    } finally {
      this.#busy.delete(parent);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #all(): Promise<void> {
    // Who is about to tell may end before it has.
    if (await this.#deps.callbacks.recover()) this.#lookAgain();
    const waiting = await this.#deps.callbacks.waiting();
    const sessions = await this.#sessions();
    const mine = waiting.filter(({ parent, child }) => {
      const session = sessions.get(parent) ?? sessions.get(child);
      return this.#own.has(parent) || session === undefined || this.#accepts(session);
    });
    await Promise.all([...new Set(mine.map(({ parent }) => parent))].map((parent) => this.tell(parent)));
  }

  async #tell(parent: string): Promise<void> {
    const { callbacks, log } = this.#deps;
    const all = (await callbacks.waiting()).filter((each) => each.parent === parent);
    if (all.length === 0) return;
    const sessions = await this.#sessions();
    // A child that is deleted comes to nothing.
    await callbacks.told(await callbacks.take(all.filter(({ child }) => !sessions.has(child))));
    const summary = sessions.get(parent);
    const busy = summary !== undefined && isSessionLive(summary.status);
    const due = all.filter(({ child }) => {
      const session = sessions.get(child);
      return session !== undefined && !isSessionLive(session.status);
    });
    if (busy || due.length < all.length) this.#lookAgain();
    if (busy || due.length === 0) return;
    const taken = await callbacks.take(due.slice(0, mostAtOnce));
    if (taken.length === 0) return;
    // What was stopped together with its parent is no reason to wake that.
    const stopped = taken.every(({ child }) => sessions.get(child)?.outcome === 'stopped');
    try {
      if (summary === undefined) await this.#keep(taken);
      else if (summary.outcome !== 'stopped' || !stopped) await this.#resume(summary, taken);
      await callbacks.told(taken);
    } catch (error) {
      await callbacks.giveBack(taken);
      // A person was quicker: the end of what goes on now calls this again.
      if (!EngineFailure.is(error, 'session_busy')) log.error(`${parent} could not be told: ${String(error)}`);
    }
  }

  async #sessions(): Promise<ReadonlyMap<string, SessionSummary>> {
    return new Map((await this.#engine.list()).map((each) => [each.session_id, each]));
  }

  async #resume(parent: SessionSummary, taken: readonly Callback[]): Promise<void> {
    const results = await Promise.all(taken.map(({ child }) => this.#result(child)));
    const { blueprints, use } = this.#deps;
    const deps = { engine: this.#engine, blueprints, use, projectDir: parent.project_dir ?? '' };
    const request = await goOnRequest(parent.session_id, callbackPrompt(results), deps);
    const marks = { origin: 'callback', reason: reasonOf(results) } as const;
    const handle = await this.#engine.resume(parent.session_id, { ...request, ...marks });
    void handle.done.then(() => handle.dispose());
  }

  /** The parent is deleted: that nobody was told stays with the child. */
  async #keep(taken: readonly Callback[]): Promise<void> {
    const { clock, log, decide } = this.#deps;
    for (const { child, parent } of taken) {
      log.warn(`${parent} is not there any more: it is not told of ${child}.`);
      const at = new Date(clock()).toISOString();
      const decision = { type: 'callback_undelivered', at, parent_session_id: parent, reason: 'parent_deleted' };
      await decide(child, decision).catch((error: unknown) => log.warn(`${child}: ${String(error)}`));
    }
  }

  async #result(child: string): Promise<ChildResult> {
    const handle = await this.#engine.open(child);
    try {
      return await ended(handle);
    } finally {
      handle.dispose();
    }
  }

  /** Of what another process runs nothing is heard here. */
  #lookAgain(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#all().catch((error: unknown) => this.#deps.log.error(`Callbacks: ${String(error)}`));
    }, againMs);
    this.#timer.unref();
  }
}

function takeAgain(busy: { again: boolean }): boolean {
  const { again } = busy;
  busy.again = false;
  return again;
}

/** Names ids only: what children say themselves is no reason. */
function reasonOf(results: readonly ChildResult[]): string {
  const ids = results.map(({ session_id }) => session_id);
  const [first, ...more] = ids;
  return more.length === 0
    ? `${first ?? ''} has ended`
    : `${ids.length} sessions have ended: ${ids.slice(0, mostNamed).join(', ')}`;
}

/** Whole JSON, so that nothing in a result can be taken for the end of it. */
function callbackPrompt(results: readonly ChildResult[]): string {
  const what = results.length === 1 ? 'A session that you started has ended.' : 'Sessions that you started have ended.';
  return `${what} What came of it, as JSON:\n\n${JSON.stringify(results, null, 2)}`;
}
