import type { DirectiveResult } from 'lit/directive.js';
import { ref } from 'lit/directives/ref.js';

/** Sets styles on the element, because the page's policy forbids inline styles. */
export function setStyles(styles: Readonly<Record<string, string>>): DirectiveResult {
  return ref((element) => {
    if (!(element instanceof HTMLElement)) return;
    for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value);
  });
}

export const px = (length: number): string => `${length}px`;
/** `part` of `whole` as a percentage. */
export const share = (part: number, whole: number): string => `${whole <= 0 ? 0 : (part / whole) * 100}%`;
