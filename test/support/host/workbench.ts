import type { FrameLocator, Locator, Page } from 'playwright-core';
import { until } from '../until.ts';
import type { Server } from './server.ts';

const extensionId = 'vitrine.vitrine';

/** The address of the workbench with `folder` open (absent: an empty window); `payload` as VS Code's own tests use it. */
export function workbenchUrl(
  server: Server,
  folder?: string,
  payload: readonly (readonly [string, string])[] = [],
): string {
  const query = new URLSearchParams(folder === undefined ? { ew: 'true' } : { folder });
  query.set('payload', JSON.stringify([['skipWelcome', 'true'], ['skipReleaseNotes', 'true'], ...payload]));
  return `${server.url}/?${query.toString()}`;
}

/** One VS Code window, driven as a person does: by palette, clicks and keys. */
export class Workbench {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(url: string): Promise<void> {
    await this.page.goto(url, { waitUntil: 'domcontentloaded' });
    await this.ready();
  }

  /** The workbench stands; contributions of extensions may still be on their way (see `runCommand`, `openView`). */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
    await this.page.locator('.part.activitybar .action-item').first().waitFor();
  }

  /** Runs a command by its title (`Category: Title`) from the palette. */
  async runCommand(title: string): Promise<void> {
    await this.inPalette(title, (row, timeout) => row.click({ timeout }));
  }

  /**
   * Searches the palette and does `act` with the row found. The whole sequence is tried again, since a palette opened
   * before an extension is known never refreshes, and a webview being restored takes the focus, which closes it. Each try has
   * twice the time of the one before: a busy machine may need more than the first has.
   */
  private async inPalette(title: string, act: (row: Locator, timeout: number) => Promise<void>): Promise<void> {
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
        // In an editor it would end the selection that a command is run on.
        if (await widget.isVisible()) await this.page.keyboard.press('Escape');
      }
    }
  }

  async closeEditors(): Promise<void> {
    await this.runCommand('View: Close All Editors');
    await this.page.locator('.part.editor .tab').first().waitFor({ state: 'detached' });
  }

  /** Opens the list of all notifications: a notice that asks for nothing goes after seconds, but stays in there. */
  async showNotifications(): Promise<void> {
    await this.runCommand('Notifications: Show Notifications');
  }

  /** Waits until the palette offers the command `title` (`Category: Title`), and closes it again. */
  async offersCommand(title: string): Promise<void> {
    await this.inPalette(title, (row, timeout) => row.waitFor({ timeout }));
    await this.page.keyboard.press('Escape');
  }

  /** The text field of the palette, a quick pick or an input box. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget .quick-input-box input');
  }

  /** The rows of the palette or a quick pick. */
  quickPickRow(text: string): Locator {
    return this.page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: text }).first();
  }

  /** Shows the view container `title`; a click on the tab of the one that shows would hide the side bar. */
  async openView(title: string): Promise<void> {
    const tab = this.page.locator('.part.activitybar').getByRole('tab', { name: title });
    await tab.waitFor();
    // A layout that is being restored may choose another after the click.
    await until(`the view ${title}`, async () => {
      if ((await tab.getAttribute('aria-selected')) === 'true') return true;
      await tab.click();
      return (await tab.getAttribute('aria-selected')) === 'true';
    });
  }

  /** By visible text: a tooltip replaces a row's accessible name. */
  treeItem(text: string): Locator {
    return this.page.locator('.part.sidebar [role=treeitem]').filter({ hasText: text });
  }

  hover(): Locator {
    return this.page.locator('.monaco-hover');
  }

  /** Rests on a row until it tells `told`: one that is drawn anew meanwhile forgets that someone rests there. */
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

  /** A modal dialog, as Workspace Trust's or a confirmation's. */
  dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  /** The document inside the newest webview: VS Code's frame, and in it the extension's. */
  webview(): FrameLocator {
    const outer = this.page.locator(`iframe.webview.ready[src*="extensionId=${extensionId}"]`).last();
    return outer.contentFrame().locator('iframe#active-frame').contentFrame();
  }

  /** Through VS Code's own command: the browser's reload loses a webview's state, which a desktop reload does not. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('domcontentloaded');
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.ready();
  }
}
