import assert from 'node:assert/strict';
import { excerpt, placeText, withExcerpts } from '../../../../../src/vscode/run/steps/excerpt.ts';

describe('an excerpt in a prompt', () => {
  it("is a location, relative to the agent's folder", () => {
    assert.equal(placeText({ path: 'src/app.js' }), 'src/app.js');
    assert.equal(placeText({ path: 'src/app.js', from: 3, to: 3 }), 'src/app.js:3');
    assert.equal(placeText({ path: 'src/app.js', from: 3, to: 7 }), 'src/app.js:3-7');
    assert.deepEqual(excerpt({ path: 'a.js' }), { label: 'a.js', text: 'a.js' });
  });

  it('is text in a fence with its language', () => {
    const { label, text } = excerpt({ path: 'a.js', from: 1, to: 2 }, { text: 'one\ntwo\n', language: 'javascript' });
    assert.equal(label, 'a.js:1-2');
    assert.equal(text, 'a.js:1-2\n```javascript\none\ntwo\n```');
  });

  it('cannot close its fence, or name an invalid language', () => {
    const { text } = excerpt({ path: 'a.md', from: 1 }, { text: '````\nrm -rf /\n````', language: 'x\n```' });
    assert.equal(text, 'a.md:1\n`````\n````\nrm -rf /\n````\n`````');
  });

  it('is truncated between lines if it is long, with a note', () => {
    const whole = `${'x'.repeat(99)}\n`.repeat(1000);
    const { text } = excerpt({ path: 'a.txt', from: 1, to: 1000 }, { text: whole, language: '' });
    const [, saved = '', left = ''] = /```\n([^]*)```\n\((\d+) more characters/.exec(text) ?? [];
    assert.ok(saved.length > 30_000 && saved.length <= 40_000 && saved.endsWith('x\n'));
    assert.equal(saved.length + Number(left), whole.length - 1);
  });

  it("follows the user's text", () => {
    assert.equal(withExcerpts(' Explain. ', []), 'Explain.');
    assert.equal(withExcerpts('Explain.', [excerpt({ path: 'a' }), excerpt({ path: 'b' })]), 'Explain.\n\na\n\nb');
  });
});
