import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { createLongScript, Script, view } from '../../support/page/madeUp.ts';
import { waitForEnd, waitForFrames, PageTests, scrollTo } from '../../support/page/open.ts';

const at = '2026-01-02T10:20:00Z';
const reply = (index: number, content = ''): NormalizedEntry => ({
  index,
  timestamp: at,
  type: { kind: 'assistant_message' },
  content,
});

function paragraphs(chars: number): string {
  let text = '';
  for (let n = 0; text.length < chars; n++) {
    text += `## Part ${n}\n\nSome **bold** text with \`code\` that goes on for a while, so that it is a paragraph.\n\n- one\n- two\n\n\`\`\`ts\nconst n = ${n};\n\`\`\`\n\n`;
  }
  return text.slice(0, chars);
}

describe('streaming', () => {
  const tests = PageTests.use();

  const live = async (count = 60): Promise<Page> => {
    const { entries, turns } = createLongScript(count);
    const last = turns.length - 1;
    const page = await tests.open({
      entries,
      view: view(
        {
          turns: turns.map((turn, n) => (n === last ? { ...turn, status: 'running' } : turn)),
          can: { send: false, stop: true, resume: false },
          why: 'The agent is running.',
        },
        { status: 'running', outcome: 'none' },
      ),
    });
    await waitForFrames(page, 5);
    return page;
  };
  const open = (page: Page, entry: NormalizedEntry): Promise<void> =>
    page.evaluate((put) => window.host.update([{ op: 'put', entry: put, open: true }]), entry);

  it('appends to the open reply, and stays at the end if the reader is there', async () => {
    const page = await live();
    await open(page, reply(60));
    const text = `${paragraphs(6000)}The very end.`;
    await page.evaluate((all) => window.host.stream(60, all), text);
    await page.getByText('The very end.').waitFor();
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await waitForFrames(page, 5);
    await waitForEnd(page);
    await page.close();
  });

  it('does not move a reader who scrolled up', async () => {
    const page = await live();
    await scrollTo(page, 0.5);
    const before = await page.evaluate(() => document.querySelector('.scroll')?.scrollTop);
    await open(page, reply(60));
    await page.evaluate((all) => window.host.stream(60, all), paragraphs(6000));
    await waitForFrames(page, 5);
    assert.equal(await page.evaluate(() => document.querySelector('.scroll')?.scrollTop), before);
    await page.getByRole('button', { name: 'Go to the end' }).click();
    await waitForEnd(page);
    await page.close();
  });

  it('keeps the focus on a row while entries arrive', async () => {
    const page = await live();
    await page.locator('.rb').last().focus();
    const key = await page.evaluate(() => document.activeElement?.closest('[data-key]')?.getAttribute('data-key'));
    for (let index = 60; index < 140; index++) {
      await page.evaluate((entry) => window.host.update([{ op: 'put', entry }]), reply(index, `Reply ${index}`));
    }
    await page.getByText('Reply 139', { exact: true }).waitFor();
    await waitForFrames(page, 3);
    assert.equal(
      await page.evaluate(() => document.activeElement?.closest('[data-key]')?.getAttribute('data-key')),
      key,
    );
    await page.close();
  });

  it('shows that it follows the end', async () => {
    const page = await live();
    await waitForFrames(page, 5);
    const changes = await page.evaluate(async () => {
      const changed = new Set<string>();
      const note = (node: Node): void => {
        const button = (node instanceof Element ? node : node.parentElement)?.closest('.tools .btn');
        if (button !== null && button !== undefined) changed.add(button.getAttribute('title') ?? '');
      };
      const observer = new MutationObserver((records) => {
        for (const { target } of records) note(target);
      });
      observer.observe(document.body, { subtree: true, attributes: true });
      const timestamp = '2026-01-02T10:20:00Z';
      for (let index = 60; index < 66; index++) {
        const content = `Reply ${index}\n\nwith\n\nmore than a line.`;
        const entry = { index, timestamp, type: { kind: 'assistant_message' }, content } as const;
        window.host.update([{ op: 'put', entry }]);
        for (let frame = 0; frame < 4; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      observer.disconnect();
      return [...changed];
    });
    assert.deepEqual(changes, []);
    await page.close();
  });

  /** Keeps in `said` each text that the polite region has had from now on. */
  const listen = (page: Page): Promise<void> =>
    page.evaluate(() => {
      const region = document.querySelector('[data-part=polite]');
      const said: string[] = [];
      Object.assign(window, { said });
      if (region !== null)
        new MutationObserver(() => said.push(region.textContent)).observe(region, {
          childList: true,
          subtree: true,
          characterData: true,
        });
    });
  const said = async (page: Page): Promise<unknown> => {
    await page.waitForFunction(() => (Reflect.get(window, 'said') as string[]).length > 0);
    await waitForFrames(page, 5);
    return page.evaluate(() => Reflect.get(window, 'said') as unknown);
  };

  it('announces each reply once, when complete', async () => {
    const page = await live();
    await listen(page);
    await open(page, reply(60));
    await page.evaluate(() => window.host.stream(60, 'All **four** tests pass now.', 4, 1));
    assert.deepEqual(await said(page), ['Agent: All four tests pass now.']);
    await page.close();
  });

  it('announces all replies that arrive at once, except withdrawn ones', async () => {
    const page = await live();
    await listen(page);
    const replies = [
      reply(60, 'I look.'),
      { ...reply(61, 'Never'), metadata: { aborted: true } },
      reply(62, 'It is mended.'),
    ];
    await page.evaluate((all) => window.host.update(all.map((entry) => ({ op: 'put', entry }))), replies);
    assert.deepEqual(await said(page), ['Agent: I look.\nAgent: It is mended.']);
    await page.close();
  });

  it('sends the next batch only after the last one is drawn, and each text about once', async () => {
    const page = await live();
    await open(page, reply(60));
    await waitForFrames(page, 3);
    const text = paragraphs(30_000);
    const posted = await page.evaluate(async (all) => {
      const before = window.host.posted.bytes;
      await window.host.stream(60, all);
      return window.host.posted.bytes - before;
    }, text);
    assert.ok(posted <= 1.5 * text.length, `${posted} characters for ${text.length}`);
    await page.close();
  });

  it('changes no more elements per piece at the end of a long reply than at its start', async () => {
    const page = await live();
    const touched = async (index: number, chars: number): Promise<number> => {
      await open(page, reply(index));
      return page.evaluate(
        async ({ index: to, all }) => {
          let nodes = 0;
          const observer = new MutationObserver((records) => {
            for (const { addedNodes, removedNodes } of records) nodes += addedNodes.length + removedNodes.length;
          });
          observer.observe(document.body, { childList: true, subtree: true });
          await window.host.stream(to, all, 20, 200);
          observer.disconnect();
          return nodes;
        },
        { index, all: paragraphs(chars) },
      );
    };
    const one = await touched(60, 50_000);
    const four = await touched(61, 200_000);
    assert.ok(one > 0 && four <= 5 * one, `${four} nodes for 200 KB, ${one} for 50 KB`);
    await page.close();
  }).timeout(90_000);

  it('shows running tools, and their end', async () => {
    const page = await live();
    const script = new Script();
    script.tool('Bash', { kind: 'command_run', command: 'npm test' });
    const done = { ...script.entries[0]!, index: 60 };
    const tool = done.type.kind === 'tool_use' ? done.type.tool : undefined;
    const running = { ...done, type: { kind: 'tool_use', tool: { ...tool!, status: 'running', endedAt: undefined } } };
    await page.evaluate((entry) => window.host.update([{ op: 'put', entry: entry as never, open: true }]), running);
    const row = page.locator('.rb', { hasText: 'npm test' });
    await row.locator('.spin').waitFor();
    assert.match((await row.locator('.sr').textContent()) ?? '', /Running, npm test, running$/);
    await page.evaluate((entry) => window.host.update([{ op: 'put', entry }]), done);
    await row.locator('.codicon-check').waitFor();
    await page.close();
  });
});
