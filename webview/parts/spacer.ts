import { html, type TemplateResult } from 'lit/html.js';
import { ref } from 'lit/directives/ref.js';

/** Room for what is not drawn. Its height is set on the element: the page's policy allows no inline styles. */
export function spacer(name: string, height: number): TemplateResult {
  const size = (element: Element | undefined): void => {
    if (element instanceof HTMLElement) element.style.height = `${height}px`;
  };
  return html`<div class="space" data-space=${name} role="presentation" ${ref(size)}></div>`;
}
