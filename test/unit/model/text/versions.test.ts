import assert from 'node:assert/strict';
import { isAtLeastOrUnknown, isVersionSince } from '../../../../src/model/text/versions.ts';

describe('versions', () => {
  it('are compared numerically', () => {
    assert.equal(isVersionSince('2.1.328', '2.1.277'), true);
    assert.equal(isVersionSince('2.1.277', '2.1.277'), true);
    assert.equal(isVersionSince('2.1.30', '2.1.277'), false);
    assert.equal(isVersionSince('10.0.0-beta.1', '9.9.9'), true);
  });

  it('that are unknown stay unknown, or count as the newest', () => {
    for (const version of [null, '', 'latest', '2.1']) {
      assert.equal(isVersionSince(version, '1.0.0'), null);
      assert.equal(isAtLeastOrUnknown(version, '1.0.0'), true);
    }
    assert.equal(isAtLeastOrUnknown('0.9.9', '1.0.0'), false);
  });
});
