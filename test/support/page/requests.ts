import type { Locator, Page } from 'playwright-core';
import type { FromPage } from '../../../src/protocol/panel/messages.ts';

/** What the page sent of one type, in order. */
export function sent(page: Page, type: FromPage['type']): Promise<unknown[]> {
  return page.evaluate((wanted) => window.host.received.filter((message) => message.type === wanted), type);
}

/** A button by its whole name. */
export function press(page: Page, name: string): Locator {
  return page.getByRole('button', { name, exact: true });
}

/** A button of a request works: it has been on screen for long enough. */
export function ready(page: Page, name = 'Deny'): Promise<void> {
  return page.locator('.ask vscode-button:not(.unready)', { hasText: name }).first().waitFor();
}

/** A button of a request does not work. The control says so a moment after it was drawn. */
export function off(page: Page, name: string): Promise<void> {
  return press(page, name).and(page.locator('[aria-disabled="true"]')).waitFor();
}
