import type { AgentRequest, Answer } from '../../src/model/agent/request.ts';
import type { SessionView, WaitingRequest } from '../../src/protocol/panel/messages.ts';
import type { HostLink } from '../host/link.ts';
import type { AnswerDraft } from './answerDraft.ts';
import { DeliberateClicks } from './deliberateClicks.ts';
import { EditPreviews } from './editPreviews.ts';
import { heading, VisibleParts } from './visibleParts.ts';

const blank: AnswerDraft = { reason: '', picks: [], other: [], whole: false };

interface RequestsDeps {
  readonly scroller: HTMLElement;
  readonly link: Pick<HostLink, 'send' | 'request'>;
  onChanged(): void;
}

/** Waiting requests, drafts of answers, and whether they can be answered now. */
export class Requests {
  readonly previews: EditPreviews;
  readonly #deps: RequestsDeps;
  readonly #visibleParts: VisibleParts;
  readonly #deliberateClicks = new DeliberateClicks(window);
  readonly #drafts = new Map<string, AnswerDraft>();
  readonly #sentIds = new Set<string>();
  #pendingRequests: readonly WaitingRequest[] = [];

  constructor(deps: RequestsDeps) {
    this.#deps = deps;
    this.previews = new EditPreviews(deps.link, () => deps.onChanged());
    this.#visibleParts = new VisibleParts(deps.scroller, () => deps.onChanged());
  }

  /** Oldest first. */
  get waiting(): readonly WaitingRequest[] {
    return this.#pendingRequests;
  }

  isWaiting(id: string): boolean {
    return this.#pendingRequests.some((request) => request.id === id);
  }

  /** The request of a call, if one is waiting. */
  requestOfCall(callId: string): WaitingRequest | undefined {
    return this.#pendingRequests.find((request) => request.callId === callId);
  }

  update({ conversation }: SessionView): void {
    const requests = conversation?.requests ?? [];
    this.#pendingRequests = requests.toSorted((a, b) => a.asked_at.localeCompare(b.asked_at));
    const ids = new Set(requests.map(({ id }) => id));
    for (const id of this.#sentIds) if (!ids.has(id)) this.#sentIds.delete(id);
    for (const id of this.#drafts.keys()) if (!ids.has(id)) this.#drafts.delete(id);
    this.#visibleParts.keep(ids);
    this.previews.keep(ids);
  }

  /** The oldest request if none is on screen. */
  findOutOfSight(): WaitingRequest | undefined {
    return this.#pendingRequests.some(({ id }) => this.#visibleParts.isVisible(id))
      ? undefined
      : this.#pendingRequests[0];
  }

  /** Call after each drawing. Returns keys of new rows that are taller than the screen. */
  handleDrawn(rows: HTMLElement): string[] {
    const { scroller } = this.#deps;
    const frames = this.#visibleParts.look(rows);
    this.previews.requestPreviews(
      frames.flatMap(({ dataset: { request: id } }) => (id !== undefined && this.isWaiting(id) ? [id] : [])),
    );
    return frames
      .filter(({ offsetHeight }) => offsetHeight > scroller.clientHeight - 2 * heading)
      .flatMap((frame) => frame.closest<HTMLElement>('[data-key]')?.dataset['key'] ?? []);
  }

  draft(id: string): AnswerDraft {
    return this.#drafts.get(id) ?? blank;
  }

  write(id: string, change: Partial<AnswerDraft>): void {
    this.#drafts.set(id, { ...this.draft(id), ...change });
    this.#deps.onChanged();
  }

  /** Drafts to save while the page is hidden. */
  drafts(): Readonly<Record<string, AnswerDraft>> {
    return Object.fromEntries(this.#drafts);
  }

  restore(drafts: Readonly<Record<string, AnswerDraft>>): void {
    for (const [id, draft] of Object.entries(drafts)) this.#drafts.set(id, draft);
  }

  /** `unseen`: its buttons have not been on screen for long enough. `unread`: they have, but not its beginning. */
  stateOf(id: string): 'ready' | 'unread' | 'unseen' | 'sent' | 'over' {
    if (!this.isWaiting(id)) return 'over';
    if (this.#sentIds.has(id)) return 'sent';
    if (this.#visibleParts.shownSince(id, 'end') === undefined) return 'unseen';
    return this.#visibleParts.shownSince(id, 'top') === undefined ? 'unread' : 'ready';
  }

  /**
   * Sends the answer, unless the press began before the buttons were visible, or it allows something whose beginning
   * was not on screen.
   */
  answer({ id }: AgentRequest, answer: Answer): void {
    const state = this.stateOf(id);
    if (state !== 'ready' && !(state === 'unread' && answer.kind === 'deny')) return;
    if (this.#deliberateClicks.wasPressedBefore(this.#visibleParts.shownSince(id, 'end') ?? Infinity)) return;
    this.#sentIds.add(id);
    this.#deps.link.send({ type: 'answer', id, answer });
    this.#deps.onChanged();
  }
}
