import { isReadOnly, isSessionLive } from '../../src/protocol/panel/pageModel.ts';
import { render } from 'lit/html.js';
import type { LedgerCard, ResumeFacts } from '../../src/protocol/panel/figureMessages.ts';
import type { FromPage, SessionView, ToPage } from '../../src/protocol/panel/messages.ts';
import type { Actions } from '../actions.ts';
import type { Store } from '../store/store.ts';
import type * as code from './cards.ts';
import { MessageFigures } from './messageFigures.ts';

interface FiguresDeps {
  readonly main: HTMLElement;
  readonly store: Store;
  readonly actions: Actions;
  readonly request: (message: (request: number) => FromPage) => Promise<ToPage>;
  readonly changed: () => void;
}

type Code = typeof code;

/** Milliseconds until the card opens under the pointer, and until it closes again. */
const openAfter = 300;
const closeAfter = 250;
/** Milliseconds between two requests while figures change. */
const freshFor = 1000;

/** The cost card and the resume card. Their code is loaded on first use. */
export class FigureViews {
  readonly #deps: FiguresDeps;
  readonly #cardElement = document.createElement('div');
  #code: Code | undefined;
  #activeImport: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOpen = false;
  /** The card is focused when it is drawn. */
  #mustFocus = false;
  #ledger: LedgerCard | undefined;
  #askedAt = 0;
  #throttleTimer: ReturnType<typeof setTimeout> | undefined;
  #resumeCostKey = '';
  resume: ResumeFacts | undefined;
  readonly messages: MessageFigures;

  constructor(deps: FiguresDeps) {
    this.#deps = deps;
    this.messages = new MessageFigures(deps);
    deps.main.append(this.#cardElement);
    this.#listen();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get code(): Code | undefined {
    return this.#code;
  }

  #listen(): void {
    const { main } = this.#deps;
    const about = (target: EventTarget | null): 'button' | 'card' | undefined => {
      if (!(target instanceof Element)) return undefined;
      return this.#cardElement.contains(target) ? 'card' : target.closest('#cost') === null ? undefined : 'button';
    };
    main.addEventListener('pointerover', ({ target, pointerType }) => {
      if (pointerType === 'touch') return;
      const over = about(target);
      if (over === 'button') this.#schedule(openAfter, () => this.#show());
      else if (over === 'card') clearTimeout(this.#timer);
      else if (!this.#hasFocus()) this.#schedule(closeAfter, () => this.close());
    });
    main.addEventListener('pointerleave', () => !this.#hasFocus() && this.#schedule(closeAfter, () => this.close()));
    main.addEventListener('focusin', ({ target }) => about(target) === undefined && this.close());
    // Before other handlers of clicks and keys.
    main.addEventListener('click', ({ target, detail }) => {
      if (about(target) !== 'button') return;
      this.#show();
      // Opened with the keyboard, so the card gets the focus.
      if (detail === 0) this.#mustFocus = true;
      this.#deps.changed();
    });
    window.addEventListener('resize', () => this.close());
  }

  #schedule(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
  }

  #hasFocus(): boolean {
    return this.#cardElement.contains(document.activeElement);
  }

  #findCard(): HTMLElement | null {
    return this.#cardElement.querySelector('[role=dialog]');
  }

  #show(): void {
    clearTimeout(this.#timer);
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#requestSoon();
    this.#deps.changed();
    void this.#load();
  }

  /** True if the card was open. */
  close(): boolean {
    clearTimeout(this.#timer);
    if (!this.#isOpen) return false;
    const inside = this.#hasFocus();
    this.#isOpen = false;
    render('', this.#cardElement);
    if (inside) document.getElementById('cost')?.focus();
    this.#deps.changed();
    return true;
  }

  /** The session changed: repeats the pending requests. */
  update(view: SessionView): void {
    if (this.#isOpen) this.#requestSoon();
    this.messages.update(view);
    const { summary } = view;
    const isOffered = hasEnded(view) && summary.shared === undefined && summary.remote === undefined;
    const key = isOffered ? `${summary.status} ${summary.updated_at} ${view.can.resume}` : '';
    if (key === this.#resumeCostKey) return;
    this.#resumeCostKey = key;
    if (key === '') this.#setResume(undefined);
    else void this.#requestResumeCost(key);
  }

  async #requestResumeCost(key: string): Promise<void> {
    const [answer] = await Promise.all([
      this.#deps.request((request) => ({ type: 'getResume', request })),
      this.#load(),
    ]);
    if (this.#resumeCostKey === key && answer.type === 'resume') this.#setResume(answer.resume);
  }

  #setResume(resume: ResumeFacts | undefined): void {
    const hadResume = this.resume !== undefined;
    this.resume = resume;
    this.#deps.store.setResume(resume !== undefined && this.#code !== undefined);
    if (hadResume || resume !== undefined) this.#deps.changed();
  }

  #requestSoon(): void {
    const wait = this.#askedAt + freshFor - Date.now();
    if (wait > 0) {
      this.#throttleTimer ??= setTimeout(() => {
        this.#throttleTimer = undefined;
        if (this.#isOpen) this.#requestSoon();
      }, wait);
      return;
    }
    this.#askedAt = Date.now();
    void this.#deps
      .request((request) => ({ type: 'getLedger', request }))
      .then((answer) => {
        if (answer.type !== 'ledger') return;
        this.#ledger = answer.ledger;
        this.#deps.changed();
      });
  }

  #load(): Promise<void> {
    this.#activeImport ??= import('./cards.ts').then(
      (fetched) => {
        this.#code = fetched;
        this.#deps.changed();
      },
      // An update of Vitrine can delete the files of the version that runs: the header still shows both totals.
      () => undefined,
    );
    return this.#activeImport;
  }

  /** Call this when the header is drawn. */
  handleDrawn(now: number): void {
    const { view } = this.#deps.store;
    const anchor = document.getElementById('cost');
    if (!this.#isOpen || view === undefined || anchor === null || this.#code === undefined) return;
    const { actions } = this.#deps;
    render(
      this.#code.costCard({ view, ledger: this.#ledger, actions, now, close: () => this.close() }),
      this.#cardElement,
    );
    const card = this.#findCard();
    if (card === null) return;
    this.#code.placeUnder(card, anchor);
    if (this.#mustFocus) card.focus();
    this.#mustFocus = false;
  }
}

/** Recordings and imports cannot be resumed this way. */
function hasEnded({ summary }: SessionView): boolean {
  return !summary.recording && !isReadOnly(summary) && summary.runs > 0 && !isSessionLive(summary.status);
}
