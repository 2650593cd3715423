import * as assert from 'node:assert/strict';
import { repeatTo } from '../../support/hostile/growing.ts';
import { createAttempt } from '../../support/hostile/markdown.ts';
import { Script, view } from '../../support/page/madeUp.ts';
import { waitForEnd, waitForFrames, PageTests, scrollTo, showRows } from '../../support/page/open.ts';

/** Pieces that take more elements than ordinary text of their length. */
const dense: Readonly<Record<string, string>> = {
  'task lists': '- [ ] a\n',
  'task lists with addresses': '- [ ] [a](b) a@b.c\n',
  'mail addresses': 'a@b.c ',
  'mail addresses in lines': 'a@b.c\n',
  links: '[a](b) ',
  'links that lead nowhere': '<a:b> ',
  'web addresses': 'www.a.b ',
  code: '`a` ',
  emphasis: '*a* ',
  images: '![a](b) ',
  'line breaks': 'a  \n',
  'nested lists': '- - - - a\n',
  'blocks of code': '```\na\n```\n',
  'rows of a table': `${'|a'.repeat(40)}|\n`,
};

describe('a message of many elements', () => {
  const tests = PageTests.use();

  async function open(text: string) {
    const script = new Script();
    script.turn('Go.');
    script.addMessage(text);
    script.addMessage('What came after.');
    const { entries, turns } = script;
    return await tests.open({ entries, view: view({ turns }, { entries: entries.length }) });
  }

  it('is drawn in rows with few elements, a few rows at a time', async () => {
    for (const [name, piece] of Object.entries(dense)) {
      const head = name.endsWith('table') ? `${piece}${'|-'.repeat(40)}|\n` : '';
      const page = await open(head + repeatTo(piece, 60_000));
      for (const share of [1, 0.5]) {
        await scrollTo(page, share);
        const rows = await page.evaluate(() =>
          [...document.querySelectorAll('.scroll .prose')].map((row) => row.querySelectorAll('*').length),
        );
        const all = rows.reduce((sum, row) => sum + row, 0);
        assert.ok(Math.max(...rows) <= 700 && all <= 6000, `${name}: ${all} in ${rows.join(' ')}`);
        if (share === 1) assert.equal(await page.getByText('What came after.').count(), 1);
      }
      await page.close();
    }
  }).timeout(300_000);

  it('is drawn from its end, and then whole without moving', async () => {
    const script = new Script();
    script.turn('Go.');
    script.addMessage(`The first words.\n\n${repeatTo('[a](b) ', 60_000)}\n\nThe last words.`);
    const { entries, turns } = script;
    const page = await tests.open();
    await page.evaluate((session) => window.host.keep(session), {
      entries,
      view: view({ turns }, { entries: entries.length }),
    });
    const first = await page.evaluate(async () => {
      const scroller = document.querySelector('.scroll') ?? document.body;
      const drawn = new Promise<{ text: string; elements: number }>((resolve) => {
        const observer = new MutationObserver(() => {
          if (scroller.querySelector('.prose') === null) return;
          observer.disconnect();
          resolve({ text: scroller.textContent, elements: scroller.querySelectorAll('*').length });
        });
        observer.observe(scroller, { childList: true, subtree: true });
      });
      window.host.begin();
      return await drawn;
    });
    assert.ok(first.text.includes('The last words.') && first.elements < 1000, `${first.elements} elements`);
    assert.ok(!first.text.includes('The first words.'));
    const last = page.getByText('The last words.');
    await page.waitForFunction(() => {
      const keys = [...document.querySelectorAll<HTMLElement>('.scroll .item')].map(({ dataset }) => dataset['key']);
      return keys.some((key) => /^e:\d+\.\d\d$/.test(key ?? ''));
    });
    await waitForEnd(page);
    assert.equal(await last.evaluate((element) => element.getBoundingClientRect().bottom < window.innerHeight), true);
    await scrollTo(page, 0);
    await page.getByText('The first words.').waitFor();
    await page.close();
  });

  it('shows a thought in parts, and finally all of it', async () => {
    const script = new Script();
    script.turn('Go.');
    script.think(`${repeatTo('- [ ] a\n', 20_000)}- [ ] the last\n`);
    const { entries, turns } = script;
    const page = await tests.open({ entries, view: view({ turns }, { entries: entries.length }) });
    await page.getByRole('button', { name: /^Thought/ }).click();
    const showMore = page.getByRole('button', { name: 'Show more' });
    const counts: number[] = [];
    for (;;) {
      await waitForFrames(page);
      counts.push(await page.locator('.thought *').count());
      if ((await showMore.count()) === 0) break;
      assert.equal(await page.getByText('the last').count(), 0);
      await showMore.press('Enter');
    }
    assert.equal(await page.getByText('the last').count(), 1);
    assert.ok(counts.length > 3 && (counts[0] ?? 0) < 1000, counts.join(' '));
    await page.close();
  });

  it('is shown to its end, even if short with many blocks', async () => {
    const page = await open(Array.from({ length: 90 }, (_, at) => `## Head ${at}`).join('\n'));
    const seen = new Set<string>();
    for (const share of [1, 0.8, 0.6, 0.4, 0.2, 0]) {
      await scrollTo(page, share);
      await waitForFrames(page);
      for (const head of await page.locator('.prose .md-h').allTextContents()) seen.add(head.trim());
    }
    assert.equal(seen.size, 90);
    await page.close();
  });

  it('keeps the end in view on a slow machine while the rest of it is drawn', async () => {
    for (const number of [11, 13, 892]) {
      const script = new Script();
      script.turn('Go.');
      script.addMessage(createAttempt(number, 16_000));
      script.addMessage('What came after.');
      const { entries, turns } = script;
      const page = await tests.open();
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 7 });
      await showRows(page, { entries, view: view({ turns }, { entries: entries.length }) });
      await page.waitForFunction(() => {
        const scroller = document.querySelector('.scroll');
        return scroller !== null && scroller.scrollHeight > 4 * scroller.clientHeight;
      });
      await waitForFrames(page, 5);
      await page.getByText('What came after.').waitFor();
      await page.close();
    }
  });
});
