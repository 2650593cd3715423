import * as assert from 'node:assert/strict';
import type { BudgetAlerts, BudgetStatus } from '../../../src/model/usage/budget.ts';
import { findViolations } from '../../support/page/axe.ts';
import { createFullScript, view } from '../../support/page/madeUp.ts';
import { PageTests } from '../../support/page/open.ts';

const budgetStatus: BudgetStatus = { scope: 'day', unit: 'usd', key: '2026-01-02', limit: 2, spent: 1.7 };
const tokens: BudgetStatus = { scope: 'run', unit: 'tokens', key: 'x', limit: 10_000, spent: 10_250 };
const unheld = 'No price is known for the model mystery-1.';

describe('budgets in the page', () => {
  const tests = PageTests.use();

  const open = (budget: BudgetAlerts, outcome: 'none' | 'stopped', theme: 'dark' | 'light' = 'dark') => {
    const { entries, turns } = createFullScript();
    const status = outcome === 'none' ? 'running' : 'stopped';
    const about = { entries: entries.length, budget, outcome, status } as const;
    return tests.open({ entries, view: view({ turns }, about) }, { theme });
  };

  it('say what paused a session, and how to raise it', async () => {
    const page = await open({ reached: { ...tokens, by: 'vitrine', at: '2026-01-02T10:00:00Z' } }, 'stopped');
    await page.locator('.status[data-s=paused]', { hasText: 'Paused: 10,250 of 10,000 tokens' }).waitFor();
    const bar = page.getByRole('status').filter({ hasText: 'Paused: the budget for this run is used up' });
    await bar.waitFor();
    await page.getByRole('button', { name: 'Raise Budget…' }).click();
    const sent = await page.evaluate(() => window.host.received.filter(({ type }) => type === 'command'));
    assert.deepEqual(sent, [{ type: 'command', command: 'raiseBudget' }]);
    assert.deepEqual(await findViolations(page), []);
    await page.close();
  });

  it('warn while an agent runs, and name limits without effect', async () => {
    const page = await open({ near: budgetStatus, unheld }, 'none', 'light');
    const bar = page.getByRole('status').filter({ hasText: 'nearly used up' });
    assert.equal(
      (await bar.locator('span').first().textContent())?.trim(),
      `The budget for today is nearly used up ($1.70 of $2.00). ${unheld}`,
    );
    assert.deepEqual(await findViolations(page), []);
    await page.close();
  });

  it('show nothing without a limit, and no raise without a near one', async () => {
    const page = await open({ unheld }, 'none');
    await page.getByText(unheld).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Raise Budget…' }).count(), 0);
    await page.evaluate((next) => window.host.setView(next), view());
    await page.getByText(unheld).waitFor({ state: 'detached' });
    await page.close();
  });
});
