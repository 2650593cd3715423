import assert from 'node:assert/strict';
import { parseSessionLink, sessionLink } from '../../../../src/vscode/sessions/sessionLinks.ts';

const session = 'ses_0123456789ab';

describe('a link to a session', () => {
  it('contains its target, and can be parsed', () => {
    assert.equal(sessionLink('vscode', 'vitrine.vitrine', { session }), `vscode://vitrine.vitrine/session/${session}`);
    const link = sessionLink('vscode-insiders', 'vitrine.vitrine', { session, entry: 0 });
    assert.equal(link, `vscode-insiders://vitrine.vitrine/session/${session}#0`);
    const { pathname, hash } = new URL(link);
    assert.deepEqual(parseSessionLink({ path: pathname, fragment: hash.slice(1) }), { session, entry: 0 });
    assert.deepEqual(parseSessionLink({ path: `/session/${session}`, fragment: '' }), { session });
  });

  it('is not similar text', () => {
    const refused: readonly (readonly [string, string])[] = [
      ['', ''],
      ['/session/', ''],
      ['/session/ses_0123456789AB', ''],
      ['/session/ses_0123456789abc', ''],
      ['/session/../../etc/passwd', ''],
      [`/session/${session}/..`, ''],
      [`/run/${session}`, ''],
      [`/x/session/${session}`, ''],
      [`/session/${session}`, '-1'],
      [`/session/${session}`, '1e3'],
      [`/session/${session}`, '0x10'],
      [`/session/${session}`, '1234567890'],
      [`/session/${session}`, '1 '],
      [`/session/${session}\n`, '1'],
    ];
    for (const [path, fragment] of refused) assert.equal(parseSessionLink({ path, fragment }), undefined, path);
  });
});
