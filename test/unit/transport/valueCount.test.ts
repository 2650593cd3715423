import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasMoreValues } from '../../../src/transport/valueCount.ts';
import { fuzzOptions } from '../../support/hostile/fuzz.ts';

const has = (text: string, max: number): boolean => hasMoreValues(Buffer.from(text), max);

/** Commas and opening brackets of the JSON of a value. */
function marksOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: unknown[] = Object.values(value);
  return parts.reduce<number>((sum, part) => sum + marksOf(part), 1 + Math.max(0, parts.length - 1));
}

describe('the number of values in a message', () => {
  it('counts commas and opening brackets', () => {
    assert.equal(has('[1,2,{"a":[]}]', 5), false);
    assert.equal(has('[1,2,{"a":[]}]', 4), true);
  });

  it('does not count the content of strings', () => {
    assert.equal(has(String.raw`{"text":"[[[,,,{{{\"[,\\"}`, 1), false);
    assert.equal(has(String.raw`{"a":"\\","b":"\\\"[","c":[]}`, 4), false);
    assert.equal(has(String.raw`{"a":"\\","b":"\\\"[","c":[]}`, 3), true);
  });

  it('ends at a string without an end', () => {
    assert.equal(has('["[[[[', 1), false);
    assert.equal(has(String.raw`["\"[[[[`, 1), false);
  });

  it('is exact for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const marks = marksOf(JSON.parse(text));
        assert.equal(has(text, marks), false);
        assert.equal(has(text, marks - 1), marks > 0);
      }),
      fuzzOptions(200),
    );
  });
});
