/** Distance in px from the text and from the page's edges. */
const gap = 4;
const edge = 8;
/** Keeps the header visible. */
const headroom = 96;

/** Places a card above its text if it fits there, else below. */
export function placeCard(card: HTMLElement, anchor: HTMLElement): void {
  const text = anchor.matches('.cref') ? (anchor.previousElementSibling ?? anchor) : anchor;
  const rects = [...text.getClientRects()];
  const rect = rects.at(-1) ?? anchor.getBoundingClientRect();
  const own = card.getBoundingClientRect();
  const left = Math.min(Math.max(edge, rect.left - gap), Math.max(edge, window.innerWidth - own.width - edge));
  const above = rect.top - own.height - gap;
  const below = rect.bottom + gap;
  const fits = below + own.height <= window.innerHeight - edge;
  const top = above > headroom ? above : fits ? below : Math.max(edge, window.innerHeight - own.height - edge);
  card.style.left = `${left}px`;
  card.style.top = `${top}px`;
}
