/** Distance in px from the button and from the page's edges. */
const gap = 4;
const edge = 8;

/** Places a card below a header button, with aligned right edges if it fits. */
export function placeUnder(card: HTMLElement, anchor: HTMLElement): void {
  const { right, bottom } = anchor.getBoundingClientRect();
  const { width } = card.getBoundingClientRect();
  card.style.left = `${Math.max(edge, Math.min(right, window.innerWidth - edge) - width)}px`;
  card.style.top = `${bottom + gap}px`;
}
