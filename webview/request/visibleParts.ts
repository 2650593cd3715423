/** Parts of a request's row: the whole row (`frame`), the beginning of the subject (`top`) and the buttons (`end`). */
export type VisiblePart = 'frame' | 'top' | 'end';

/** Time in ms that a part must be on screen to count as seen. */
const pause = 500;
/** Height in px of the sticky heading above the rows. */
export const heading = 28;

interface Visibility {
  frame: boolean;
  /** Timers of parts that are on screen but have not been for long enough. */
  readonly timers: Map<VisiblePart, ReturnType<typeof setTimeout>>;
  /** `performance.now()` when a part had been on screen for long enough. */
  readonly shownAt: Map<VisiblePart, number>;
}

interface Place {
  readonly id: string;
  readonly part: VisiblePart;
}

/** Tracks which parts of requests have been on screen: what was never shown cannot be allowed. */
export class VisibleParts {
  readonly #observer: IntersectionObserver;
  readonly #placeByElement = new Map<Element, Place>();
  readonly #visibilityById = new Map<string, Visibility>();
  /** Requests whose frames have been drawn. */
  readonly #drawnIds = new Set<string>();
  readonly #onChange: () => void;

  constructor(scroller: HTMLElement, changed: () => void) {
    this.#onChange = changed;
    this.#observer = new IntersectionObserver((entries) => this.#handleEntries(entries), {
      root: scroller,
      rootMargin: `-${heading}px 0px 0px 0px`,
    });
  }

  /**
   * Call after each drawing, with the parent of the rows. Returns frames of requests that were drawn for the first
   * time.
   */
  look(rows: HTMLElement): HTMLElement[] {
    const fresh: HTMLElement[] = [];
    for (const [element, { id, part }] of this.#placeByElement) {
      if (element.isConnected) continue;
      this.#observer.unobserve(element);
      this.#placeByElement.delete(element);
      const visibility = this.#visibilityById.get(id);
      if (visibility === undefined) continue;
      if (part === 'frame') visibility.frame = false;
      this.#updateTimer(visibility, part, false);
      this.#onChange();
    }
    for (const element of rows.querySelectorAll<HTMLElement>('[data-sight]')) {
      const { request: id, sight: part } = element.dataset;
      if (id === undefined || !isPart(part) || this.#placeByElement.has(element)) continue;
      this.#placeByElement.set(element, { id, part });
      this.#observer.observe(element);
      if (part !== 'frame' || this.#drawnIds.has(id)) continue;
      this.#drawnIds.add(id);
      fresh.push(element);
    }
    return fresh;
  }

  /** Whether the request may be on screen: false only if it is known not to be. */
  isVisible(id: string): boolean {
    const drawn = [...this.#placeByElement.values()].some((place) => place.id === id && place.part === 'frame');
    return drawn && this.#visibilityById.get(id)?.frame !== false;
  }

  /** `performance.now()` when the part had been on screen for long enough; `undefined` before. */
  shownSince(id: string, part: VisiblePart): number | undefined {
    return this.#visibilityById.get(id)?.shownAt.get(part);
  }

  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#visibilityById.keys()) if (!ids.has(id)) this.#visibilityById.delete(id);
    for (const id of this.#drawnIds) if (!ids.has(id)) this.#drawnIds.delete(id);
  }

  #handleEntries(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const place = this.#placeByElement.get(target);
      if (place === undefined) continue;
      const visibility = this.#visibilityById.get(place.id) ?? { frame: true, timers: new Map(), shownAt: new Map() };
      this.#visibilityById.set(place.id, visibility);
      if (place.part === 'frame') visibility.frame = isIntersecting;
      this.#updateTimer(visibility, place.part, isIntersecting);
    }
    this.#onChange();
  }

  /** A part that scrolls past in less than `pause` does not count as seen. */
  #updateTimer({ timers, shownAt: seen }: Visibility, part: VisiblePart, onScreen: boolean): void {
    clearTimeout(timers.get(part));
    timers.delete(part);
    if (!onScreen || seen.has(part)) return;
    const timer = setTimeout(() => {
      timers.delete(part);
      seen.set(part, performance.now());
      this.#onChange();
    }, pause);
    timers.set(part, timer);
  }
}

function isPart(name: string | undefined): name is VisiblePart {
  return name === 'frame' || name === 'top' || name === 'end';
}
