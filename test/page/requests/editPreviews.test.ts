import * as assert from 'node:assert/strict';
import { previewEdits } from '../../../src/insight/files/preview/previewEdits.ts';
import type { FileText } from '../../../src/model/transcript/editPreview.ts';
import { loadWithRequests, commandRequest } from '../../support/page/asking.ts';
import type { LoadOptions } from '../../support/page/fakeHost.ts';
import { PageTests } from '../../support/page/open.ts';
import { requestButton, waitUntilEnabled, sentMessages } from '../../support/page/requests.ts';

describe('edits that wait for approval', () => {
  const tests = PageTests.use();

  it('are shown with context and line numbers of the current file', async () => {
    const file = '/made-up/relay/src/retry.ts';
    const request = commandRequest('', {
      toolName: 'Edit',
      title: 'Edit retry.ts',
      input: { file_path: file, old_string: 'line 5', new_string: 'line five' },
      action: {
        kind: 'file_edit',
        changes: [{ path: file, kind: 'update', oldText: 'line 5', newText: 'line five' }],
      },
    });
    const text = Array.from({ length: 9 }, (_, n) => `line ${n + 1}`).join('\n');
    const of = (now: FileText) => ({ [request.id]: previewEdits(request, () => now) });
    const before = Date.parse(request.asked_at) - 1000;
    const page = await tests.open({
      ...loadWithRequests([request]),
      previews: of({ state: 'text', text, changedAt: before }),
    });
    const frame = page.locator('.ask');
    await frame.getByText('line 4', { exact: true }).waitFor();
    assert.deepEqual(
      await frame.locator('.dl').evaluateAll((all) => all.map((line) => line.textContent.replace(/\s+/g, ' ').trim())),
      ['22line 2', '33line 3', '44line 4', '5−line 5', '5+line five', '66line 6', '77line 7', '88line 8'],
    );
    assert.equal(await frame.locator('.note').count(), 0);
    const now = (previews: LoadOptions['previews']): Promise<void> =>
      page.evaluate((next) => window.host.setPreviews(next), previews);
    await now(of({ state: 'text', text, changedAt: before + 60_000 }));
    await frame.getByText(/^The file changed at .*, after the agent asked\.$/).waitFor();
    await now(of({ state: 'text', text: 'other', changedAt: before }));
    await frame.getByText('The current file does not contain the text to replace.').waitFor();
    assert.deepEqual(await frame.locator('.dl .c').allTextContents(), ['line 5', 'line five']);
    await now(of({ state: 'missing' }));
    await frame.getByText('This file no longer exists.').waitFor();
    await now(of({ state: 'outside' }));
    await frame.getByText('Vitrine did not read it').waitFor();
    await waitUntilEnabled(page);
    await requestButton(page, 'Allow Once').click();
    assert.equal((await sentMessages(page, 'answer')).length, 1);
    await page.close();
  });
});
