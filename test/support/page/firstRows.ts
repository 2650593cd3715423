import type { Page } from 'playwright-core';

/** Milliseconds from the arrival of a long session's first entries to its first row on the page. */
export function firstRows(page: Page, entries: number): Promise<number> {
  return page.evaluate(async (count) => {
    const arrived = new Promise<number>((resolve) => {
      window.addEventListener('message', () => resolve(performance.now()), { capture: true, once: true });
    });
    const drawn = new Promise<number>((resolve) => {
      const observer = new MutationObserver(() => {
        if (document.querySelector('.rb') === null) return;
        observer.disconnect();
        resolve(performance.now());
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    window.host.loadLong(count);
    return (await drawn) - (await arrived);
  }, entries);
}
