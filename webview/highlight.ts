const mostRanges = 500;

/** Marks every occurrence of `query` in what is drawn below `root`, without touching the elements there. */
export function highlight(root: HTMLElement, query: string): void {
  if (!('highlights' in CSS)) return;
  const wanted = query.toLowerCase();
  if (wanted === '') {
    CSS.highlights.delete('find');
    return;
  }
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < mostRanges; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? '';
    for (
      let at = text.indexOf(wanted);
      at !== -1 && ranges.length < mostRanges;
      at = text.indexOf(wanted, at + wanted.length)
    ) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, Math.min(at + wanted.length, node.nodeValue?.length ?? 0));
      ranges.push(range);
    }
  }
  CSS.highlights.set('find', new Highlight(...ranges));
}
