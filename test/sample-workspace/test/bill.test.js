import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, lines, total } from '../src/bill.js';

test('counts a dish once, however often it was ordered', () => {
  assert.deepEqual(lines(['assam', 'assam']), [{ title: 'Assam', count: 2, amount: 680 }]);
});

test('refuses what is not on the menu', () => {
  assert.throws(() => lines(['coffee']), /not on the menu: coffee/);
});

test('gives large tables ten percent off', () => {
  assert.equal(total(['oolong', 'oolong', 'oolong', 'oolong', 'oolong'], 5), 2070);
});

test('prints cents as euros', () => {
  assert.equal(format(1234), '12.34 EUR');
});
