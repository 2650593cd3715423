import assert from 'node:assert/strict';
import {
  linksIn,
  runnerPairs,
  scorePairs,
  formatScores,
  sourcePairs,
  verdictPairs,
} from '../../../../support/evidence/verdicts.ts';

describe('the verdict on a claimed outcome', () => {
  const pairs = verdictPairs('pairs.json');
  const holdout = verdictPairs('holdout.json');
  const fromRunners = runnerPairs('fromRunners.json');
  const fromRunnersHoldout = runnerPairs('fromRunnersHoldout.json');

  it('is measured on at least 300 pairs', () => {
    assert.ok(pairs.length >= 300, String(pairs.length));
    assert.ok(fromRunners.length >= 300, String(fromRunners.length));
  });

  for (const [name, set] of Object.entries({ pairs, holdout, fromRunners, fromRunnersHoldout }))
    it(`has sufficient precision and recall (${name})`, () => {
      const scores = scorePairs(set);
      const shown = formatScores(scores);
      for (const verdict of ['agrees', 'disagrees'] as const) {
        assert.ok(scores.by[verdict].precision >= 0.98, shown);
        assert.ok(scores.by[verdict].recall >= 0.9, shown);
      }
      for (const verdict of ['stale', 'partial', 'unknown'] as const) {
        assert.ok(scores.by[verdict].precision >= 0.9, shown);
        assert.ok(scores.by[verdict].recall >= 0.9, shown);
      }
    });

  it('is in line with the session', () => {
    for (const { steps, say, status } of sourcePairs())
      assert.equal(linksIn(steps, say)[0]?.status, status, `${say} ${JSON.stringify(steps)}`);
  });
});
