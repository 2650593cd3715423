import type { SessionFile } from '../../../insight/files/files.ts';
import type { EntryUpdate } from '../../../model/transcript/entry.ts';
import type { ViewAnswer, ViewRequest } from '../../../protocol/panel/viewMessages.ts';
import { filesPage } from './filesPage.ts';
import { FilesSince } from './filesSince.ts';
import { TrajectoryPages } from './trajectoryPage.ts';
import { ViewIndex, type ViewSource } from './viewIndex.ts';

/** Milliseconds between two notices that something changed. */
const pause = 500;

type Question = Extract<ViewRequest, { type: 'getTrajectory' | 'getFiles' | 'getSince' }>;

/** The host's side of the views beside the transcript: pages of them, on request. */
export class SessionViews {
  readonly #source: ViewSource;
  readonly #send: (answer: ViewAnswer) => void;
  readonly #clock: () => number;
  readonly #index: ViewIndex;
  readonly #pages: TrajectoryPages;
  readonly #since: FilesSince;
  /** The page has been told nothing since it asked last. */
  #owed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: ViewSource, send: (answer: ViewAnswer) => void, clock: () => number = Date.now) {
    this.#source = source;
    this.#send = send;
    this.#clock = clock;
    this.#index = new ViewIndex(source, () => this.#tell());
    this.#pages = new TrajectoryPages(this.#index);
    this.#since = new FilesSince(source, this.#index);
  }

  /** What the session read and changed, up to now. */
  async files(): Promise<readonly SessionFile[]> {
    await this.#index.ready();
    return this.#index.files.all();
  }

  async answer(question: Question): Promise<void> {
    await this.#index.ready();
    const { request } = question;
    if (question.type === 'getSince') {
      this.#send({ type: 'since', request, since: await this.#since.of(question.paths) });
      return;
    }
    this.#owed = true;
    if (question.type === 'getFiles') {
      this.#send({ type: 'files', request, page: filesPage(this.#index, question) });
    } else {
      const now = this.#source.live() ? this.#clock() : undefined;
      this.#send({ type: 'trajectory', request, page: this.#pages.page(question, now) });
    }
  }

  /** The page was given something else than pages of these views that a saved file changes. */
  watch(): void {
    this.#owed = true;
  }

  /** A file was saved: it may be another now than the session left. */
  saved(): void {
    if (this.#owed) this.#tell();
  }

  update(updates: readonly EntryUpdate[]): void {
    this.#index.update(updates);
  }

  /** A new page has asked for nothing yet. */
  restart(): void {
    this.#owed = false;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#index.stop();
  }

  #tell(): void {
    if (!this.#owed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#owed) return;
      this.#owed = false;
      this.#send({ type: 'viewsChanged' });
    }, pause);
  }
}
