import assert from 'node:assert/strict';
import type { LedgerCard } from '../../../src/protocol/panel/figureMessages.ts';
import { isFullSize } from '../../support/hostile/fuzz.ts';
import { view } from '../../support/page/madeUp.ts';
import { PageTests, show } from '../../support/page/open.ts';
import { findNoise, recordedSessions } from '../../support/captures/recordedSession.ts';

describe('page: recorded sessions', function () {
  const tests = PageTests.use();

  it('have no floating-point noise in texts, hovers and labels for screen readers', async () => {
    const page = await tests.open();
    const found: string[] = [];
    // Exports and entries are looked at for all of them; in a browser that takes minutes.
    const every = isFullSize ? 1 : 20;
    const sessions = (await recordedSessions()).filter((_, at) => at % every === 0);
    for (const { name, printed, entries, summary, turn, result } of sessions) {
      const ledger: LedgerCard = {
        models: result?.models ?? null,
        totalModels: result?.totalModels ?? null,
        runTurns: result?.runTurns ?? null,
        duration: result?.duration ?? null,
        apiDuration: result?.apiDuration ?? null,
        children: null,
        head: null,
      };
      await show(page, { view: { ...view({ turns: [turn] }), summary }, entries, ledger });
      const card = page.getByRole('dialog', { name: 'Cost of this session' });
      await page.locator('#cost').click();
      const total = card.locator('tr', { has: page.getByText('Total', { exact: true }) });
      await total.waitFor();
      const shown = await card.innerText();
      found.push(...findNoise(shown, printed).map((noise) => `${name}, cost card: ${noise}`));
      const amounts = await total.locator('td').allInnerTexts();
      for (const [at, of] of (['run', 'session'] as const).entries()) {
        // The header leaves out what no one reported.
        const [above = 'unknown'] = await page.locator(`header [data-of=${of}]`).allInnerTexts();
        if (above !== amounts[at] && above !== 'not reported')
          found.push(`${name}, ${of}: ${above} in the header, ${amounts[at] ?? ''} in the cost card`);
      }
      await page.keyboard.press('Escape');
      await card.waitFor({ state: 'detached' });
      for (const tab of ['Transcript', 'Trajectory']) {
        await page.getByRole('tab', { name: tab }).click();
        if (tab === 'Trajectory') await page.waitForSelector('.traj');
        const said = await page.evaluate(() => {
          const attributes = ['title', 'aria-label', 'aria-description', 'data-usd'];
          const elements = [...document.querySelectorAll(attributes.map((attribute) => `[${attribute}]`).join())];
          const labels = elements.flatMap((element) => attributes.map((name) => element.getAttribute(name) ?? ''));
          return [
            document.querySelector('main')?.textContent,
            document.querySelector('header')?.textContent,
            ...labels,
          ].join('\n');
        });
        found.push(...findNoise(said, printed).map((noise) => `${name}, ${tab}: ${noise}`));
      }
    }
    assert.deepEqual(found, []);
  });
});
