const maxRanges = 500;
/** Highlights do not cross the borders of these elements. */
const blocks = 'p, li, pre, td, th, dd, dt, button, .dl, .detail-h, .code-h, .row';

/**
 * Highlights every occurrence of `texts` (lower case) below `root`, without changing elements. A match may span several
 * elements, as in colored code.
 */
export function highlight(root: HTMLElement, texts: readonly string[]): void {
  if (!('highlights' in CSS)) return;
  const words = texts.filter((text) => text !== '');
  if (words.length === 0) {
    CSS.highlights.delete('find');
    return;
  }
  const ranges: Range[] = [];
  for (const run of runs(root)) {
    if (ranges.length >= maxRanges) break;
    const text = run.map((node) => node.data).join('');
    const small = text.toLowerCase();
    // If lower-casing changes the length, offsets do not match.
    if (small.length !== text.length) continue;
    for (const word of words) {
      for (
        let at = small.indexOf(word);
        at !== -1 && ranges.length < maxRanges;
        at = small.indexOf(word, at + word.length)
      ) {
        ranges.push(rangeIn(run, at, at + word.length));
      }
    }
  }
  CSS.highlights.set('find', new Highlight(...ranges));
}

/** Text nodes of one block, in order. */
function* runs(root: HTMLElement): Generator<Text[]> {
  let run: Text[] = [];
  let block: Element | null = null;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    const own = node.parentElement?.closest(blocks) ?? root;
    if (own !== block && run.length > 0) {
      yield run;
      run = [];
    }
    block = own;
    run.push(node);
  }
  if (run.length > 0) yield run;
}

function rangeIn(run: readonly Text[], from: number, to: number): Range {
  const range = document.createRange();
  let at = 0;
  for (const node of run) {
    const end = at + node.length;
    if (from >= at && from < end) range.setStart(node, from - at);
    if (to > at && to <= end) range.setEnd(node, to - at);
    at = end;
  }
  return range;
}
