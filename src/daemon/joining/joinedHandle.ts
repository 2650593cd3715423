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
  readonly #baseHandle: SessionHandle;
  readonly #deps: JoinedHandleDeps;
  readonly #transcript: WaitingRequests;
  readonly #changes: Emitter<[]>;
  readonly #registrations: Disposable[];
  #linkUse: LinkUse | undefined;
  /** For which process joining was tried; `undefined`: the session does not run. */
  #lastTriedProcess: string | undefined;
  #isDisposed = false;

  private constructor(base: SessionHandle, deps: JoinedHandleDeps) {
    this.id = base.id;
    this.#baseHandle = base;
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
    return this.#baseHandle.done;
  }

  summary(): SessionSummary {
    const summary = this.#baseHandle.summary();
    const link = this.#link;
    return link === undefined ? summary : joinedSummary(summary, link);
  }

  turns(): ReturnType<SessionHandle['turns']> {
    return this.#baseHandle.turns();
  }

  entryCount(): number {
    return this.#transcript.entryCount();
  }

  openIndexes(): readonly number[] {
    return this.#transcript.openIndexes();
  }

  openEntries(): readonly NormalizedEntry[] {
    return this.#transcript.openEntries();
  }

  read(from: number, to: number): Promise<readonly NormalizedEntry[]> {
    return this.#transcript.read(from, to);
  }

  find(text: string, limit: number, from?: number): ReturnType<SessionHandle['find']> {
    return this.#baseHandle.find(text, limit, from);
  }

  isLive(): boolean {
    return this.#link !== undefined || this.#baseHandle.isLive();
  }

  whenWritten(): Promise<void> {
    return this.#baseHandle.whenWritten();
  }

  conversation(): Conversation | null {
    return this.#link?.conversation() ?? null;
  }

  sizes(): ReturnType<SessionHandle['sizes']> {
    return this.#baseHandle.sizes();
  }

  ledger(): ReturnType<SessionHandle['ledger']> {
    return this.#baseHandle.ledger();
  }

  messages(): ReturnType<SessionHandle['messages']> {
    return this.#baseHandle.messages();
  }

  headHash(): ReturnType<SessionHandle['headHash']> {
    return this.#baseHandle.headHash();
  }

  problems(): readonly string[] {
    return this.#baseHandle.problems();
  }

  rawPath(runId: string): ReturnType<SessionHandle['rawPath']> {
    return this.#baseHandle.rawPath(runId);
  }

  onUpdates(listener: Parameters<SessionHandle['onUpdates']>[0]): Disposable {
    return this.#transcript.onUpdates(listener);
  }

  onSummary(listener: Parameters<SessionHandle['onSummary']>[0]): Disposable {
    const notify = (): void => listener(this.summary());
    return combineDisposables(this.#baseHandle.onSummary(notify), this.#changes.on(notify));
  }

  onNotice(listener: Parameters<SessionHandle['onNotice']>[0]): Disposable {
    return this.#baseHandle.onNotice(listener);
  }

  onConversation(listener: () => void): Disposable {
    return this.#changes.on(listener);
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const registration of this.#registrations) registration.dispose();
    this.#leave();
    this.#baseHandle.dispose();
  }

  get #link(): LinkUse['link'] | undefined {
    return this.#linkUse?.link.isOpen === true ? this.#linkUse.link : undefined;
  }

  /** Once for each time that the session begins to run. Never rejects. */
  async #join(): Promise<void> {
    const summary = this.#baseHandle.summary();
    const live = summary.observed?.live;
    if (live === undefined || live.state === 'ended') {
      this.#lastTriedProcess = undefined;
      return;
    }
    const process = String(live.pid);
    if (this.#lastTriedProcess === process || this.#link !== undefined) return;
    this.#lastTriedProcess = process;
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
