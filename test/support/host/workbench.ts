import { errors, type FrameLocator, type Locator, type Page } from 'playwright-core';
import { until } from '../until.ts';
import type { Server } from './server.ts';

const extensionId = 'vitrine.vitrine';

/** URL of the workbench with `folder` (absent: an empty window); `payload` as in VS Code's own tests. */
export function workbenchUrl(
  server: Server,
  folder?: string,
  payload: readonly (readonly [string, string])[] = [],
): string {
  const query = new URLSearchParams(folder === undefined ? { ew: 'true' } : { folder });
  query.set('payload', JSON.stringify([['skipWelcome', 'true'], ['skipReleaseNotes', 'true'], ...payload]));
  return `${server.url}/?${query.toString()}`;
}

/** A VS Code window, operated like a user: palette, clicks and keys. */
export class Workbench {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(url: string): Promise<void> {
    await this.page.goto(url, { waitUntil: 'domcontentloaded' });
    await this.ready();
  }

  /** Waits for the workbench; extensions may still be loading (see `runCommand`, `openView`). */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
    await this.page.locator('.part.activitybar .action-item').first().waitFor();
  }

  /** Runs a command by its title (`Category: Title`) from the palette. */
  async runCommand(title: string): Promise<void> {
    await this.useInPalette(title, (row, timeout) => row.click({ timeout }));
  }

  /**
   * Runs the command `title` and clicks `row` (its text, or a locator) of the quick pick it shows, after typing `filter`.
   * Runs the command again if the quick pick has closed or does not have the row: a page that has just loaded takes the
   * focus, and what is open may still be the palette.
   */
  async choose(title: string, row: string | Locator, filter?: string): Promise<void> {
    const target = typeof row === 'string' ? this.quickPickRow(row) : row;
    const timeout = 5000;
    const chosen = async (): Promise<boolean> => {
      try {
        if (filter !== undefined) await this.quickInput().fill(filter, { timeout });
        await target.click({ timeout });
        return true;
      } catch (error) {
        if (!(error instanceof errors.TimeoutError)) throw error;
        return false;
      }
    };
    await this.runCommand(title);
    let attempts = 0;
    await until(`the choice after ${title}`, async () => {
      if (await chosen()) return true;
      attempts += 1;
      const isOpen = await this.quickInput().isVisible();
      if (isOpen && attempts % 4 === 0) await this.page.keyboard.press('Escape');
      if (!isOpen || attempts % 4 === 0) await this.runCommand(title);
      return false;
    });
  }

  /**
   * Chooses `name` in the context menu of `row`. Opens the menu again if it has closed: a tree that is drawn again closes it.
   */
  async chooseInMenu(row: Locator, name: string): Promise<void> {
    const item = this.page.locator('.monaco-menu').getByText(name, { exact: true });
    await until(`${name} in the menu`, async () => {
      try {
        await row.click({ button: 'right', timeout: 10_000 });
        // A menu that has just opened swallows clicks, but not keys.
        await item.hover({ timeout: 10_000 });
        await this.page.keyboard.press('Enter');
        return true;
      } catch (error) {
        if (!(error instanceof errors.TimeoutError)) throw error;
        await this.page.keyboard.press('Escape');
        return false;
      }
    });
  }

  /**
   * Searches the palette and calls `act` with the row found. Retries the whole sequence, because a palette that was
   * opened before an extension is loaded never refreshes, and a restored webview takes the focus and closes it. Each
   * attempt has twice the time of the previous one, for busy machines.
   */
  private async useInPalette(title: string, act: (row: Locator, timeout: number) => Promise<void>): Promise<void> {
    const widget = this.page.locator('.quick-input-widget');
    const row = widget.locator('.monaco-list-row', { has: this.page.getByText(title, { exact: true }) }).first();
    for (let timeout = 1500; ; timeout *= 2) {
      try {
        await this.page.keyboard.press('F1');
        await this.quickInput().fill(`>${title}`, { timeout });
        await act(row, timeout);
        return;
      } catch (error) {
        if (timeout > 20_000) throw new Error(`could not find "${title}" in the palette`, { cause: error });
        // In an editor, Escape would clear the selection.
        if (await widget.isVisible()) await this.page.keyboard.press('Escape');
      }
    }
  }

  async closeEditors(): Promise<void> {
    await this.runCommand('View: Close All Editors');
    await this.page.locator('.part.editor .tab').first().waitFor({ state: 'detached' });
  }

  /** Opens the notification list, which keeps notices whose toast has disappeared. */
  async showNotifications(): Promise<void> {
    await this.runCommand('Notifications: Show Notifications');
  }

  /** Waits until the palette offers the command `title` (`Category: Title`), and closes the palette. */
  async assertOffersCommand(title: string): Promise<void> {
    await this.useInPalette(title, (row, timeout) => row.waitFor({ timeout }));
    await this.page.keyboard.press('Escape');
  }

  /** Input of the palette, a quick pick or an input box. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget .quick-input-box input');
  }

  /** Rows of the palette or a quick pick. */
  quickPickRow(text: string): Locator {
    return this.page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: text }).first();
  }

  /** Shows the view container `title`. Clicking its tab when it is visible would hide the side bar. */
  async openView(title: string): Promise<void> {
    const tab = this.page.locator('.part.activitybar').getByRole('tab', { name: title });
    await tab.waitFor();
    // A layout that is being restored may switch to another view after the click.
    await until(`the view ${title}`, async () => {
      if ((await tab.getAttribute('aria-selected')) === 'true') return true;
      await tab.click();
      return (await tab.getAttribute('aria-selected')) === 'true';
    });
  }

  /** By visible text, because a tooltip replaces a row's accessible name. */
  treeItem(text: string): Locator {
    return this.page.locator('.part.sidebar [role=treeitem]').filter({ hasText: text });
  }

  hover(): Locator {
    return this.page.locator('.monaco-hover');
  }

  /** Hovers over a row until it shows `reported`. A redrawn row loses the hover. */
  async hoverUntil(row: Locator, reported: string): Promise<void> {
    const shown = this.hover().filter({ hasText: reported }).first();
    await until(`the hover with ${reported}`, async () => {
      await this.page.mouse.move(0, 0);
      await row.hover();
      return shown.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
  }

  statusBarItem(text: string): Locator {
    return this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: text });
  }

  editorTab(text: string): Locator {
    return this.page.locator('.part.editor .tab').filter({ hasText: text });
  }

  notification(text: string): Locator {
    const shown = this.page.locator('.notifications-toasts, .notifications-center');
    return shown.locator('.notification-list-item').filter({ hasText: text });
  }

  /** A modal dialog, such as Workspace Trust's or a confirmation. */
  dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  /** Document of the newest webview: the extension's frame in VS Code's frame. */
  webview(): FrameLocator {
    const outer = this.page.locator(`iframe.webview.ready[src*="extensionId=${extensionId}"]`).last();
    return outer.contentFrame().locator('iframe#active-frame').contentFrame();
  }

  /** With VS Code's command: a browser reload would lose webview state, unlike a reload on the desktop. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('domcontentloaded');
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.ready();
  }
}
