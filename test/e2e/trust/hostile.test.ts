import assert from 'node:assert/strict';
import { createServer, type Server as HttpServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, ConsoleMessage } from 'playwright-core';
import { isFullSize } from '../../support/hostile/fuzz.ts';
import { payloads, ran } from '../../support/hostile/payloads.ts';
import { type HostileSession, seedHostile } from '../../support/hostile/session.ts';
import { node24 } from '../../support/host/install/node24.mjs';
import { writeMachineSettings } from '../../support/host/settings.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { until } from '../../support/until.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

/** What stands beside the texts of a session on screen: of these nothing may come from it. */
const inert =
  'script, iframe, object, embed, img, video, audio, link, style, meta, base, form:not(.comp), svg, math, template';

/** Ordinary runs look at every second row, in its hover or in its panel. */
const step = isFullSize ? 1 : 2;

describe('a session full of hostile text', function () {
  keepEvidence();
  let listener: HttpServer;
  let context: BrowserContext;
  let outside: string[];
  let workbench: Workbench;
  let sessions: HostileSession[];
  /** What an agent asks for that does its worst. */
  let wanted: string;
  /** Made when a command may end. */
  let go: string;
  /** What reached the server that the payloads name. */
  const receivedRequests: string[] = [];
  /** What the browser refused: a policy that had to step in means that something got through to it. */
  const refused: string[] = [];

  before(async () => {
    listener = createServer((request, response) => {
      receivedRequests.push(request.url ?? '');
      response.end();
    });
    listener.on('connection', (socket) => receivedRequests.push(`connection from ${socket.remotePort ?? 0}`));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    assert.ok(typeof address === 'object' && address !== null);
    const host = `127.0.0.1:${address.port}`;
    const server = await startHost();
    sessions = await seedHostile(
      server.folder,
      payloads.map(({ name, text }) => ({ name, text: text.replaceAll('{HOST}', host) })),
    );
    wanted = `rm \u202Egpj.x [x](command:workbench.action.quit) [y](http://${host}/n) $(trash)`;
    go = path.join(server.folder.root, 'looked-away');
    const agent = path.resolve('test/support/acpAgent/agent.mjs');
    const fake = { id: 'fake', label: 'Fake', command: node24, args: [agent] };
    // Read when a window opens.
    writeMachineSettings(server.folder.root, { 'vitrine.acp.agents': [fake] });
    ({ context, outside } = await newProfile({ width: 1280, height: 1000 }));
    context.on('console', (message: ConsoleMessage) => {
      const text = message.text();
      if (!text.includes('Content Security Policy')) return;
      if (text.includes(host) || /inline script|event handler|javascript:/.test(text)) refused.push(text);
    });
    context.on('request', (request) => {
      if (request.url().includes(host)) outside.push(request.url());
    });
    workbench = await openWindow(server, context);
    await workbench.openView('Vitrine');
  });
  after(async () => {
    await (context as BrowserContext | undefined)?.close();
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
  });

  afterEach(async () => {
    assert.deepEqual(outside, []);
    assert.deepEqual(receivedRequests, []);
    assert.deepEqual(refused, []);
    for (const frame of workbench.page.frames()) {
      assert.equal(await frame.evaluate((name) => name in globalThis, ran), false, `a script ran in ${frame.url()}`);
    }
    // A command that a payload names would have taken it away.
    assert.equal(await workbench.page.locator('.part.sidebar').isVisible(), true);
    assert.equal(await workbench.page.locator('.part.sidebar .codicon-trash, .label-name .codicon').count(), 0);
  });

  const page = () => workbench.webview();
  const rows = () => workbench.page.locator('.part.sidebar [role=treeitem][aria-level="2"]');
  /** Nothing on screen but what Vitrine draws; links lead to the host, which asks. */
  const assertInert = async (place: string): Promise<void> => {
    const found = await page()
      .locator('#app')
      .evaluate((root, forbidden) => {
        const elements = [...root.querySelectorAll(forbidden)].map((element) => element.outerHTML.slice(0, 100));
        const handlers = [...root.querySelectorAll('*')].flatMap((element) =>
          element.getAttributeNames().filter((name) => /^on|^srcdoc$|^formaction$|^srcset$/.test(name)),
        );
        const links = [...root.querySelectorAll('[href]')]
          .map((element) => element.getAttribute('href') ?? '')
          .filter((href) => !href.startsWith('#'));
        const urls = [...root.querySelectorAll<HTMLElement>('[data-url]')]
          .map((element) => element.dataset['url'] ?? '')
          .filter((url) => !/^https?:\/\//.test(url));
        return [...elements, ...handlers, ...links, ...urls];
      }, inert);
    assert.deepEqual(found, [], place);
  };

  it('is listed, and described in a hover, as text', async () => {
    await rows().nth(payloads.length).waitFor();
    const count = await rows().count();
    assert.equal(count, payloads.length + 1);
    for (let at = 0; at < count; at += step) {
      const label = (await rows().nth(at).locator('.label-name').textContent()) ?? '';

      assert.doesNotMatch(label, /[\p{Cc}\p{Cf}]/u);
      await workbench.hoverUntil(rows().nth(at), 'Status:');
      const hover = workbench.hover().filter({ hasText: 'Status:' }).first();
      assert.equal(await hover.locator('a, img, .codicon').count(), 0, label);
      await workbench.page.mouse.move(700, 500);
      await hover.waitFor({ state: 'detached' });
    }
    await picture(workbench, 'hostile-list');
  });

  it('appears in a quick pick and a dialog as text', async () => {
    await workbench.runCommand('Vitrine: Copy…');
    const picks = workbench.page.locator('.quick-input-widget .quick-input-list');
    await picks.locator('.monaco-list-row').first().waitFor();
    assert.equal(await picks.locator('.label-name .codicon, .label-name a').count(), 0);
    await picture(workbench, 'hostile-pick');
    await workbench.page.keyboard.press('Escape');
  });

  it('has its name in tab and heading as text', async () => {
    for (let at = isFullSize ? 0 : 1; at < (await rows().count()); at += step) {
      await rows().nth(at).click();
      await page().locator('main[aria-busy=false] h1').waitFor();
      await page().locator('.row, .prompt').first().waitFor();
      // The page of the row before may still be the newest one, and disappear meanwhile.
      await until(`a page that stays, of row ${at}`, () =>
        assertInert(`title ${at}`).then(
          () => true,
          (error: unknown) => {
            if (!/Frame was detached/.test(String(error))) throw error;
            return false;
          },
        ),
      );
      assert.equal(await workbench.page.locator('.part.editor .tab .label-name .codicon').count(), 0);
    }
    await workbench.closeEditors();
  });

  it('shows all of it, expanded and in every view, as text', async () => {
    // A tall window: every screen of it is looked at.
    await workbench.page.setViewportSize({ width: 1280, height: 4000 });
    await workbench.treeItem('Everything').click();
    await page().locator('main[aria-busy=false] h1', { hasText: 'Everything' }).waitFor();
    // From the end to the beginning, every row opened as it comes into sight.
    for (let screens = 0, opened = 0; ; screens += 1) {
      opened += await page()
        .locator('.scroll')
        .evaluate(async (scroller) => {
          const closed = [...scroller.querySelectorAll<HTMLElement>('.rb[aria-expanded=false]')];
          for (const row of closed) row.click();
          for (const element of scroller.querySelectorAll<HTMLElement>('.typed + button, .showall')) element.click();
          for (let n = 0; n < 2; n++) await new Promise((resolve) => requestAnimationFrame(resolve));
          return closed.length;
        });
      await assertInert(`screen ${screens}`);
      const atStart = await page()
        .locator('.scroll')
        .evaluate(async (scroller) => {
          const before = scroller.scrollTop;
          scroller.scrollTop = Math.max(0, before - scroller.clientHeight * 0.9);
          const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
          const sight = scroller.getBoundingClientRect();
          const isUnread = (): boolean =>
            [...scroller.querySelectorAll('.unread')].some((gap) => {
              const { top, bottom } = gap.getBoundingClientRect();
              return bottom > sight.top && top < sight.bottom;
            });
          for (let n = 0; n < 2 || isUnread(); n++) await frame();
          return before === 0;
        });
      if (!atStart) continue;
      assert.ok(opened >= 9 * payloads.length, `${opened} rows were opened`);
      break;
    }
    await workbench.page.setViewportSize({ width: 1280, height: 1000 });
    await picture(workbench, 'hostile-transcript');
    for (const tab of ['Trajectory', 'Files', 'Sources']) {
      await page().getByRole('tab', { name: tab }).click();
      await page().locator('.view .trow, .view .frow, .view .srct tbody tr').first().waitFor();
      await assertInert(tab);
      await picture(workbench, `hostile-${tab.toLowerCase()}`);
    }
  });

  it('shows evidence as text, and opens links only after confirmation', async () => {
    await workbench.treeItem('Everything').click();
    await page().locator('h1', { hasText: 'Everything' }).waitFor();
    await page().getByRole('tab', { name: 'Sources' }).click();
    const names = page().locator('.srct .obj');
    await names.first().waitFor();
    const count = Math.min(await names.count(), 40);
    assert.ok(count > 10, `${count} sources`);
    for (let at = 0; at < count; at += 1) {
      await names.nth(at).click();
      await page().getByRole('dialog').waitFor();
      await assertInert(`card ${at}`);
      await page().locator('.title, h1').first().hover();
      await workbench.page.keyboard.press('Escape');
    }
    // The link of that name stands in what was thought.
    await workbench.treeItem('https://vitrine.example/safe').click();
    await page().locator('h1', { hasText: 'vitrine.example' }).waitFor();
    await page().locator('.row[data-kind=thought] .rb').click();
    await page().locator('.thought [data-url$="/evil"]').click();
    await workbench
      .dialog()
      .getByText(/127\.0\.0\.1:\d+\/evil/)
      .waitFor();
    await workbench.dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  it('appears in a notification as text', async () => {
    await workbench.treeItem('Everything').click();
    await page().locator('h1', { hasText: 'Everything' }).waitFor();
    await page().getByRole('tab', { name: 'Files' }).click();
    await page().locator('.frow:not(.grp)').first().waitFor();
    const buttons = page().getByRole('button', { name: 'Open file', includeHidden: true });
    const clicked = await buttons.evaluateAll((all) => {
      const some = all.slice(0, 20);
      for (const element of some) if (element instanceof HTMLElement) element.click();
      return some.length;
    });
    assert.ok(clicked > 10, `${clicked} files`);
    await workbench.notification('does not exist').first().waitFor();
    await workbench.runCommand('Notifications: Show Notifications');
    const list = workbench.page.locator('.notifications-center .notification-list-item-message');
    await list.first().waitFor();
    assert.equal(await list.locator('a, .codicon').count(), 0);
    await picture(workbench, 'hostile-notifications');
    assert.equal(sessions.length, payloads.length + 1);
  });

  it('requests approval as text, in page, lists and notification', async () => {
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.closeEditors();
    const call = { toolCallId: 'c', kind: 'execute', title: wanted, rawInput: { command: wanted, cwd: wanted } };
    await workbench.choose('Vitrine: Run Agent…', 'Fake');
    await workbench.page.getByPlaceholder('Prompt').waitFor();
    // Until one looks elsewhere: of what comes in sight no one is told.
    const args = ['-c', `until [ -e ${go} ]; do sleep 0.1; done`];
    const begin = { method: 'terminal/create', params: { command: 'sh', args }, keep: 'terminalId' };
    const wait = { method: 'terminal/wait_for_exit', params: { terminalId: '$terminalId' } };
    const steps = [{ say: wanted }, { request: begin }, { request: wait }, { ask: { call } }];
    await workbench.quickInput().fill(JSON.stringify(steps));
    await workbench.quickInput().press('Enter');
    await page().locator('.ask pre', { hasText: 'sleep 0.1' }).first().waitFor();
    await page().locator('.ask vscode-button:not(.unready)', { hasText: 'Allow Once' }).click();
    await page().locator('.row[data-kind=request] .rb', { hasText: 'Allowed once by you' }).waitFor();
    await workbench.closeEditors();
    writeFileSync(go, '');

    const notification = workbench.notification('needs you. ').first();
    await notification.waitFor();
    const message = notification.locator('.notification-list-item-message');
    assert.deepEqual(await message.locator('a').allTextContents(), ['Review']);
    assert.equal(await message.locator('.codicon').count(), 0);
    const shown = (await message.textContent()) ?? '';
    assert.ok(shown.includes('rm ⟨U+202E⟩gpj.x [x] (command:workbench.action.quit)'), shown);
    assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}]/u);
    await picture(workbench, 'hostile-request');

    const row = workbench.page.locator('.part.sidebar [role=treeitem]').filter({ hasText: 'U+202E' }).first();
    assert.equal(
      await row.locator('img, .label-name :is(a, .codicon), .label-description :is(a, .codicon)').count(),
      0,
    );
    await workbench.hoverUntil(row, 'Status:');
    const hover = workbench.hover().filter({ hasText: 'Status:' }).first();
    assert.equal(await hover.locator('a, img, .codicon').count(), 0);
    await workbench.page.mouse.move(700, 500);
    await hover.waitFor({ state: 'detached' });
    const item = workbench.statusBarItem('1 needs you');
    await item.waitFor();
    assert.equal(await item.locator('.codicon').count(), 1);
    assert.equal(await item.locator('.codicon-shield').count(), 1);

    await message.getByText('Review').click();
    const ask = page().locator('.ask');
    await ask.locator('pre .esc', { hasText: 'U+202E' }).waitFor();
    await ask.locator('.why .esc', { hasText: 'U+202E' }).waitFor();
    assert.equal(await ask.locator('pre').first().textContent(), wanted.replace('\u202E', 'U+202E'));
    await assertInert('a request');
    await ask.locator('vscode-button:not(.unready)', { hasText: 'Deny' }).click();
    await page().locator('.row[data-kind=request] .rb', { hasText: 'Denied by you' }).waitFor();
    await item.waitFor({ state: 'detached' });
  });
});
