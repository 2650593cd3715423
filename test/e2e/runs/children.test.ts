import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { RecordStore } from '../../../src/engine/record/recordStore.ts';
import { eventsIn } from '../../../src/formats/events.ts';
import { parseRecordLine } from '../../../src/formats/record.ts';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import { extensionHosts } from '../../support/host/extensionHosts.ts';
import { daemonsIn } from '../../support/processes/daemons.ts';
import { type Scenarios, text, tool } from '../../support/models/scripts/scenario.ts';
import { Gate } from '../../support/gate.ts';
import { silentLog } from '../../support/silentLog.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { startClaudeHost, statusWord } from '../claudeHost.ts';
import { keepEvidence, picture, useWindow } from '../session.ts';

const start = (prompt: string, execution_mode: string) =>
  tool('mcp__vitrine__start_session', { agent_name: 'helper', prompt, execution_mode });

/** Opened when its parent was seen to be idle before it is done. */
const billRead = new Gate();

const scenarios = (): Scenarios => ({
  lead: [
    { blocks: [text('Two helpers look into it.'), start('Read the menu. [[menu]]', 'sync')] },
    { blocks: [start('Read the bill. [[bill]]', 'async_callback')] },
    { blocks: [text('The menu has been read; the bill is still being read.')] },
  ],
  menu: [{ blocks: [text('The menu has three teas.')] }],
  bill: [{ blocks: [text('Four guests get ten percent off. [[told]]')], pace: { after: billRead.opened } }],
  told: [{ blocks: [text('Three teas, and ten percent off for four guests.')] }],
  boss: [{ blocks: [start('Wait for me. [[wait]]', 'async_poll')] }, { hang: true }],
  wait: [{ hang: true }],
  later: [
    { blocks: [start('Sit. [[wait]]', 'async_callback')] },
    { blocks: [text('It sits.')] },
    { blocks: [text('What sat was cut off.')] },
  ],
});

describe('an agent file that starts child sessions', function () {
  keepEvidence();
  const host = useWindow((context) => startClaudeHost(context, { scenarios, asks: true }), { view: 'Vitrine' });

  const page = () => host.workbench.webview();
  const row = (title: string) => host.workbench.treeItem(title).first();
  const described = async (title: string): Promise<string> =>
    (await row(title).locator('.label-description').textContent()) ?? '';
  /** Empty while the row is drawn again elsewhere. */
  const label = async (title: string): Promise<string> =>
    (await row(title)
      .getAttribute('aria-label', { timeout: 1000 })
      .catch(() => null)) ?? '';
  const storeFolder = (): string => path.join(host.server.folder.root, 'user-data/User/globalStorage/vitrine.vitrine');
  const sessions = (): Promise<SessionSummary[]> =>
    new RecordStore(storeFolder(), { clock: Date.now, log: silentLog }).list();
  const usdOf = ({ total_cost }: SessionSummary): number => ('usd' in total_cost ? total_cost.usd : NaN);
  async function runLead(prompt: string): Promise<void> {
    await host.workbench.choose('Vitrine: Run Agent from File…', 'lead');
    await host.workbench.page.getByText('Prompt for the agent').waitFor();
    await host.workbench.quickInput().fill(prompt);
    await host.workbench.quickInput().press('Enter');
  }

  let hasRun = false;
  /** The session of the lead, in front; it ends after `billRead`. */
  async function openLead(): Promise<void> {
    if (!hasRun) await runLead('Look into menu and bill. [[lead]]');
    hasRun = true;
  }

  /** The lead and its children, after all of them have finished. */
  async function finishedLead(): Promise<{ all: SessionSummary[]; parent: SessionSummary }> {
    await openLead();
    billRead.open();
    return until('three sessions', async () => {
      const found = await sessions();
      const parent = found.find(({ prompt }) => prompt.startsWith('Look into'));
      const all = found.filter((session) =>
        [session.session_id, session.parent_session_id].includes(parent?.session_id),
      );
      const isFinished = all.length === 3 && all.every(({ status }) => status === 'finished') && parent?.runs === 2;
      return isFinished ? { all, parent } : undefined;
    });
  }

  it('is started by name, and its children appear below it while they run', async () => {
    await openLead();
    await row('Read the bill.').waitFor();
    for (const title of ['Read the menu.', 'Read the bill.']) {
      await until(`the level of ${title}`, async () => (await row(title).getAttribute('aria-level')) === '3');
      assert.match(await described(title), /^helper · /);
    }
    // It is idle, and what it started is still running.
    await until('the parent', async () => /, Finished, lead,/.test(await label('Look into')));
    await until('the menu', async () => /, Finished, helper,/.test(await label('Read the menu.')));
    await until('the bill', async () => /, Running, helper,/.test(await label('Read the bill.')));
    await picture(host.workbench, 'children-running');
    billRead.open();
  });

  it('is resumed with the result, marked as automatic', async () => {
    await finishedLead();
    await page().getByText('Three teas, and ten percent off for four guests.').first().waitFor();
    await statusWord(host.workbench, 'Finished');
    await page().locator('.turn .why', { hasText: 'Child result' }).first().waitFor();
    await page().getByText('1 automatic message hidden').first().waitFor();
    const tab = page().getByRole('tab', { name: 'Transcript' });
    assert.equal(await tab.getAttribute('title'), '1 follow-up or child result hidden');
    await picture(host.workbench, 'callback-hidden');
    await page().getByRole('button', { name: 'Show follow-ups and child results' }).click();
    await page().locator('.prompt .by', { hasText: 'Child result' }).first().waitFor();
    await page().locator('.prompt .by', { hasText: 'has ended' }).first().waitFor();
    assert.equal(await tab.getAttribute('title'), null);
    await picture(host.workbench, 'callback-shown');
  });

  it('has a total cost with its children, in row, hover and card', async () => {
    const { all, parent } = await finishedLead();
    const usd = all.reduce((sum, session) => sum + usdOf(session), 0);
    assert.ok(usd > usdOf(parent));
    const amount = `$${usd.toFixed(2)}`;
    const one = `lead · ${amount} with 2 child sessions`;
    await until('the row', async () => (await described('Look into')).startsWith(one));
    await host.workbench.hoverUntil(row('Look into'), `Cost with 2 child sessions: ${amount}`);
    await host.workbench.hover().filter({ hasText: 'in an automatic run' }).first().waitFor();
    await picture(host.workbench, 'children');
    await host.workbench.page.mouse.move(900, 500);
    await page().locator('#cost').click();
    await page().getByText('2 child sessions').waitFor();
    await page().getByText('Including child sessions').waitFor();
    await page().getByText(amount).first().waitFor();
    await picture(host.workbench, 'children-cost');
    await page().locator('#cost').press('Escape');
  });

  it('is described in the events of its record', async () => {
    const { all, parent } = await finishedLead();
    const children = all.filter(({ parent_session_id: id }) => id === parent.session_id);
    assert.deepEqual(children.map((child) => child.execution_mode).sort(), ['async_callback', 'sync']);
    const file = path.join(storeFolder(), 'sessions', parent.session_id, 'record.jsonl');
    const lines = readFileSync(file, 'utf8').trim().split('\n').map(parseRecordLine);
    const known = Readable.from(lines.flatMap(({ value }) => value ?? []));
    const outputs: string[] = [];
    const events: string[] = [];
    for await (const event of eventsIn(parent.session_id, known)) {
      if (event.event_type === 'post_tool') outputs.push(JSON.stringify(event));
      events.push([event.event_type, ...(event.event_type === 'message' ? [event.role] : [])].join(' '));
    }
    assert.match(outputs[0] ?? '', /The menu has three teas\./);
    const tools = ['pre_tool', 'post_tool', 'pre_tool', 'post_tool'];
    const first = ['session_start', 'message user', 'message assistant', ...tools, 'message assistant', 'session_stop'];
    assert.deepEqual(events, [...first, 'session_start', 'message user', 'message assistant', 'session_stop']);
  });

  it('offers to stop its children when it is stopped', async () => {
    await runLead('Be the boss. [[boss]]');
    await until('the child', async () => /, Running, helper,/.test(await label('Wait for me.')), 60_000);
    await page().getByRole('button', { name: 'Stop', exact: true }).first().click();
    const offer = host.workbench.notification('is stopped. A child session is still running.');
    await offer.waitFor();
    await statusWord(host.workbench, 'Stopped');
    await until('the child that goes on', async () => /, Running, helper,/.test(await label('Wait for me.')));
    await picture(host.workbench, 'children-stop');
    await host.workbench.showNotifications();
    await offer.getByRole('button', { name: 'Stop Child Sessions Too' }).click();
    await until('its end', async () => {
      // With nothing running in it, the row is drawn again among those of today, closed.
      const parent = row('Be the boss.');
      if ((await parent.getAttribute('aria-expanded')) === 'false') await parent.locator('.monaco-tl-twistie').click();
      return /, Stopped, helper,/.test(await label('Wait for me.'));
    });
  });

  it("gets a child's result after a restart if the daemon was killed before", async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    await runLead('Come back later. [[later]]');
    await page().getByText('It sits.').first().waitFor();
    await statusWord(host.workbench, 'Finished');
    await until('the child', async () => /, Running, helper,/.test(await label('Sit.')));
    const waiting = () => readdirSync(path.join(storeFolder(), 'callbacks'));
    await until('what waits to be told', () => waiting().length === 1);
    for (const pid of daemonsIn(host.server.folder.root)) process.kill(pid, 'SIGKILL');
    for (const pid of extensionHosts(host.server.folder.home)) process.kill(pid, 'SIGKILL');
    await host.workbench.page.reload({ waitUntil: 'domcontentloaded' });
    await host.workbench.ready();
    // Whether its panel was open is not kept where the host dies just then.
    await row('Come back later.').click();
    await page().getByText('What sat was cut off.').first().waitFor();
    await statusWord(host.workbench, 'Finished');
    await until('what waited to be gone', () => waiting().length === 0);
    const all = await until('the parent', async () => {
      const found = await sessions();
      return found.some(({ prompt, runs }) => prompt.startsWith('Come back later.') && runs === 2) ? found : undefined;
    });
    const parent = all.find(({ prompt }) => prompt.startsWith('Come back later.'));
    const child = all.find(({ parent_session_id: id }) => id === parent?.session_id);
    assert.deepEqual([parent?.runs, parent?.synthetic?.messages, child?.outcome], [2, 1, 'interrupted']);
    await page().getByText('1 automatic message hidden').first().waitFor();
    await picture(host.workbench, 'callback-after-restart');
  });
});
