import assert from 'node:assert/strict';
import fc from 'fast-check';
import { englishNumbers, NumberFormat } from '../../../src/text/numberFormat.ts';

const { money, duration, count } = {
  money: (usd: number) => englishNumbers.money(usd),
  duration: (ms: number) => englishNumbers.duration(ms),
  count: (value: number) => englishNumbers.count(value),
};

describe('figures for users', () => {
  it('show money in cents, and with at most four digits below one', () => {
    const cases: readonly (readonly [number, string])[] = [
      [0, '$0.00'],
      [0.07306299999999999, '$0.07'],
      [0.3104275, '$0.31'],
      [12, '$12.00'],
      [1234.5, '$1,234.50'],
      [0.01, '$0.01'],
      [0.00996, '$0.01'],
      [0.006448, '$0.0064'],
      [0.005, '$0.005'],
      [0.0001, '$0.0001'],
      [0.00009999, '< $0.0001'],
      [1e-300, '< $0.0001'],
    ];
    for (const [usd, shown] of cases) assert.equal(money(usd), shown, String(usd));
  });

  it('show durations in at most two units', () => {
    const cases: readonly (readonly [number, string])[] = [
      [-5, '0 s'],
      [0, '0 s'],
      [40, '40 ms'],
      [99.7, '100 ms'],
      [600, '0.6 s'],
      [10_004, '10 s'],
      [41_300, '41.3 s'],
      [59_940, '59.9 s'],
      [59_960, '1 min'],
      [178_000, '2 min 58 s'],
      [3_599_600, '1 h'],
      [3_840_000, '1 h 4 min'],
      [86_399_000, '1 d'],
      [183_600_000, '2 d 3 h'],
    ];
    for (const [ms, shown] of cases) assert.equal(duration(ms), shown, String(ms));
  });

  it("use the reader's language", () => {
    const german = new NumberFormat('de');
    assert.equal(german.duration(20_800), '20,8 s');
    assert.equal(german.count(1234), '1.234');
    assert.match(german.money(0.0064), /^0,0064\s\$$/);
  });

  it('have no floating-point noise', () => {
    const any = fc.oneof(fc.double(), fc.double({ min: -1, max: 1 }), fc.integer());
    fc.assert(
      fc.property(any, (value) => {
        for (const text of [money(value), duration(value), count(value)]) {
          assert.doesNotMatch(text, /NaN|Infinity|undefined|e[+-]|\.\d{5}/);
        }
        assert.doesNotMatch(duration(value), /-\d/);
        if (Number.isFinite(value) && value !== 0) assert.doesNotMatch(money(value), /^-?\$0\.0*$/);
      }),
    );
  });
});
