import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { repository } from '../host/install/cache.mjs';
import type { Theme } from './themes.ts';

/**
 * Violations that axe finds in the page, one line each. Themes differ in colors only: the dark one is checked with all
 * rules, the others with color rules.
 */
export async function violations(page: Pick<Page, 'evaluate'>, theme: Theme = 'dark'): Promise<string[]> {
  await page.evaluate(readFileSync(path.join(repository, 'node_modules/axe-core/axe.min.js'), 'utf8'));
  const options =
    theme === 'dark' ? {} : { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };
  return page.evaluate(async (given) => {
    const axe = Reflect.get(window, 'axe') as {
      run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
    };
    const { violations: found } = await axe.run(given);
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  }, options);
}
