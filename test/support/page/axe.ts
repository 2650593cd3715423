import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { repository } from '../host/install/cache.mjs';
import { type Theme, themes } from './themes.ts';

/**
 * Violations that axe finds in the page, one line each. Themes differ in colors only: the dark one is checked with all
 * rules, the others with color rules.
 */
export async function findViolations(page: Pick<Page, 'evaluate'>, theme: Theme = 'dark'): Promise<string[]> {
  const isLoaded = await page.evaluate(() => 'axe' in window);
  if (!isLoaded) await page.evaluate(readFileSync(path.join(repository, 'node_modules/axe-core/axe.min.js'), 'utf8'));
  const options =
    theme === 'dark' ? {} : { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };
  return page.evaluate(async (axeOptions) => {
    const axe = Reflect.get(window, 'axe') as {
      run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
    };
    const { violations: found } = await axe.run(axeOptions);
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  }, options);
}

/**
 * `findViolations` in each of the four themes, between which the open page changes, as when a user chooses another one.
 * `seen` is called in each.
 */
export async function findViolationsInThemes(page: Page, seen?: (theme: Theme) => Promise<unknown>): Promise<string[]> {
  const found: string[] = [];
  for (const theme of Object.keys(themes) as Theme[]) {
    await setTheme(page, theme);
    found.push(...(await findViolations(page, theme)).map((violation) => `${theme}: ${violation}`));
    await seen?.(theme);
  }
  return found;
}

async function setTheme(page: Page, theme: Theme): Promise<void> {
  await page.evaluate(
    async ({ href, body }) => {
      const link = document.querySelector<HTMLLinkElement>('link[href^="/theme/"]');
      if (link === null) throw new Error('This page has no theme of VS Code.');
      if (link.getAttribute('href') !== href) {
        const loaded = new Promise((resolve) => link.addEventListener('load', resolve, { once: true }));
        link.setAttribute('href', href);
        await loaded;
      }
      document.body.className = body;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    },
    { href: `/theme/${theme}`, body: themes[theme].body },
  );
}
