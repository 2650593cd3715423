import assert from 'node:assert/strict';
import { isLongerThanScreen, lastScreen } from '../../../../webview/markdown/lastScreen.ts';

describe('the end of a long message', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, at) => `Line ${at} of it.`).join('\n');

  it('begins with a paragraph or a line, and is about a screen', () => {
    const paragraphs = Array.from({ length: 400 }, (_, at) => `Paragraph ${at}.\nIts second line.`).join('\n\n');
    assert.match(lastScreen(paragraphs), /^Paragraph \d+\.\n/);
    assert.match(lastScreen(lines(2000)), /^Line \d+ of it\.\n/);
    for (const text of [paragraphs, lines(2000), 'x'.repeat(1_000_000), '👩‍🚀'.repeat(9000)]) {
      assert.equal(isLongerThanScreen(text), true);
      const end = lastScreen(text);
      assert.ok(text.endsWith(end) && end.length > 3000 && end.length < 7000, `${end.length}`);
      assert.doesNotMatch(end, /^[\udc00-\udfff]/);
    }
  });

  it('is code where it is inside a block of code, and only there', () => {
    const code = `Before.\n\n~~~ts\n\`\`\`\n${lines(2000)}`;
    assert.match(lastScreen(code), /^~~~ts\nLine \d+ of it\.\n/);
    assert.match(lastScreen(`\`\`\`\na\n\`\`\`\n\n${lines(2000)}`), /^Line \d+ of it\.\n/);
    assert.match(lastScreen(`\`\`\`js\n\`\`\` not an end\n${lines(2000)}`), /^```js\nLine /);
  });

  it('is not taken of a message that fits', () => {
    assert.equal(isLongerThanScreen(lines(100)), false);
  });
});
