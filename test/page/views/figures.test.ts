import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { LedgerCard, ResumeFacts } from '../../../src/protocol/panel/figureMessages.ts';
import { findViolationsInThemes } from '../../support/page/axe.ts';
import type { LoadOptions } from '../../support/page/fakeHost.ts';
import { createFullScript, view } from '../../support/page/madeUp.ts';
import { waitForEnd, waitForFrames, PageTests, scrollTo } from '../../support/page/open.ts';

const ledger: LedgerCard = {
  models: [{ model: 'claude-opus-5-5', input: 1200, output: 840, usd: 0.31 }],
  totalModels: [
    { model: 'claude-opus-5-5', input: 160_000, output: 9000, usd: 1.78 },
    { model: 'small-model', input: 4210, output: 120 },
  ],
  runTurns: 4,
  duration: 375_000,
  apiDuration: null,
  children: { count: 2, cost: { usd: 0.18, estimatedUsd: 0.02, unknown: 1 } },
  planLimits: [
    { name: '5 h', usedPercent: 42, resetsAt: '2026-11-27T10:00:00.000Z' },
    { name: '7 d', usedPercent: 7 },
  ],
  head: `0123456789abcdef${'9'.repeat(48)}`,
};

const resume: ResumeFacts = {
  lastActivity: new Date(Date.now() - 3 * 86_400_000).toISOString(),
  cold: { provenance: 'estimated', usd: 0.3565, priceTable: { name: 'prices', date: '2026-11-02' } },
  compactions: 1,
  background: ['npm run dev'],
  cutOff: 2,
  allowed: 1,
  known: true,
  here: { verdict: 'yes', word: 'Yes', reasons: ['The conversation is here.'] },
};

describe('figures of a session', () => {
  const tests = PageTests.use();

  const load = (overrides: Partial<LoadOptions> = {}, about: Parameters<typeof view>[1] = {}): LoadOptions => {
    const { entries, turns } = createFullScript();
    const context = { context_tokens: 71_300, context_window: 200_000 };
    return { entries, view: view({ turns }, { ...context, ...about }), ledger, ...overrides };
  };
  const open = async (options = load(), width = 852): Promise<Page> => tests.open(options, { width });
  const card = (page: Page) => page.getByRole('dialog', { name: 'Cost of this session' });
  const rows = (page: Page): Promise<string[][]> =>
    card(page)
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.trim())));

  it('open on hover, with all known figures and their provenance', async () => {
    const page = await open();
    await page.locator('#cost').hover();
    await card(page).getByText('small-model').waitFor();
    assert.deepEqual(await rows(page), [
      ['Input', '1,200', '164,210'],
      ['Output', '840', '9,120'],
      ['Cache read', '–', '1,204,000'],
      ['Cache write', '–', '88,000'],
      ['claude-opus-5-5', '$0.31', '$1.78'],
      ['small-model', '–', '4,330 tokens'],
      ['Total', '$0.31', '$1.87'],
      ['2 child sessions', '–', '≈ $0.18 + unknown'],
      ['Including child sessions', '–', '≈ $2.05 + unknown'],
      ['Turns', '4', '12'],
      ['Runs', '–', '2'],
      ['Duration', '1 min 36 s', '6 min 15 s'],
      ['API duration', '1 min 11 s', 'unknown'],
    ]);
    const text = await card(page).innerText();
    assert.match(text, /71,300 of 200,000 tokens \(36%\)/);
    assert.match(text, /Plan limits\s+5 h: 42% used, resets .*27.*\n7 d: 7% used\n/);
    assert.match(text, /This run: \$0\.31, reported by the agent/);
    await page.mouse.move(10, 500);
    await card(page).waitFor({ state: 'detached' });
    await page.close();
  });

  it('are up to date when opened again', async () => {
    const page = await open();
    await page.locator('#cost').hover();
    await card(page).getByText('small-model').waitFor();
    await page.keyboard.press('Escape');
    await card(page).waitFor({ state: 'detached' });
    const later = { ...ledger, totalModels: [{ model: 'a-later-model', input: 1 }] };
    await page.evaluate((options) => window.host.load(options), load({ ledger: later }));
    await page.locator('#cost').click();
    await card(page).getByText('a-later-model').waitFor();
    await page.close();
  });

  it('open by keyboard, lead to the report, and return the focus', async () => {
    const page = await open();
    await page.locator('#cost').focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'dialog');
    assert.equal(await page.locator('#cost').getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('Escape');
    await card(page).waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'cost');
    await page.keyboard.press('Enter');
    await card(page).getByText('Open cost report').click();
    assert.deepEqual(await page.evaluate(() => window.host.received.filter(({ type }) => type === 'command')), [
      { type: 'command', command: 'showCost' },
    ]);
    await page.close();
  });

  it('say what tokens and cost cover if that differs', async () => {
    const page = await open(load({ ledger: { ...ledger, tokensOf: 'last_call' } }));
    await page.locator('#cost').click();
    await card(page).getByText('Tokens cover only the last model call of each turn').waitFor();
    await page.close();
    const other = await open();
    await other.locator('#cost').click();
    await card(other).getByText('small-model').waitFor();
    assert.equal(await card(other).getByText('last model call').count(), 0);
    await other.close();
  });

  it('show how much is recorded, and can verify it', async () => {
    const page = await open();
    await page.locator('#cost').click();
    await card(page).getByText('0123456789abcdef', { exact: true }).waitFor();
    await card(page).getByRole('button', { name: 'Verify Session Record' }).click();
    assert.deepEqual(await page.evaluate(() => window.host.received.filter(({ type }) => type === 'command')), [
      { type: 'command', command: 'verify' },
    ]);
    await page.close();
  });

  it('mark missing figures as unknown, with the reason', async () => {
    const unknown = { provenance: 'unknown', reason: 'The agent did not report a cost.' } as const;
    const about = { cost: unknown, total_cost: unknown, usage: {}, total_usage: {}, duration: null, turns: null };
    const options = load(
      { ledger: { ...ledger, models: null, totalModels: null, runTurns: null, duration: null, children: null } },
      about,
    );
    const summary = { ...options.view.summary, context_window: null };
    delete summary.context_tokens;
    const page = await open({ ...options, view: { ...options.view, summary } });
    await page.locator('#cost').click();
    await card(page).getByText('The agent did not report a cost.').first().waitFor();
    const text = await card(page).innerText();
    assert.match(text, /Total\s+unknown\s+unknown/);
    assert.match(text, /unknown: the agent does not report context use/);
    assert.doesNotMatch(text, /\$0|\b0 tokens/);
    await page.close();
  });

  it('show the cost to resume at the end of an ended session', async () => {
    const page = await open(load({ resume }));
    const region = page.getByRole('region', { name: 'Resume this session?' });
    await region.waitFor();
    const text = await region.innerText();
    for (const part of [
      // The day may change while the suite runs.
      /[34] days ago, /,
      /71,300 of 200,000 tokens \(36%\)/,
      /Compacted once/,
      /≈ \$0\.36 before the first response/,
      /prices from 2026-11-02/,
      /Background command: npm run dev/,
      /2 interrupted calls/,
      /1 approval that applied only to the last run/,
    ]) {
      assert.match(text, part);
    }
    await page.waitForFunction(() => {
      const scroller = document.querySelector('.scroll');
      return scroller !== null && scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < 2;
    });
    await region.getByRole('button', { name: 'Resume' }).click();
    await page.waitForFunction(() => document.activeElement?.id === 'composer');
    await page.close();
  });

  it('are not shown for a recording, an import, or during a run', async () => {
    for (const about of [
      { recording: true },
      { imported: { format: 'acp', file: 'x', at: 'y', sha256: 'z' } as const },
    ]) {
      const page = await open(load({ resume }, about));
      await waitForFrames(page, 5);
      assert.equal(await page.locator('.rcard').count(), 0);
      assert.equal(await page.evaluate(() => window.host.received.some(({ type }) => type === 'getResume')), false);
      await page.close();
    }
  });

  it('follow the detail level, and count what is hidden', async () => {
    const page = await open(load({ detail: 'answers' }));
    await page
      .getByRole('button', { name: /^Hidden: .*steps/ })
      .first()
      .waitFor();
    assert.equal(await page.locator('[data-kind=command]').count(), 0);
    await waitForEnd(page);
    const hidden = page.getByRole('button', { name: /^Hidden: / }).last();
    await hidden.click();
    await page.locator('button[aria-expanded=true]').and(hidden).waitFor();
    await page.locator('.row[data-kind]:not([data-kind=fold])').first().waitFor();
    await page.getByRole('combobox', { name: 'Detail level' }).selectOption('everything');
    await page.waitForFunction(() => !document.body.innerText.includes('Hidden: '));
    assert.deepEqual(await page.evaluate(() => window.host.received.filter(({ type }) => type === 'keepDetail')), [
      { type: 'keepDetail', detail: 'everything' },
    ]);
    await page.getByRole('button', { name: /^Go to prompt/ }).click();
    await page.waitForFunction(() => window.host.received.some(({ type }) => type === 'pickPrompt'));
    await page.close();
  });

  it('show the age of each message, and its time on hover', async () => {
    const page = await open();
    const times = page.locator('.prose > .when, .prompt > .when');
    assert.match((await times.first().textContent()) ?? '', /ago|year|month/);
    assert.match((await times.first().getAttribute('title')) ?? '', /\b(?:20)?26\b/);
    await page.close();
  });

  it('are next to each message, with parts and provenance', async () => {
    const { entries, turns } = createFullScript();
    const [first = -1, second = -1, third = -1] = entries
      .filter(({ type }) => type.kind === 'assistant_message')
      .map(({ index }) => index);
    const priceTable = { name: 'prices', date: '2026-11-02' };
    const known = { model: 'claude-opus-5-5', usage: { input: 12, output: 300, cacheRead: 12_000 }, settled: true };
    const figures = {
      [first]: { ...known, cost: { provenance: 'estimated' as const, usd: 0.00412, priceTable } },
      [second]: { ...known, cost: { provenance: 'unknown' as const, reason: 'No price is known.' }, settled: false },
    };
    const page = await open({ entries, view: view({ turns }), figures });
    const of = (index: number) => page.locator(`[data-key="e:${index}"] .when`);
    await page.evaluate(() => document.querySelector('.scroll')?.scrollTo(0, 0));
    await of(first).locator('.used').waitFor();
    assert.match(await of(first).innerText(), /^12\.3K tokens · ≈ \$0\.0041 · /);
    const title = (await of(first).getAttribute('title')) ?? '';
    assert.match(title, /Cache read: 12,000/);
    assert.match(title, /about \$0\.0041, estimated with price table prices from 2026-11-02/);
    await of(second).scrollIntoViewIfNeeded();
    await of(second).locator('.used').waitFor();
    assert.match(await of(second).innerText(), /^at least 12\.3K tokens · cost unknown · /);
    await scrollTo(page, 1);
    await page.waitForFunction(
      (key) => document.querySelector(`[data-key="${key}"] .when`)?.getAttribute('title')?.includes('not reported per'),
      `e:${third}`,
    );
    assert.equal(await of(third).locator('.used').count(), 0);
    await page.screenshot({ path: 'test-results/message-figures.png' });
    await page.close();
  });

  it('are next to the call if a message has nothing else', async () => {
    const { entries, turns } = createFullScript();
    const call = entries.find(({ type }) => type.kind === 'tool_use')?.index ?? -1;
    const priceTable = { name: 'prices', date: '2026-11-02' };
    const cost = { provenance: 'estimated', usd: 0.0021, priceTable } as const;
    const figures = { [call]: { model: 'claude-opus-5-5', usage: { input: 9, output: 91 }, cost, settled: true } };
    const page = await open({ entries, view: view({ turns }), figures });
    await page.evaluate(() => document.querySelector('.scroll')?.scrollTo(0, 0));
    const row = page.locator(`[data-key="e:${call}"] .rb`);
    await row.locator('.used').waitFor();
    assert.equal(await row.locator('.used').innerText(), '100 tokens · ≈ $0.0021');
    assert.match((await row.locator('.used').getAttribute('title')) ?? '', /Output: 91/);
    assert.match((await row.locator('.sr').textContent()) ?? '', /^Step 1, .*\. Model: claude-opus-5-5\. Input: 9\./);
    await page.close();
  });

  it('stay while they are refreshed', async () => {
    const { entries, turns } = createFullScript();
    const first = entries.find(({ type }) => type.kind === 'assistant_message')?.index ?? -1;
    const cost = { provenance: 'unknown', reason: 'No price is known.' } as const;
    const figures = { [first]: { model: null, usage: { input: 9 }, cost, settled: false } };
    const page = await open({ entries, view: view({ turns }), figures });
    await page.evaluate(() => document.querySelector('.scroll')?.scrollTo(0, 0));
    const used = `[data-key="e:${first}"] .used`;
    await page.locator(used).waitFor();
    const changed = view({ turns }, { total_usage: { input: 9, output: 1 } });
    const times = await page.evaluate(
      async ({ next, selector, index }) => {
        const asked = () =>
          window.host.received.filter(
            (message) => message.type === 'getMessageFigures' && message.indexes.includes(index),
          ).length;
        const before = asked();
        window.host.setView(next);
        const seen = [];
        while (asked() === before) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          seen.push(document.querySelector(selector) !== null);
        }
        return seen;
      },
      { next: changed, selector: used, index: first },
    );
    assert.ok(times.length > 0 && times.every(Boolean));
    await page.close();
  });

  it('follow a message; if there are none, one note says so', async () => {
    const { entries, turns } = createFullScript();
    const first = entries.find(({ type }) => type.kind === 'assistant_message')?.index ?? -1;
    const cost = { provenance: 'unknown', reason: 'No price is known.' } as const;
    const figures = { [first]: { model: null, usage: { input: 9 }, cost, settled: true } };
    const reported = await open({ entries, view: view({ turns }), figures });
    await reported.evaluate(() => document.querySelector('.scroll')?.scrollTo(0, 0));
    const message = reported.locator(`[data-key="e:${first}"] .prose`);
    await message.locator(':scope > .sr').waitFor({ state: 'attached' });
    assert.match((await message.textContent()) ?? '', /Input: 9\. Cost: unknown/);
    assert.equal(await message.evaluate((prose) => prose.lastElementChild?.className), 'sr');
    await reported.close();
    const untold = await open({ entries, view: view({ turns }) });
    const list = untold.getByRole('tabpanel', { name: 'Transcript' });
    await untold.waitForFunction(() => document.querySelector('.scroll')?.getAttribute('aria-description') !== '');
    assert.equal(await list.getAttribute('aria-description'), 'Tokens and cost: not reported per message');
    assert.doesNotMatch((await list.textContent()) ?? '', /not reported per message/);
    await untold.close();
  });

  it('say whether a resume finds the conversation here, and why not', async () => {
    const here = {
      verdict: 'uncertain',
      word: 'Not certain',
      reasons: ['It was not found.', 'This is a CI job.'],
    } as const;
    const page = await open(load({ resume: { ...resume, here } }));
    const answer = page.locator('.rcard dt', { hasText: 'Will this resume here?' }).locator('+ dd');
    assert.equal(
      (await answer.innerText()).replaceAll(/\s+/g, ' ').trim(),
      'Not certain It was not found. This is a CI job.',
    );
    await page.locator('.rcard').getByRole('button', { name: 'Show Details' }).click();
    await page.waitForFunction(() =>
      window.host.received.some((message) => message.type === 'command' && message.command === 'checkResume'),
    );
    await page.close();
  });

  for (const width of [852, 360]) {
    it(`pass axe in four themes, ${width} px wide`, async () => {
      const page = await open(load({ resume }), width);
      await page.locator('.rcard').waitFor();
      await page.locator('#cost').click();
      await card(page).getByText('small-model').waitFor();
      const picture = (theme: string) => page.screenshot({ path: `test-results/figures-${theme}-${width}.png` });
      assert.deepEqual(await findViolationsInThemes(page, picture), []);
      await page.close();
    });
  }
});
