import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findViolationsInThemes } from '../../support/page/axe.ts';
import { loadWithRequests, commandRequest, commit, planRequest, questionRequest } from '../../support/page/asking.ts';
import type { LoadOptions } from '../../support/page/fakeHost.ts';
import { PageTests } from '../../support/page/open.ts';
import { waitUntilDisabled, requestButton, waitUntilEnabled, sentMessages } from '../../support/page/requests.ts';

describe('forms during a run', () => {
  const tests = PageTests.use();
  const open = (load: LoadOptions, options: Parameters<PageTests['open']>[1] = {}): Promise<Page> =>
    tests.open(load, options);

  it('ask questions with suggestions and free answers, by keyboard, and send all answers at once', async () => {
    const page = await open(loadWithRequests([questionRequest()]));
    await page.getByRole('button', { name: 'Needs your answer', exact: true }).click();
    await page.locator('.what:focus').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    const runner = page.getByRole('group', { name: /Which test runner do you want/ });
    assert.equal(await runner.getByRole('radio', { name: 'node --test' }).isChecked(), true);
    assert.match(await runner.getByRole('radio', { name: 'Vitest' }).evaluate(describedBy), /Fast, and the project/);
    await waitUntilEnabled(page, 'Dismiss');
    await waitUntilDisabled(page, 'Answer');
    const folders = page.getByRole('group', { name: /Which folders/ });
    await folders.getByRole('checkbox', { name: 'test' }).check();
    await folders.getByRole('checkbox', { name: 'src/upload' }).check();
    await runner.getByRole('textbox').fill('tap');
    await page.waitForFunction(() => document.querySelector('input[type=radio]:checked') === null);
    await requestButton(page, 'Answer').click();
    assert.deepEqual(await sentMessages(page, 'answer'), [
      {
        type: 'answer',
        id: 'req-q',
        answer: {
          kind: 'answer',
          answers: ['tap', 'src/upload, test'],
        },
      },
    ]);
    await page.close();
  });

  it('keep an unfinished answer while the page is hidden', async () => {
    const load = loadWithRequests([questionRequest()]);
    const page = await open(load);
    await page.getByRole('radio', { name: 'Vitest' }).check();
    await page.waitForFunction(() => sessionStorage.getItem('made-up-state')?.includes('Vitest') === true);
    await page.reload();
    await page.evaluate((options) => window.host.load(options), load);
    await page.getByRole('radio', { name: 'Vitest' }).waitFor();
    assert.equal(await page.getByRole('radio', { name: 'Vitest' }).isChecked(), true);
    await page.close();
  });

  it('present a plan as Markdown, to approve or to send back with changes', async () => {
    const page = await open(loadWithRequests([planRequest()]));
    const body = page.getByRole('group', { name: 'Agent plan' });
    await body.locator('strong', { hasText: 'random source' }).waitFor();
    assert.equal(await body.locator('img, a').count(), 0);
    await waitUntilEnabled(page, 'Approve');
    await page.getByRole('textbox', { name: /^What should change/ }).fill('Keep the old API.');
    await requestButton(page, 'Keep Planning').click();
    assert.deepEqual(await sentMessages(page, 'answer'), [
      { type: 'answer', id: 'req-p', answer: { kind: 'deny', reason: 'Keep the old API.' } },
    ]);
    await page.close();
  });

  it('show all of a plan, including what Markdown hides or a message would truncate', async () => {
    const text = [
      '# Fix a typo',
      '[//]: # (then run curl)',
      '| a |\n|---|\n| x | in no column |',
      '```sh after the name\nls\n```',
      '[docs](https://evil.example/x "a title") ![alt](https://evil.example/y "another")',
      ...Array.from({ length: 500 }, (_, at) => `- item ${at}`),
    ].join('\n\n');
    const input = { plan: text, allowedPrompts: [{ tool: 'Bash', prompt: 'any' }] };
    const page = await open(loadWithRequests([planRequest({ plan: text, input })]));
    const body = page.getByRole('group', { name: 'Agent plan' });
    await body.getByText('item 499').waitFor();
    for (const part of [
      'then run curl',
      'in no column',
      'after the name',
      'https://evil.example/x a title',
      'https://evil.example/y another',
      'allowedPrompts',
    ]) {
      await body.getByText(part).waitFor();
    }
    assert.equal(await body.locator('.rest, img').count(), 0);
    await page.close();
  });

  it('show a permission bypass in the header at every width', async () => {
    for (const mode of ['bypassPermissions', 'yolo', 'danger-full-access', 'force']) {
      const page = await open(loadWithRequests([commandRequest(commit)], { summary: { permission_mode: mode } }), {
        width: 360,
      });
      const word = page.locator('.mode.bypass', { hasText: 'Bypasses permissions' });
      assert.ok(await word.isVisible());
      const box = await word.boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
      assert.ok(((await page.locator('.status .word').boundingBox())?.width ?? 0) > 60);
      await page.close();
    }
  });

  it('queue messages, unsend them, and send at once', async () => {
    const queued = [{ id: 7, text: 'And run the linter too.' }];
    const page = await open(loadWithRequests([], { conversation: { queued } }));
    const composer = page.getByRole('textbox', { name: 'Message to the agent' });
    assert.equal(
      await page.locator('#composer').getAttribute('placeholder'),
      'Queue a message for the end of this turn',
    );
    await composer.fill('first');
    await page.keyboard.press('Control+Enter');
    await composer.fill('second');
    await requestButton(page, 'Interrupt and Send').click();
    assert.deepEqual(await sentMessages(page, 'send'), [
      { type: 'send', text: 'first', how: 'queue' },
      { type: 'send', text: 'second', how: 'interrupt' },
    ]);
    await page
      .getByRole('list', { name: 'Queued for the end of this turn' })
      .getByText('And run the linter too.')
      .waitFor();
    await requestButton(page, 'Unsend').click();
    assert.deepEqual(await sentMessages(page, 'takeBack'), [{ type: 'takeBack', id: 7 }]);
    await composer.fill('begun');
    await page.evaluate(() => window.host.raw({ type: 'takenBack', text: 'And run the linter too.' }));
    await page.waitForFunction(() => sessionStorage.getItem('made-up-state')?.includes('too.\\n\\nbegun') === true);
    await page.evaluate(() => window.host.raw({ type: 'takenBack', text: null }));
    await page.getByText('Already sent; the message cannot be unsent').waitFor({ state: 'attached' });
    await page.close();
  });

  it('fit 360 px', async () => {
    for (const request of [commandRequest(commit), questionRequest(), planRequest()]) {
      const page = await open(loadWithRequests([request]), { width: 360, height: 700 });
      const overflow = await page.evaluate(() => {
        const scroller = document.querySelector('.scroll');
        return Math.max(
          document.documentElement.scrollWidth - window.innerWidth,
          (scroller?.scrollWidth ?? 0) - (scroller?.clientWidth ?? 0),
        );
      });
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      await page.close();
    }
  });

  it('pass axe in four themes', async () => {
    const requests = [commandRequest(commit), questionRequest({ callId: 'c2' }), planRequest({ callId: 'c3' })];
    const queued = [{ id: 1, text: 'And run the linter too.' }];
    const page = await open(loadWithRequests(requests, { conversation: { queued } }), { height: 1600 });
    await waitUntilEnabled(page, 'Approve');
    assert.deepEqual(await findViolationsInThemes(page), []);
    await page.close();
  });
});

function describedBy(element: Element): string {
  return document.getElementById(element.getAttribute('aria-describedby') ?? '')?.textContent.trim() ?? '';
}
