import assert from 'node:assert/strict';
import { loadFactor } from '../../../src/client/connect.ts';

describe('the time limit of a client', () => {
  it('grows with the load of the machine, within bounds', () => {
    assert.equal(loadFactor([0, 9, 9], 2), 1);
    assert.equal(loadFactor([1.5, 0, 0], 2), 1);
    assert.equal(loadFactor([5, 0, 0], 2), 2.5);
    assert.equal(loadFactor([200, 0, 0], 2), 6);
    assert.equal(loadFactor([], 2), 1);
  });
});
