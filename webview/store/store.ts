import { appendText } from '../../src/protocol/panel/sentState.ts';
import { sharedAuthor } from '../../src/protocol/panel/pageModel.ts';
import type { DetailLevel } from '../../src/protocol/panel/detailLevel.ts';
import type { PageEntry, PageUpdate, SessionView, ToPage } from '../../src/protocol/panel/messages.ts';
import type { Turn } from '../../src/model/session/turn.ts';
import { Documents } from './documents.ts';
import { CitationMarks } from '../cite/marks.ts';
import type { LinkPlaces } from '../cite/places.ts';
import { isAutomatic } from '../rows/origins.ts';
import { isNoise, type RowSource } from '../rows/rows.ts';

export const pageSize = 100;
/** Loaded entries; pages far from the screen are dropped and requested again. */
const maxEntries = 6000;

/** Everything that the page knows of its session. All of it can be requested again. */
export class Store implements RowSource {
  readonly pageSize = pageSize;
  readonly expanded = new Set<string>();
  readonly #closedKeys = new Set<string>();
  readonly #entries = new Map<number, PageEntry>();
  readonly #perPage = new Map<number, number>();
  readonly #open = new Set<number>();
  readonly #documents = new Documents();
  readonly #citationMarks = new CitationMarks();
  #view: SessionView | undefined;
  #total = 0;
  #level: DetailLevel = 'everything';
  #peopleOnly = false;
  readonly #automatic = new Set<number>();
  #showsSynthetic = false;
  readonly #synthetic = new Set<number>();
  /** Targets of jumps: no level hides them. */
  readonly #revealedIndexes = new Set<number>();
  #offersResume = false;
  /** Changes whenever rows may have been added, removed or moved. */
  structureVersion = 0;

  get view(): SessionView | undefined {
    return this.#view;
  }

  /** See `sharedAuthor`. */
  get member(): string | undefined {
    return sharedAuthor(this.#view?.summary.shared);
  }

  get entryCount(): number {
    return this.#total;
  }

  get turns(): readonly Turn[] {
    return this.#view?.turns ?? [];
  }

  get closedKeys(): ReadonlySet<string> {
    return this.#closedKeys;
  }

  get openEntries(): ReadonlySet<number> {
    return this.#open;
  }

  init(message: Extract<ToPage, { type: 'init' }>): void {
    this.#entries.clear();
    this.#perPage.clear();
    this.#open.clear();
    this.#automatic.clear();
    this.#synthetic.clear();
    this.#documents.clear();
    this.#view = message.view;
    this.#total = message.page.total;
    for (const index of message.open) this.#open.add(index);
    this.addPage(message.page.entries);
  }

  setView(view: SessionView): void {
    if (view.turns !== this.#view?.turns) this.structureVersion += 1;
    this.#view = view;
  }

  addPage(entries: readonly PageEntry[]): void {
    for (const { step, links, ...entry } of entries) {
      // The page's version may be newer than the answer, or consist of pieces that the answer already has.
      const known = this.#entries.get(entry.index) ?? entry;
      this.#put({ ...known, ...(step !== undefined && { step }), ...(links !== undefined && { links }) });
    }
    this.structureVersion += 1;
  }

  apply(updates: readonly PageUpdate[], total: number): void {
    this.#total = Math.max(this.#total, total);
    for (const update of updates) {
      if (update.op === 'put') {
        if (update.open === true) this.#open.add(update.entry.index);
        else this.#open.delete(update.entry.index);
        this.#put(update.entry);
        this.structureVersion += 1;
      } else {
        this.#append(update.index, update.text);
      }
    }
  }

  /** Replaces a cut entry with the complete one. */
  putCompleteEntry(entry: PageEntry): void {
    const { step, links } = this.#entries.get(entry.index) ?? {};
    this.#put({ ...entry, ...(step !== undefined && { step }), ...(links !== undefined && { links }) });
    this.structureVersion += 1;
  }

  /** The next loaded message after a step that cites it. */
  findCitationOf(step: number): { readonly index: number; readonly at: number } | undefined {
    let found: { readonly index: number; readonly at: number } | undefined;
    for (const { index, links } of this.#entries.values()) {
      if (index <= step || (found !== undefined && found.index <= index)) continue;
      const link = links?.find((pageLink) => pageLink.step === step);
      if (link !== undefined) found = { index, at: link.at };
    }
    return found;
  }

  /** Adds sources to loaded messages. */
  setLinks(all: Extract<ToPage, { type: 'links' }>['entries']): void {
    for (const { index, links } of all) {
      const entry = this.#entries.get(index);
      if (entry !== undefined) this.#entries.set(index, { ...entry, links });
    }
  }

  #put(entry: PageEntry): void {
    const { index } = entry;
    const earlier = this.#entries.get(index);
    if (earlier === undefined) {
      const page = Math.floor(index / pageSize);
      this.#perPage.set(page, (this.#perPage.get(page) ?? 0) + 1);
      this.#total = Math.max(this.#total, index + 1);
    }
    this.#entries.set(index, entry);
    if (isAutomatic(entry)) this.#automatic.add(index);
    if (entry.synthetic === true) this.#synthetic.add(index);
    if (earlier !== undefined && !entry.content.startsWith(earlier.content)) this.#documents.forget(index);
  }

  #append(index: number, text: string): void {
    const entry = this.#entries.get(index);
    if (entry === undefined) return;
    const longer = appendText(entry, text);
    this.#entries.set(index, longer);
    if (this.#documents.mayTakeRows(longer)) this.structureVersion += 1;
  }

  entry(index: number): PageEntry | undefined {
    return this.#entries.get(index);
  }

  /** Index of a request, if its entry is loaded. */
  indexOfRequest(id: string): number | undefined {
    for (const [index, { asked }] of this.#entries) if (asked?.request.id === id) return index;
    return undefined;
  }

  /** The number of a loaded tool call. */
  stepOf(callId: string): string | undefined {
    for (const { type, step } of this.#entries.values()) {
      if (type.kind === 'tool_use' && type.tool.callId === callId) return step;
    }
    return undefined;
  }

  hasPage(page: number): boolean {
    return this.#perPage.has(page);
  }

  isOpen(index: number): boolean {
    return this.#open.has(index);
  }

  parts(entry: PageEntry): number {
    return this.#documents.rows(entry, this.#open.has(entry.index));
  }

  document(entry: PageEntry): ReturnType<Documents['parts']> {
    return this.#documents.parts(entry, this.#open.has(entry.index));
  }

  /** See `Documents`. */
  drawOnlyEnds(): void {
    this.#documents.drawOnlyEnds();
  }

  drawCompletely(): boolean {
    const changed = this.#documents.drawCompletely();
    if (changed) this.structureVersion += 1;
    return changed;
  }

  /** Positions of a message's sources; `undefined` while only its end is drawn. */
  linkPlacesOf(entry: PageEntry): LinkPlaces | undefined {
    const parts = this.document(entry);
    return this.#documents.isEnd(entry)
      ? undefined
      : this.#citationMarks.placesOf(entry, parts, this.#open.has(entry.index));
  }

  isClosed(key: string): boolean {
    return this.#closedKeys.has(key);
  }

  isNoiseOpen(runId: string): boolean {
    return this.expanded.has(`n:${runId}`);
  }

  /** Opens or closes what starts closed. */
  toggle(key: string, open = !this.expanded.has(key)): void {
    if (open) this.expanded.add(key);
    else this.expanded.delete(key);
    this.structureVersion += 1;
  }

  /** Closes or opens what starts open. */
  toggleOpen(key: string, open = this.#closedKeys.has(key)): void {
    if (open) this.#closedKeys.delete(key);
    else this.#closedKeys.add(key);
    this.structureVersion += 1;
  }

  get level(): DetailLevel {
    return this.#level;
  }

  setLevel(level: DetailLevel): void {
    this.#level = level;
    this.#revealedIndexes.clear();
    this.structureVersion += 1;
  }

  get peopleOnly(): boolean {
    return this.#peopleOnly;
  }

  /** Hides automatic messages to the agent, or shows them again. */
  setPeopleOnly(on: boolean): void {
    this.#peopleOnly = on;
    this.#revealedIndexes.clear();
    this.structureVersion += 1;
  }

  /** Number of loaded messages of this kind. */
  get automatic(): number {
    return this.#automatic.size;
  }

  get showsSynthetic(): boolean {
    return this.#showsSynthetic;
  }

  /** Shows follow-ups and callbacks, which are hidden by default. */
  setShowsSynthetic(on: boolean): void {
    this.#showsSynthetic = on;
    this.#revealedIndexes.clear();
    this.structureVersion += 1;
  }

  /** Number of messages marked as synthetic: the record's count, or the loaded ones if those are more. */
  get synthetic(): number {
    return Math.max(this.#view?.summary.synthetic?.messages ?? 0, this.#synthetic.size);
  }

  /** Those that are hidden. */
  get leftOut(): number {
    return this.#showsSynthetic ? 0 : this.synthetic;
  }

  isRevealed(index: number): boolean {
    return this.#revealedIndexes.has(index);
  }

  get offersResume(): boolean {
    return this.#offersResume;
  }

  setResume(offered: boolean): void {
    this.#offersResume = offered;
    this.structureVersion += 1;
  }

  /** Opens everything that hides an entry. */
  reveal(index: number): void {
    const entry = this.#entries.get(index);
    if (entry === undefined) return;
    this.#revealedIndexes.add(index);
    if (isNoise(entry)) {
      const turn = this.turns.findLast(({ firstIndex }) => firstIndex <= index);
      this.toggle(`n:${turn?.runId ?? ''}`, true);
    } else {
      this.#closedKeys.clear();
      this.structureVersion += 1;
    }
  }

  /** Drops pages far from `near`, a visible entry, if there are too many. */
  evictPages(near: number): void {
    if (this.#entries.size <= maxEntries) return;
    const here = Math.floor(near / pageSize);
    const far = [...this.#perPage.keys()].sort((a, b) => Math.abs(b - here) - Math.abs(a - here));
    for (const page of far) {
      if (this.#entries.size <= maxEntries / 2) break;
      for (let index = page * pageSize; index < (page + 1) * pageSize; index++) {
        this.#entries.delete(index);
        this.#documents.forget(index);
      }
      this.#perPage.delete(page);
    }
    this.structureVersion += 1;
  }
}
