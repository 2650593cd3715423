import * as assert from 'node:assert/strict';
import type { NormalizedEntry } from '../../src/model/entry.ts';
import { view } from '../support/page/madeUp.ts';
import { PageTests } from '../support/page/open.ts';

const answer = (annotations: NonNullable<NormalizedEntry['metadata']>['annotations']): NormalizedEntry => ({
  index: 0,
  timestamp: '2026-01-02T10:20:00Z',
  type: { kind: 'assistant_message' },
  content: 'Naïve 🚀 readers ask. AI adoption grew.',
  metadata: { sessionId: 's', model: null, annotations },
});

describe('sources of an answer', () => {
  let tests: PageTests;
  before(async () => (tests = await PageTests.start()));
  after(async () => {
    await tests.close();
  });
  afterEach(() => assert.deepEqual(tests.errors.splice(0), []));

  const open = (entry: NormalizedEntry) => tests.open({ entries: [entry], view: view({}, { entries: 1 }) });

  it('are numbered under it, with the words that they are for', async () => {
    const page = await open(
      answer([
        {
          kind: 'citation',
          url: 'https://example.com/ai',
          title: 'AI report',
          description: 'All of it',
          start_index: 21,
          end_index: 32,
        },
        { kind: 'citation', start_index: 0, end_index: 5, title: 'A dictionary' },
        { kind: 'trajectory', message: 'no source' },
      ]),
    );
    const sources = page.getByRole('list', { name: 'Sources' }).getByRole('listitem');
    assert.equal(await sources.count(), 2);
    assert.equal(await sources.first().locator('q').textContent(), 'AI adoption', 'by code points');
    assert.equal(await sources.nth(1).textContent(), 'A dictionaryNaïve');
    assert.equal(await sources.nth(1).getByRole('link').count(), 0);
    await sources.first().getByRole('link', { name: 'AI report' }).click();
    const sent = await page.evaluate(() => window.host.received.filter(({ type }) => type === 'openLink'));
    assert.deepEqual(sent, [{ type: 'openLink', url: 'https://example.com/ai' }]);
    await page.close();
  });

  it('lead nowhere but to pages, and are shown as they are', async () => {
    const page = await open(
      answer([
        { kind: 'citation', url: 'command:workbench.action.quit', title: 'Click \u202e me' },
        { kind: 'citation', url: 'javascript:alert(1)' },
        { kind: 'citation', title: '<img src=x onerror=alert(1)>', url: 'file:///etc/passwd' },
      ]),
    );
    const sources = page.getByRole('list', { name: 'Sources' });
    assert.equal(await sources.getByRole('listitem').count(), 3);
    assert.equal(await sources.locator('a, img').count(), 0);
    assert.doesNotMatch((await sources.textContent()) ?? '', /\u202e/);
    await page.close();
  });

  it('are none where the agent gave none', async () => {
    const page = await open(answer([]));
    await page.getByText('AI adoption grew.').waitFor();
    assert.equal(await page.getByRole('list', { name: 'Sources' }).count(), 0);
    await page.close();
  });
});
