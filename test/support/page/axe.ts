import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { repository } from '../host/install/cache.mjs';

/** What axe has to object to in the page as it stands, one line each. */
export async function violations(page: Pick<Page, 'evaluate'>): Promise<string[]> {
  await page.evaluate(readFileSync(path.join(repository, 'node_modules/axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(async () => {
    const axe = Reflect.get(window, 'axe') as {
      run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
    };
    const { violations: found } = await axe.run();
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  });
}
