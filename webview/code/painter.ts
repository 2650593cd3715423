import { codeGroups, type CodeGroup, placeSpans, toPlain, type Span } from './spans.ts';

/** Texts with cached spans. */
const maxCachedTexts = 100;
/** Maximum milliseconds that a text waits for an idle page, so that code gets colors during a run too. */
const patience = 1000;

type SpansOf = (language: string, text: string) => Span[];

/**
 * Colors visible code: `[data-code]` names its language. The browser paints ranges, so no elements are added. Languages are
 * loaded with the first code; each text is processed once, when the page is idle. Growing text has no `data-code` yet.
 */
export class CodePainter {
  readonly #onPainted: () => void;
  readonly #spansByKey = new Map<string, readonly Span[]>();
  #spansOf: SpansOf | undefined;
  #isLoading = false;
  #isScheduled = false;
  #paintedIds = '';

  /** `onPainted` is called when there is more to paint than last time. */
  constructor(onPainted: () => void) {
    this.#onPainted = onPainted;
  }

  /** Call this when something was drawn below `root`. */
  look(root: HTMLElement): void {
    if (!('highlights' in CSS)) return;
    const found = [...root.querySelectorAll<HTMLElement>('[data-code]')].flatMap(findCode);
    if (found.length === 0 && this.#paintedIds === '') return;
    const missing = found.filter(({ key }) => !this.#spansByKey.has(key));
    if (missing.length > 0) this.#requestPaint(missing);
    this.#paint(found);
  }

  #requestPaint(missing: readonly Code[]): void {
    if (this.#spansOf === undefined) {
      void this.#load();
      return;
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const spansOf = this.#spansOf;
    requestIdleCallback(
      (deadline) => {
        this.#isScheduled = false;
        for (const [at, { key, language, node }] of missing.entries()) {
          if (at > 0 && deadline.timeRemaining() < 8) break;
          this.#keep(key, spansIn(spansOf, language, node.data));
        }
        this.#onPainted();
      },
      { timeout: patience },
    );
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      this.#spansOf = (await import('./grammars.ts')).spansOf;
      this.#onPainted();
    } catch {
      // Without languages, code stays plain.
    }
  }

  #keep(key: string, spans: readonly Span[]): void {
    const [oldest] = this.#spansByKey.keys();
    if (this.#spansByKey.size >= maxCachedTexts && oldest !== undefined) this.#spansByKey.delete(oldest);
    this.#spansByKey.set(key, spans);
  }

  #paint(found: readonly Code[]): void {
    const ready = found.filter(({ key }) => this.#spansByKey.has(key));
    // The same texts in the same places need no new ranges.
    const shown = ready.map(({ id }) => id).join();
    if (shown === this.#paintedIds) return;
    this.#paintedIds = shown;
    const ranges = new Map<CodeGroup, AbstractRange[]>(codeGroups.map((group) => [group, []]));
    for (const { key, node } of ready) {
      for (const { from, to, group } of this.#spansByKey.get(key) ?? []) {
        ranges
          .get(group)
          ?.push(new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to }));
      }
    }
    for (const [group, all] of ranges) CSS.highlights.set(`code-${group}`, new Highlight(...all));
  }
}

interface Code {
  readonly key: string;
  readonly language: string;
  readonly node: Text;
  /** Belongs to the node with its text. */
  readonly id: number;
}

const ids = new WeakMap<Text, { readonly text: string; readonly id: number }>();
let lastId = 0;

/** The single text of the element; none if it contains written-out invisible characters. */
function findCode(element: HTMLElement): Code[] {
  const texts = [...element.childNodes].filter((node): node is Text => node instanceof Text && node.data.trim() !== '');
  const [node] = texts;
  if (node === undefined || texts.length > 1 || element.childElementCount > 0) return [];
  const language = (element.dataset['code'] ?? '').toLowerCase();
  if (language === '') return [];
  const known = ids.get(node);
  const id = known?.text === node.data ? known.id : (lastId += 1);
  ids.set(node, { text: node.data, id });
  return [{ key: `${language}\n${node.data}`, language, node, id }];
}

function spansIn(spansOf: SpansOf, language: string, text: string): readonly Span[] {
  const plain = toPlain(text);
  return placeSpans(spansOf(language, plain.text), plain);
}
