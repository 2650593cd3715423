import assert from 'node:assert/strict';
import { failures } from '../../../../src/engine/failures/failures.ts';
import { toEnglish, wordingText, quote, worded } from '../../../../src/engine/failures/wording.ts';

describe('wordings', () => {
  const capitals = (template: string): string => template.toUpperCase();

  it('are in English by default', () => {
    const failure = failures.sessionBusy('ses_0123456789ab');
    assert.equal(failure.message, 'Session ses_0123456789ab is already running.');
    assert.equal(wordingText(failure.words.message, capitals), 'SESSION ses_0123456789ab IS ALREADY RUNNING.');
  });

  it('are translated with nested ones, but without quotes', () => {
    const wording = worded`${'Codex'} ended (${worded`exit code ${3}`}): ${quote('no key')}`;
    assert.equal(toEnglish(wording), 'Codex ended (exit code 3): no key');
    assert.equal(wordingText(wording, capitals), 'Codex ENDED (EXIT CODE 3): no key');
  });

  it('ignore placeholders in values', () => {
    assert.equal(toEnglish(worded`${'{1}'} and ${'$& {0}'}`), '{1} and $& {0}');
  });
});
