import type { Locator, Page } from 'playwright-core';
import type { FromPage } from '../../../src/protocol/panel/messages.ts';

/** The page's messages of one type, in order. */
export function sentMessages(page: Page, type: FromPage['type']): Promise<unknown[]> {
  return page.evaluate((messageType) => window.host.received.filter((message) => message.type === messageType), type);
}

/** A button by its exact name. */
export function requestButton(page: Page, name: string): Locator {
  return page.getByRole('button', { name, exact: true });
}

/** Waits until a request's button is enabled: it must have been visible for some time. */
export function waitUntilEnabled(page: Page, name = 'Deny'): Promise<void> {
  return page.locator('.ask vscode-button:not(.unready)', { hasText: name }).first().waitFor();
}

/** Waits until a request's button is disabled, which happens shortly after it is drawn. */
export function waitUntilDisabled(page: Page, name: string): Promise<void> {
  return requestButton(page, name).and(page.locator('[aria-disabled="true"]')).waitFor();
}
