import type { HiddenCounts } from '../../rows/rows.ts';
import { plural, t } from '../../l10n.ts';
import { html, type TemplateResult } from 'lit/html.js';
import { ref } from 'lit/directives/ref.js';

/** `Hidden: 12 steps (2 failed), 3 thoughts`; `12 automatic messages hidden` if nothing else is. */
export function hiddenText({ steps, failed, thoughts, messages, automatic, system }: HiddenCounts): string {
  if (automatic > 0 && steps + thoughts + messages + system === 0) {
    return plural(automatic, t('{0} automatic message hidden', 1), t('{0} automatic messages hidden'));
  }
  const many = plural(steps, t('{0} step', 1), t('{0} steps'));
  const counted = [
    steps === 0 ? '' : failed === 0 ? many : t('{0} ({1} failed)', many, failed),
    thoughts === 0 ? '' : plural(thoughts, t('{0} thinking block', 1), t('{0} thinking blocks')),
    messages === 0 ? '' : plural(messages, t('{0} subagent message', 1), t('{0} subagent messages')),
    automatic === 0 ? '' : plural(automatic, t('{0} automatic message', 1), t('{0} automatic messages')),
    system === 0 ? '' : plural(system, t('{0} system line', 1), t('{0} system lines')),
  ].filter((part) => part !== '');
  return t('Hidden: {0}', counted.join(', '));
}

/**
 * Placeholder for rows that are not drawn. Its height is set on the element, because the page's policy forbids inline styles.
 */
export function renderSpacer(name: string, height: number): TemplateResult {
  const size = (element: Element | undefined): void => {
    if (element instanceof HTMLElement) element.style.height = `${height}px`;
  };
  return html`<div class="space" data-space=${name} role="presentation" ${ref(size)}></div>`;
}
