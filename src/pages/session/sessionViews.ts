import type { SessionFile } from '../../insight/files/files.ts';
import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { ViewAnswer, ViewRequest } from '../../protocol/panel/viewMessages.ts';
import { filesPage } from './filesPage.ts';
import { FilesSince } from './filesSince.ts';
import { TrajectoryPages } from './trajectoryPage.ts';
import { ViewIndex, type ViewSource } from './viewIndex.ts';

/** Minimum interval between change notices, in ms. */
const pause = 500;

type Question = Extract<ViewRequest, { type: 'getTrajectory' | 'getFiles' | 'getSince' }>;

/** Host side of the views next to the transcript: delivers pages on request. */
export class SessionViews {
  readonly #source: ViewSource;
  readonly #send: (answer: ViewAnswer) => void;
  readonly #clock: () => number;
  readonly #index: ViewIndex;
  readonly #pages: TrajectoryPages;
  readonly #filesSince: FilesSince;
  /** The page was notified and has not requested anything since. */
  #awaitsRequest = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(source: ViewSource, send: (answer: ViewAnswer) => void, clock: () => number = Date.now) {
    this.#source = source;
    this.#send = send;
    this.#clock = clock;
    this.#index = new ViewIndex(source, () => this.#notify());
    this.#pages = new TrajectoryPages(this.#index);
    this.#filesSince = new FilesSince(source, this.#index);
  }

  /** Files read and changed so far. */
  async files(): Promise<readonly SessionFile[]> {
    await this.#index.ready();
    return this.#index.files.all();
  }

  async answer(question: Question): Promise<void> {
    await this.#index.ready();
    const { request } = question;
    if (question.type === 'getSince') {
      this.#send({ type: 'since', request, since: await this.#filesSince.compareFiles(question.paths) });
      return;
    }
    this.#awaitsRequest = true;
    if (question.type === 'getFiles') {
      this.#send({ type: 'files', request, page: filesPage(this.#index, question) });
    } else {
      const now = this.#source.isLive() ? this.#clock() : undefined;
      this.#send({ type: 'trajectory', request, page: this.#pages.page(question, now) });
    }
  }

  /** Starts change notices when a page of these views depends on files. */
  watch(): void {
    this.#awaitsRequest = true;
  }

  /** A saved file may differ from what the session left. */
  handleFileSaved(): void {
    if (this.#awaitsRequest) this.#notify();
  }

  update(updates: readonly EntryUpdate[]): void {
    this.#index.update(updates);
  }

  /** Call for a new page, which has requested nothing. */
  restart(): void {
    this.#awaitsRequest = false;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#index.stop();
  }

  #notify(): void {
    if (!this.#awaitsRequest) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#awaitsRequest) return;
      this.#awaitsRequest = false;
      this.#send({ type: 'viewsChanged' });
    }, pause);
  }
}
