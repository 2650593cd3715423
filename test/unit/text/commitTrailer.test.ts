import assert from 'node:assert/strict';
import { withTrailer } from '../../../src/text/commitTrailer.ts';

const trailer = 'Vitrine-Session: vscode://vitrine.vitrine/session/ses_0123456789ab';

describe('a trailer of a commit message', () => {
  it('has its own paragraph, or joins other trailers', () => {
    assert.equal(withTrailer('Fix it', trailer), `Fix it\n\n${trailer}`);
    assert.equal(withTrailer('Fix it\n\nBecause.\n', trailer), `Fix it\n\nBecause.\n\n${trailer}`);
    assert.equal(
      withTrailer('Fix it\n\nSigned-off-by: A <a@b.c>\n', trailer),
      `Fix it\n\nSigned-off-by: A <a@b.c>\n${trailer}`,
    );
    assert.equal(withTrailer('', trailer), `\n\n${trailer}`);
  });

  it('is added once; a subject with a colon is not a trailer', () => {
    const once = withTrailer('fix: it', trailer);
    assert.equal(once, `fix: it\n\n${trailer}`);
    assert.equal(withTrailer(once, trailer), once);
  });
});
