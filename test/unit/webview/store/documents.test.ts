import assert from 'node:assert/strict';
import { Documents } from '../../../../webview/store/documents.ts';
import { Script } from '../../../support/page/madeUp.ts';

describe('parsed messages of the page', () => {
  const long = Array.from({ length: 3000 }, (_, at) => `Paragraph ${at}.`).join('\n\n');
  const script = new Script();
  script.turn('Go.');
  for (const text of [long, 'Short.']) script.addMessage(text);
  const [first, short] = script.entries.slice(-2);
  assert.ok(first !== undefined && short !== undefined);
  const textOf = (documents: Documents, entry: typeof first): string =>
    documents
      .parts(entry, false)
      .flatMap(({ blocks }) => blocks.map(({ token }) => token.raw.trim()))
      .join('\n\n');

  it('consist of their ends for the first screen, and then of everything', () => {
    const documents = new Documents();
    documents.drawOnlyEnds();
    const end = textOf(documents, first);
    assert.ok(long.endsWith(end) && end.length < 8000 && end.includes('Paragraph 2999.'), `${end.length}`);
    assert.equal(documents.rows(first, false), documents.parts(first, false).length);
    assert.equal(documents.parts(first, false), documents.parts(first, false));
    assert.deepEqual(
      [first, short].map((entry) => documents.isEnd(entry)),
      [true, false],
    );
    assert.equal(textOf(documents, short), 'Short.');
    assert.deepEqual(
      [documents.drawCompletely(), documents.drawCompletely(), documents.isEnd(first)],
      [true, false, false],
    );
    assert.equal(textOf(documents, first), long);
  });
});
