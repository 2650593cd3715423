import type { Conversation, Disposable, Log, SessionHandle } from '../../engine/api.ts';
import { Emitter } from '../../engine/emitter.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { WaitingRequests } from '../requests/waitingRequests.ts';
import type { LinkUse } from './agentLink.ts';
import { joinedSummary } from './joinedSummary.ts';

export interface JoinedHandleDeps {
  /** `undefined`: the session can only be watched now. Never rejects. */
  readonly join: (summary: SessionSummary) => Promise<LinkUse | undefined>;
  readonly log: Log;
}

/**
 * Another program's session, read from its store, with the requests of its agent and messages to it while the agent's own
 * server has it open. Requests are not in the store: each is shown after the entries that are.
 */
export class JoinedHandle implements SessionHandle {
  readonly id: string;
  readonly #base: SessionHandle;
  readonly #deps: JoinedHandleDeps;
  readonly #transcript: WaitingRequests;
  readonly #changes: Emitter<[]>;
  readonly #registrations: Disposable[];
  #linkUse: LinkUse | undefined;
  /** For which process joining was tried; `undefined`: the session does not run. */
  #triedProcess: string | undefined;
  #isDisposed = false;

  private constructor(base: SessionHandle, deps: JoinedHandleDeps) {
    this.id = base.id;
    this.#base = base;
    this.#deps = deps;
    this.#transcript = new WaitingRequests({
      base,
      pending: () => this.#link?.pending() ?? [],
      decisionOf: (id) => this.#link?.decisionOf(id),
      log: deps.log,
    });
    this.#changes = new Emitter(deps.log);
    this.#registrations = [this.#transcript, base.onSummary(() => void this.#join())];
  }

  /** Takes over the handle. */
  static async open(base: SessionHandle, deps: JoinedHandleDeps): Promise<JoinedHandle> {
    const handle = new JoinedHandle(base, deps);
    await handle.#join();
    return handle;
  }

  get done(): SessionHandle['done'] {
    return this.#base.done;
  }

  summary(): SessionSummary {
    const summary = this.#base.summary();
    const link = this.#link;
    return link === undefined ? summary : joinedSummary(summary, link);
  }

  turns(): ReturnType<SessionHandle['turns']> {
    return this.#base.turns();
  }

  total(): number {
    return this.#transcript.total();
  }

  open(): readonly number[] {
    return this.#transcript.open();
  }

  unsettled(): readonly NormalizedEntry[] {
    return this.#transcript.unsettled();
  }

  read(from: number, to: number): Promise<readonly NormalizedEntry[]> {
    return this.#transcript.read(from, to);
  }

  find(text: string, limit: number, from?: number): ReturnType<SessionHandle['find']> {
    return this.#base.find(text, limit, from);
  }

  live(): boolean {
    return this.#link !== undefined || this.#base.live();
  }

  whenWritten(): Promise<void> {
    return this.#base.whenWritten();
  }

  conversation(): Conversation | null {
    return this.#link?.conversation() ?? null;
  }

  sizes(): ReturnType<SessionHandle['sizes']> {
    return this.#base.sizes();
  }

  ledger(): ReturnType<SessionHandle['ledger']> {
    return this.#base.ledger();
  }

  messages(): ReturnType<SessionHandle['messages']> {
    return this.#base.messages();
  }

  head(): ReturnType<SessionHandle['head']> {
    return this.#base.head();
  }

  problems(): readonly string[] {
    return this.#base.problems();
  }

  rawPath(runId: string): ReturnType<SessionHandle['rawPath']> {
    return this.#base.rawPath(runId);
  }

  onUpdates(listener: Parameters<SessionHandle['onUpdates']>[0]): Disposable {
    return this.#transcript.onUpdates(listener);
  }

  onSummary(listener: Parameters<SessionHandle['onSummary']>[0]): Disposable {
    const tell = (): void => listener(this.summary());
    return combineDisposables(this.#base.onSummary(tell), this.#changes.on(tell));
  }

  onNotice(listener: Parameters<SessionHandle['onNotice']>[0]): Disposable {
    return this.#base.onNotice(listener);
  }

  onConversation(listener: () => void): Disposable {
    return this.#changes.on(listener);
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const registration of this.#registrations) registration.dispose();
    this.#leave();
    this.#base.dispose();
  }

  get #link(): LinkUse['link'] | undefined {
    return this.#linkUse?.link.isOpen === true ? this.#linkUse.link : undefined;
  }

  /** Once for each time that the session begins to run. Never rejects. */
  async #join(): Promise<void> {
    const summary = this.#base.summary();
    const live = summary.observed?.live;
    if (live === undefined || live.state === 'ended') {
      this.#triedProcess = undefined;
      return;
    }
    const process = String(live.pid);
    if (this.#triedProcess === process || this.#link !== undefined) return;
    this.#triedProcess = process;
    this.#leave();
    const use = await this.#deps.join(summary);
    if (use === undefined) return;
    if (this.#isDisposed) {
      use.dispose();
      return;
    }
    this.#linkUse = use;
    this.#registrations.push(use.link.onChange(() => this.#handleChange()));
    this.#handleChange();
  }

  #leave(): void {
    this.#linkUse?.dispose();
    this.#linkUse = undefined;
  }

  #handleChange(): void {
    void this.#transcript.arrange();
    this.#changes.fire();
  }
}

function combineDisposables(...all: readonly Disposable[]): Disposable {
  return {
    dispose: () => {
      for (const disposable of all) disposable.dispose();
    },
  };
}
