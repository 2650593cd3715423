import * as assert from 'node:assert/strict';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { ResumeFacts } from '../../../src/protocol/panel/figureMessages.ts';
import { said } from '../../support/sessions/madeEntries.ts';
import { findViolationsInThemes } from '../../support/page/axe.ts';
import { createFullScript, view } from '../../support/page/madeUp.ts';
import { waitForFrames, PageTests } from '../../support/page/open.ts';
import { sentMessages } from '../../support/page/requests.ts';

const resume: ResumeFacts = {
  lastActivity: new Date(Date.now() - 60_000).toISOString(),
  cold: { provenance: 'unknown', reason: 'no price' },
  compactions: 0,
  background: [],
  cutOff: 0,
  allowed: 0,
  known: true,
  here: { verdict: 'yes', word: 'Yes', reasons: ['The conversation is here.'] },
};

describe('automatic messages', () => {
  const tests = PageTests.use();

  const script = createFullScript();
  const from = script.entries.length;
  const passages = [{ session_id: 'ses_0123456789ab', entry: 3, title: 'Earlier <b>work</b>', by: 'agent', at: '' }];
  const note = (index: number, origin: NormalizedEntry['origin']): NormalizedEntry => ({
    ...said(index, 'Before the message, Vitrine gave the agent 1 passage.\n\nTea it was.'),
    type: { kind: 'system_message', subtype: 'recall' },
    origin,
    metadata: { recall: { query_source: 'last_real_user_message', passages } },
  });
  const entries: readonly NormalizedEntry[] = [
    ...script.entries,
    { ...said(from, 'Any news?', 'user_message'), origin: 'follow_up', metadata: { synthetic: true } },
    note(from + 1, 'system'),
    note(from + 2, undefined),
    { ...said(from + 3, 'A session has ended.', 'user_message'), origin: 'callback', metadata: { synthetic: true } },
    said(from + 4, 'Good.'),
  ];
  const open = (width = 852) =>
    tests.open(
      {
        entries,
        view: view(
          { turns: script.turns, followUpAt: new Date(Date.now() + 600_000).toISOString() },
          { runs: 3, turns: 5, synthetic: { messages: 2, runs: 2, turns: 2 }, entries: entries.length },
        ),
        resume,
      },
      { width },
    );

  it('are not counted until shown, and the tab says how many are hidden', async () => {
    const page = await open();
    const tab = page.getByRole('tab', { name: 'Transcript' });
    await page.getByText('1 automatic message hidden').first().waitFor();
    assert.match(await tab.innerText(), new RegExp(`\\b${entries.length - 2}$`));
    assert.equal(await tab.getAttribute('title'), '2 follow-ups and child results hidden');
    await page.getByRole('button', { name: 'Show follow-ups and child results' }).click();
    await page.locator('.prompt', { hasText: 'Any news?' }).getByText('Follow-up').waitFor();
    await page.locator('.prompt', { hasText: 'A session has ended.' }).getByText('Child result').waitFor();
    assert.match(await tab.innerText(), new RegExp(`\\b${entries.length}$`));
    assert.equal(await tab.getAttribute('title'), null);
    await page.close();
  });

  it('are listed on the card of a session, with pending follow-ups', async () => {
    const page = await open();
    const region = page.getByRole('region', { name: 'Resume this session?' });
    await region.getByText('1 run · 3 turns · 2 automatic runs').waitFor();
    await region.getByText('Vitrine will send a follow-up automatically: ').waitFor();
    await region.getByRole('button', { name: 'Cancel Follow-up' }).click();
    await page.waitForFunction(() =>
      window.host.received.some((message) => message.type === 'command' && message.command === 'cancelFollowUp'),
    );
    await page.close();
  });

  it('are cancelled when the user writes, with one notice for each', async () => {
    const due = (minutes?: number) => {
      const at = new Date(Date.now() + (minutes ?? 0) * 60_000).toISOString();
      const notice = { severity: 'info', text: `State ${minutes}` } as const;
      return view({ notice, ...(minutes !== undefined && { followUpAt: at }) });
    };
    const page = await tests.open({ entries: [said(0, 'Tea or coffee?')], view: due(10) });
    const reported = async (): Promise<number> => {
      await waitForFrames(page);
      return (await sentMessages(page, 'typing')).length;
    };
    const toldAfter = async (next: ReturnType<typeof view>): Promise<number> => {
      await page.evaluate((changed) => window.host.setView(changed), next);
      await page.getByText(next.notice?.text ?? '', { exact: true }).waitFor();
      return reported();
    };
    const composer = page.getByRole('textbox', { name: 'Message to the agent' });
    await composer.pressSequentially('Coffee');
    assert.equal(await reported(), 1, 'not once a key');
    assert.equal(await toldAfter(due()), 1);
    assert.equal(await toldAfter(due(20)), 2, 'due while somebody is writing');
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    assert.equal(await toldAfter(due(30)), 2, 'a draft that nobody is at');
    await composer.pressSequentially(', please');
    assert.equal(await reported(), 3, 'and that somebody resumes');
    await page.close();
  });

  it("link from Vitrine's own note to their source, and from no other text", async () => {
    const page = await open();
    const notes = page.locator('.row', { hasText: 'Context from earlier sessions' });
    await notes.first().waitFor();
    assert.equal(await notes.count(), 1);
    const others = page.locator('.row', { hasText: 'Before the message', hasNotText: 'Context from earlier sessions' });
    await others.locator('button.rb').click();
    await others.locator('.detail').waitFor();
    await notes.locator('button.rb').click();
    const links = page.getByRole('list', { name: 'Passages from earlier sessions' });
    await links.first().waitFor();
    assert.equal(await links.count(), 1);
    await links.getByRole('button', { name: 'Earlier <b>work</b> entry 3' }).click();
    const sent = await page.evaluate(() => window.host.received.filter(({ type }) => type === 'openRecalled'));
    assert.deepEqual(sent, [{ type: 'openRecalled', index: from + 1, passage: 0 }]);
    await page.close();
  });

  for (const width of [852, 360]) {
    it(`pass axe in four themes, ${width} px wide`, async () => {
      const page = await open(width);
      await page.getByRole('button', { name: 'Show follow-ups and child results' }).click();
      await page.locator('.row', { hasText: 'Context from earlier sessions' }).first().locator('button.rb').click();
      await page.getByRole('list', { name: 'Passages from earlier sessions' }).waitFor();
      const picture = (theme: string) => page.screenshot({ path: `test-results/synthetic-${theme}-${width}.png` });
      assert.deepEqual(await findViolationsInThemes(page, picture), []);
      await page.close();
    });
  }
});
