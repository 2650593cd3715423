import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findViolationsInThemes } from '../../support/page/axe.ts';
import { projectDir, Script, view } from '../../support/page/madeUp.ts';
import { countElements, waitForFrames, PageTests, show } from '../../support/page/open.ts';

const fence = '```';
const source = ['export function wait(attempt: number): string {', '  // why', "  return 'x' + 250;", '}'].join('\n');
const colours = [
  '\u001b[1;31m FAIL \u001b[0m src/\u001b[2mretry\u001b[22m.ts',
  '\u001b[42;30m PASS \u001b[0m \u001b[38;5;214mpalette\u001b[0m \u001b[38;2;10;20;30mexact\u001b[0m',
  ...[30, 31, 32, 33, 34, 35, 36, 37, 90, 91, 92, 93, 94, 95, 96, 97].map(
    (code) => `\u001b[${code}mcolour ${code}\u001b[0m`,
  ),
  '\u001b]0;a title\u0007\u001b[2K\u001b[4munder\u001b[24m\u001b[1A<img src=x onerror=alert(1)>',
].join('\n');

function session(): Script {
  const s = new Script();
  s.turn('Show code.');
  s.addMessage(`Here:\n\n${fence}ts\n${source}\n${fence}\n\nand no language:\n\n${fence}\nplain\n${fence}`);
  s.tool('Bash', { kind: 'command_run', command: 'npm test -- "a"', exitCode: 1, stdout: colours }, 1, {
    status: 'failed',
  });
  s.tool('Read', { kind: 'file_read', path: `${projectDir}/src/wait.ts` }, 1, {
    result: {
      text: source
        .split('\n')
        .map((line, at) => `${at + 1}→${line}`)
        .join('\n'),
    },
  });
  return s;
}

/** What is painted in one colour, in the order of the page. */
function painted(page: Page, group: string): Promise<string[]> {
  return page.evaluate((name) => {
    const texts = [...(CSS.highlights.get(`code-${name}`) ?? [])].map((part) => {
      const range = document.createRange();
      range.setStart(part.startContainer, part.startOffset);
      range.setEnd(part.endContainer, part.endOffset);
      return range;
    });
    texts.sort((a, b) => a.compareBoundaryPoints(Range.START_TO_START, b));
    return texts.map(String);
  }, group);
}

const isPainted = (page: Page, text: string, group = 'keyword') =>
  page.waitForFunction(
    ([wanted, name]) =>
      [...(CSS.highlights.get(`code-${name}`) ?? [])].some(
        (part) => part.startContainer.textContent?.slice(part.startOffset, part.endOffset) === wanted,
      ),
    [text, group] as const,
  );

describe('code and colors in the page', () => {
  const tests = PageTests.use();

  const open = (script: Script) =>
    tests.open({ entries: script.entries, view: view({ turns: script.turns }, { entries: script.entries.length }) });

  it('colors code by syntax, without additional elements', async () => {
    const page = await open(session());
    const rows = () => page.locator('.scroll *').count();
    const before = await rows();
    await isPainted(page, 'export');
    assert.deepEqual(await painted(page, 'keyword'), ['export', 'function', 'return']);
    assert.deepEqual(await painted(page, 'comment'), ['// why']);
    assert.deepEqual(await painted(page, 'number'), ['250']);
    assert.equal(await rows(), before);
    await page.close();
  });

  it('colors code when it is complete, not while it streams', async () => {
    const script = new Script();
    script.turn('Stream code.');
    const index = script.addMessage('');
    const page = await tests.open({ entries: script.entries, open: [index], view: view({ turns: script.turns }) });
    const text = `${fence}ts\nconst first = 1;\nconst second = 2;\n`;
    await page.evaluate(([at, part]) => window.host.update([{ op: 'append', index: at, text: part }]), [
      index,
      text,
    ] as const);
    await page.locator('.code', { hasText: 'second' }).waitFor();
    assert.equal(await page.locator('[data-code]').count(), 0);
    await page.evaluate(([at, part]) => window.host.update([{ op: 'append', index: at, text: part }]), [
      index,
      `${fence}\n\nThat was it.\n\nReally.`,
    ] as const);
    await isPainted(page, 'const');
    assert.deepEqual(await painted(page, 'keyword'), ['const', 'const']);
    await page.close();
  });

  it('shows output in its terminal colors, and runs nothing', async () => {
    const page = await open(session());
    await page.getByRole('button', { name: /npm test/ }).click();
    const term = page.locator('.term');
    await term.locator('.ansi').first().waitFor();
    const shown = (await term.textContent()) ?? '';
    assert.match(shown, /^ FAIL {2}src\/retry\.ts\n PASS {2}palette exact\n/);
    assert.ok(shown.endsWith('under<img src=x onerror=alert(1)>'), shown);
    assert.equal(await term.locator('img').count(), 0);
    assert.equal(await term.locator('.fg-red.bold').textContent(), ' FAIL ');
    assert.equal(await term.locator('.fg-bright-cyan').textContent(), 'colour 96');
    const ground = await term.getByText('PASS').evaluate((element) => getComputedStyle(element).backgroundColor);
    assert.equal(ground, 'rgb(13, 188, 121)');
    await isPainted(page, 'return');
    await isPainted(page, '"a"', 'string');
    await page.close();
  });

  it('limits the cost of colors', async () => {
    const script = new Script();
    script.turn('Many colours.');
    const lines = Array.from({ length: 3000 }, (_, n) => `\u001b[3${n % 8}mx`).join('');
    script.tool('Bash', { kind: 'command_run', command: 'rainbow', stdout: lines });
    const page = await open(script);
    await page.getByRole('button', { name: /rainbow/ }).click();
    await page.getByRole('button', { name: /^Show all [\d,]+ characters$/ }).click();
    await page.waitForFunction(() => (document.querySelector('.term')?.textContent ?? '') === 'x'.repeat(3000));
    await page.locator('.term .ansi').first().waitFor();
    assert.equal(await page.locator('.term .ansi').count(), 400);
    assert.ok((await countElements(page)) < 1000);
    await page.close();
  });

  it('has sufficient contrast in four themes', async () => {
    const page = await open(session());
    await page.getByRole('button', { name: /npm test/ }).click();
    await page.locator('.term .ansi').first().waitFor();
    await page.getByRole('button', { name: /wait\.ts/ }).click();
    await isPainted(page, 'export');
    await page.waitForFunction(() => (CSS.highlights.get('code-keyword')?.size ?? 0) >= 6);
    await waitForFrames(page, 3);
    const picture = (theme: string) => page.screenshot({ path: `test-results/code-${theme}.png` });
    assert.deepEqual(await findViolationsInThemes(page, picture), []);
    await page.close();
  });
});

describe('the code of the views', () => {
  const tests = PageTests.use();

  it('loads after the first screen, and a failure is shown', async () => {
    const { entries, turns } = session();
    const page = await tests.open();
    const asked: string[] = [];
    await page.route(/secondaryViews-.*\.js$/, async (route) => {
      asked.push(route.request().url());
      await route.abort();
    });
    assert.deepEqual(asked, []);
    await show(page, { entries, view: view({ turns }) });
    await page.locator('.row').first().waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByText('This view could not be loaded.').waitFor();
    assert.equal(asked.length, 1);
    tests.errors.splice(0);
    await page.close();
  });
});
