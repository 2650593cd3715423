import assert from 'node:assert/strict';
import { withFullStop } from '../../../../src/model/text/fullStop.ts';

describe('a full stop', () => {
  for (const [text, expected] of [
    ['', ''],
    ['It failed', 'It failed.'],
    ['It failed.\n', 'It failed.'],
    ['Is it there?', 'Is it there?'],
    ['It said “No.”', 'It said “No.”'],
    ['remove (this setting)', 'remove (this setting).'],
  ] as const)
    it(`ends ${JSON.stringify(text)} as a sentence`, () => assert.equal(withFullStop(text), expected));
});
