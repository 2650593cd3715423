import assert from 'node:assert/strict';
import { patience } from '../../../src/client/connect.ts';

describe('the time limit of a client', () => {
  it('grows with the load of the machine, within bounds', () => {
    assert.equal(patience([0, 9, 9], 2), 1);
    assert.equal(patience([1.5, 0, 0], 2), 1);
    assert.equal(patience([5, 0, 0], 2), 2.5);
    assert.equal(patience([200, 0, 0], 2), 6);
    assert.equal(patience([], 2), 1);
  });
});
