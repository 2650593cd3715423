import { render } from 'lit/html.js';
import { card } from '../parts/evidence/evidenceCard.ts';
import type { EvidenceCard, PageLink } from '../../src/protocol/panel/evidence.ts';
import type { FromPage, ToPage } from '../../src/protocol/panel/messages.ts';
import type { Actions } from '../actions.ts';
import type { Store } from '../store/store.ts';
import { placeCard } from './placeCard.ts';

export interface CitingDeps {
  readonly main: HTMLElement;
  readonly store: Store;
  readonly request: (message: (request: number) => FromPage) => Promise<ToPage>;
  readonly actions: Actions;
  /** Shows a row and focuses it. */
  readonly reveal: (index: number, part: number) => Promise<void>;
  readonly changed: () => void;
}

/** Milliseconds until a card opens under the pointer, and until it closes again. */
const openAfter = 300;
const closeAfter = 250;
/** Answers of the host in memory; not for long, because files change. */
const freshFor = 5_000;

interface CitationRef {
  readonly index: number;
  readonly at: number;
}

/** Source cards, one at a time, opened by pointer, focus or key; and navigation between answers and steps. */
export class CiteCards {
  readonly #deps: CitingDeps;
  readonly #cardElement: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #open: (CitationRef & { readonly anchor: HTMLElement }) | undefined;
  #isReturningFocus = false;
  #evidenceAnswers = new Map<string, { readonly card: EvidenceCard | null; readonly at: number }>();
  /** Number to focus when it is drawn. */
  #focusTarget: CitationRef | undefined;
  /** The row that the reader came from, by step. */
  #origin: (CitationRef & { readonly step: number }) | undefined;

  constructor(deps: CitingDeps) {
    this.#deps = deps;
    this.#cardElement = document.createElement('div');
    deps.main.append(this.#cardElement);
    this.#listen();
    // The reader may have been faster than this code.
    const anchor = anchorOf(deps.main.querySelector('[data-cite]:is(:hover, :focus-visible)'));
    if (anchor !== undefined) this.#schedule(openAfter, () => this.#show(anchor));
  }

  #listen(): void {
    const { main } = this.#deps;
    main.addEventListener('pointerover', ({ target, pointerType }) => {
      if (pointerType === 'touch') return;
      const anchor = anchorOf(target);
      if (anchor !== undefined) this.#schedule(openAfter, () => this.#show(anchor));
      else if (this.#cardElement.contains(nodeOf(target))) clearTimeout(this.#timer);
      else if (!this.#cardElement.contains(document.activeElement)) this.#schedule(closeAfter, () => this.close());
    });
    main.addEventListener('pointerleave', () => this.#schedule(closeAfter, () => this.#closeUnlessFocused()));
    main.addEventListener('focusin', ({ target }) => {
      const anchor = anchorOf(target);
      if (this.#isReturningFocus) return;
      if (anchor !== undefined && anchor.matches(':focus-visible')) this.#show(anchor);
      else if (anchor === undefined && !this.#cardElement.contains(nodeOf(target))) this.close();
    });
    main.addEventListener('click', (event) => {
      const anchor = anchorOf(event.target);
      if (anchor === undefined || !anchor.matches('.cref, .obj')) return;
      event.preventDefault();
      this.#show(anchor);
    });
    // Runs before the rows' own keys and consumes the ones it uses.
    main.addEventListener('keydown', (event) => this.#handleKey(event), { capture: true });
    main.addEventListener('scroll', () => this.#closeUnlessFocused(), { capture: true, passive: true });
    window.addEventListener('resize', () => this.close());
  }

  #schedule(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
  }

  #closeUnlessFocused(): void {
    if (!this.#cardElement.contains(document.activeElement)) this.close();
  }

  /** True if a card was open. */
  close(): boolean {
    clearTimeout(this.#timer);
    const open = this.#open;
    if (open === undefined) return false;
    this.#open = undefined;
    const inside = this.#cardElement.contains(document.activeElement);
    render('', this.#cardElement);
    this.#highlight(undefined);
    if (inside) this.#focus(open);
    return true;
  }

  /** Focuses a number again without opening its card. */
  #focus(ref: CitationRef): void {
    this.#isReturningFocus = true;
    this.#findAnchor(ref)?.focus({ preventScroll: true });
    this.#isReturningFocus = false;
  }

  /** Call this when the rows are in the page. */
  handleDrawn(): void {
    const wanted = this.#focusTarget;
    if (wanted !== undefined) {
      const anchor = this.#findAnchor(wanted);
      if (anchor !== undefined) {
        this.#focusTarget = undefined;
        anchor.scrollIntoView({ block: 'nearest' });
        anchor.focus({ preventScroll: true });
        this.#show(anchor);
      }
    }
    const open = this.#open;
    if (open === undefined || open.anchor.isConnected) return;
    const again = this.#findAnchor(open);
    if (again === undefined) this.close();
    else this.#open = { ...open, anchor: again };
  }

  /**
   * Handles a key on a row: goes from a step to the answer that cites it, or from an answer to its first source.
   * Returns whether the key was used.
   */
  handleRowKey(key: string, event: KeyboardEvent): boolean {
    if (event.key !== 's' || event.ctrlKey || event.metaKey || event.altKey) return false;
    const index = Number(/^e:(\d+)/.exec(key)?.[1] ?? NaN);
    const links = this.#deps.store.entry(index)?.links;
    const [first] = links ?? [];
    const from = this.#origin?.step === index ? this.#origin : this.#deps.store.findCitationOf(index);
    const to = first === undefined ? from : { index, at: first.at };
    if (to !== undefined) this.#goTo(to);
    return to !== undefined;
  }

  /** Shows the number of a source in the transcript. */
  #goTo(ref: CitationRef): void {
    const { store, reveal, changed } = this.#deps;
    const entry = store.entry(ref.index);
    const part = entry === undefined ? 0 : (store.linkPlacesOf(entry)?.parts.get(ref.at) ?? 0);
    void reveal(ref.index, part).then(() => {
      this.#focusTarget = { index: ref.index, at: ref.at };
      changed();
    });
  }

  goToStep(index: number, from: CitationRef): void {
    this.close();
    this.#origin = { index: from.index, at: from.at, step: index };
    this.#deps.actions.reveal(index);
  }

  #handleKey(event: KeyboardEvent): void {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    const inCard = this.#cardElement.contains(nodeOf(target));
    const anchor = anchorOf(target);
    if (key === 's' && (anchor !== undefined || inCard)) this.#handleStepKey(event, anchor);
    else if (inCard && key === 'Tab') this.#handleTab(event);
    else if (anchor !== undefined && (key === 'Enter' || key === ' ')) {
      consume(event);
      this.#show(anchor);
      this.#focusCard();
    }
  }

  #handleStepKey(event: KeyboardEvent, anchor: HTMLElement | undefined): void {
    const ref = anchor === undefined ? this.#open : citationRefOf(anchor);
    const step = ref === undefined ? undefined : this.#findLink(ref)?.step;
    if (ref === undefined || step === undefined) return;
    consume(event);
    this.goToStep(step, ref);
  }

  /** Leaving the card with Tab returns to its number. */
  #handleTab(event: KeyboardEvent): void {
    const stops = this.#findTabStops();
    const at = stops.findIndex((stop) => stop === document.activeElement);
    const next = event.shiftKey ? at - 1 : at + 1;
    if (stops[next] !== undefined) return;
    consume(event);
    this.close();
  }

  #findTabStops(): HTMLElement[] {
    return [...this.#cardElement.querySelectorAll<HTMLElement>('button, a[tabindex="0"], pre[tabindex="0"]')];
  }

  #focusCard(): void {
    (this.#findTabStops()[0] ?? this.#cardElement.querySelector<HTMLElement>('[role=dialog]'))?.focus({
      preventScroll: true,
    });
  }

  #show(anchor: HTMLElement): void {
    clearTimeout(this.#timer);
    const ref = citationRefOf(anchor);
    if (ref === undefined) return;
    if (this.#open?.index === ref.index && this.#open.at === ref.at) return;
    this.#open = { ...ref, anchor };
    this.#highlight(ref);
    this.#draw();
    void this.#fetchEvidence(ref);
  }

  async #fetchEvidence(ref: CitationRef): Promise<void> {
    const id = idOf(ref);
    const known = this.#evidenceAnswers.get(id);
    if (known !== undefined && Date.now() - known.at < freshFor) return;
    const answer = await this.#deps.request((request) => ({
      type: 'getEvidence',
      request,
      index: ref.index,
      link: ref.at,
    }));
    // Only one card is ever on screen.
    this.#evidenceAnswers = new Map([[id, { card: answer.type === 'evidence' ? answer.card : null, at: Date.now() }]]);
    if (this.#open !== undefined && idOf(this.#open) === id) this.#draw();
  }

  #draw(): void {
    const open = this.#open;
    if (open === undefined) return;
    const { store, actions } = this.#deps;
    render(
      card({
        link: this.#findLink(open),
        card: this.#evidenceAnswers.get(idOf(open))?.card,
        projectDir: store.view?.summary.project_dir,
        openFile: (path, ...lines) => {
          this.close();
          actions.openFile(path, ...lines);
        },
        followPage: (url) => {
          this.close();
          actions.followPage(url);
        },
        goToStep: (index) => this.goToStep(index, open),
        goToText: isAnchorIn(open.anchor, '.view') ? () => this.#goTo(open) : undefined,
      }),
      this.#cardElement,
    );
    const dialog = this.#cardElement.querySelector<HTMLElement>('[role=dialog]');
    if (dialog !== null) placeCard(dialog, open.anchor);
  }

  #findLink({ index, at }: CitationRef): PageLink | undefined {
    return this.#deps.store.entry(index)?.links?.find((link) => link.at === at);
  }

  #findAnchor(ref: CitationRef): HTMLElement | undefined {
    const id = CSS.escape(idOf(ref));
    return this.#deps.main.querySelector<HTMLElement>(`.cref[data-cite="${id}"], .obj[data-cite="${id}"]`) ?? undefined;
  }

  #highlight(ref: CitationRef | undefined): void {
    for (const element of this.#deps.main.querySelectorAll('.cited.on')) element.classList.remove('on');
    if (ref === undefined) return;
    const id = CSS.escape(idOf(ref));
    for (const element of this.#deps.main.querySelectorAll(`.cited[data-cite="${id}"]`)) element.classList.add('on');
  }
}

function idOf({ index, at }: CitationRef): string {
  return `${index}:${at}`;
}

function consume(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

function nodeOf(target: EventTarget | null): Node | null {
  return target instanceof Node ? target : null;
}

function anchorOf(target: EventTarget | null): HTMLElement | undefined {
  return (target instanceof Element ? target.closest<HTMLElement>('[data-cite]') : null) ?? undefined;
}

function isAnchorIn(anchor: HTMLElement, place: string): boolean {
  return anchor.closest(place) !== null;
}

function citationRefOf({ dataset }: HTMLElement): CitationRef | undefined {
  const [index, at] = (dataset['cite'] ?? '').split(':').map(Number);
  return index === undefined || at === undefined || Number.isNaN(index) || Number.isNaN(at) ? undefined : { index, at };
}
