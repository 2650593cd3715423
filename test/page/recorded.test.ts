import assert from 'node:assert/strict';
import { view } from '../support/page/madeUp.ts';
import { PageTests, show } from '../support/page/open.ts';
import { noiseIn, recordedSessions } from '../support/recordedSession.ts';

describe('page: recorded sessions', function () {
  this.timeout(240_000);
  let tests: PageTests;
  before(async () => (tests = await PageTests.start()));
  after(() => tests.close());

  it('have no noise in any figure, in texts and in what is said of them on hover and to screen readers', async () => {
    const page = await tests.open();
    const found: string[] = [];
    // Exports and entries are looked at for all of them; in a browser that takes minutes.
    const sessions = (await recordedSessions()).filter((_, at) => at % 8 === 0);
    for (const { name, printed, entries, summary, turn } of sessions) {
      await show(page, { view: { ...view({ turns: [turn] }), summary }, entries });
      for (const tab of ['Transcript', 'Trajectory']) {
        await page.getByRole('tab', { name: tab }).click();
        if (tab === 'Trajectory') await page.waitForSelector('.traj');
        const said = await page.evaluate(() => {
          const attributes = ['title', 'aria-label', 'aria-description', 'data-usd'];
          const elements = [...document.querySelectorAll(attributes.map((each) => `[${each}]`).join())];
          const spoken = elements.flatMap((each) => attributes.map((name) => each.getAttribute(name) ?? ''));
          return [
            document.querySelector('main')?.textContent,
            document.querySelector('header')?.textContent,
            ...spoken,
          ].join('\n');
        });
        found.push(...noiseIn(said, printed).map((noise) => `${name}, ${tab}: ${noise}`));
      }
    }
    assert.deepEqual(found, []);
  });
});
