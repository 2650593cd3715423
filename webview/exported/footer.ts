import { html, nothing, render, type TemplateResult } from 'lit/html.js';
import type { ExportedSession } from '../../src/pages/exported/exportedSession.ts';

/** When and by which version the page was made, and what was masked in it. */
export function addFooter(body: HTMLElement, { masks, version, exportedAt }: ExportedSession): void {
  const footer = document.createElement('footer');
  footer.className = 'exported-by';
  body.append(footer);
  const at = `${exportedAt.slice(0, 16).replace('T', ' ')} UTC`;
  render(html`<span>Exported by Vitrine ${version} on ${at}.</span> ${renderMasked(masks)}`, footer);
}

function renderMasked(masks: ExportedSession['masks']): TemplateResult {
  if (masks === null) return html`<span>Secrets were not masked.</span>`;
  if (masks.total === 0) return html`<span>No secrets were found.</span>`;
  const kinds = Object.entries(masks.byRule).sort(([, a], [, b]) => b - a);
  return html`<details>
    <summary>${masks.total === 1 ? '1 secret is masked.' : `${masks.total} secrets are masked.`}</summary>
    ${
      kinds.length === 0
        ? nothing
        : html`<ul>
            ${kinds.map(([kind, count]) => html`<li>${kind}: ${count}</li>`)}
          </ul>`
    }
  </details>`;
}
