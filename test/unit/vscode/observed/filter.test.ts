import assert from 'node:assert/strict';
import { isFiltering, noFilter, passesFilter, type SessionFilter } from '../../../../src/vscode/observed/filter.ts';
import {
  costText,
  datesText,
  parseCost,
  parseDates,
  parseFilterText,
} from '../../../../src/vscode/observed/filterText.ts';
import type { SessionRow } from '../../../../src/vscode/sessions/sessionRow.ts';
import { at, now, row } from '../sessions/rows.ts';

describe('the filter of sessions', () => {
  const shown = (filter: Partial<SessionFilter>, overrides: Partial<SessionRow> = {}): boolean =>
    passesFilter(row('a', overrides), { ...noFilter, ...filter }, now);

  it('by cost excludes sessions out of bounds, and those of unknown cost', () => {
    const costs: [string, boolean][] = [
      ['>0.4', true],
      ['>0.5', false],
      ['>=0.5', true],
      ['<0.5', false],
      ['<= $0.50', true],
      ['0.5..2', true],
      ['0.6..2', false],
    ];
    for (const [text, isShown] of costs) assert.equal(shown({ cost: parseCost(text)! }), isShown, text);
    const unknown = { total_cost: { provenance: 'unknown', reason: 'not said' } } as const;
    assert.equal(shown({ cost: parseCost('<1')! }, unknown), false);
    for (const text of ['', '1', '>', '>1$', 'cheap', '>-1', '1..']) assert.equal(parseCost(text), undefined, text);
  });

  it('by dates includes both local calendar days', () => {
    const changed = { updated_at: at(20, 23) };
    const dates: [string, boolean][] = [
      ['2026-11-20..2026-11-21', true],
      ['2026-11-01..2026-11-20', true],
      ['2026-11-01..2026-11-19', false],
      ['2026-11-21..', false],
      ['..2026-11-20', true],
      ['2026-11-20', true],
    ];
    for (const [text, isShown] of dates) assert.equal(shown({ dates: parseDates(text)! }, changed), isShown, text);
    for (const text of ['', '..', '2026-02-30', '20.11.2026', '2026-11-01..2026-11-02..2026-11-03', '2026-11-1'])
      assert.equal(parseDates(text), undefined, text);
  });

  it('parses operators among words', () => {
    assert.deepEqual(parseFilterText('login  cost:>1 after:2026-11-01 before:2026-11-20 page'), {
      text: 'login page',
      cost: [{ operator: '>', usd: 1 }],
      dates: { from: '2026-11-01', to: '2026-11-20' },
      problems: [],
    });
    assert.deepEqual(parseFilterText('on:2026-11-05').dates, { from: '2026-11-05', to: '2026-11-05' });
    assert.deepEqual(parseFilterText('cost:much after:today'), { problems: ['cost:much', 'after:today'] });
    assert.deepEqual(parseFilterText('src/a.ts:12 https://x.test'), {
      text: 'src/a.ts:12 https://x.test',
      problems: [],
    });
  });

  it('formats bounds and days as it parses them', () => {
    assert.equal(costText(parseCost('>1.5')!), '>$1.5');
    for (const text of ['2026-11-01..2026-11-20', '2026-11-01..', '..2026-11-20', '2026-11-05'])
      assert.equal(datesText(parseDates(text)!), text);
  });

  it('knows whether it excludes anything', () => {
    assert.equal(isFiltering(noFilter), false);
    assert.equal(isFiltering({ scope: 'everything' }), false);
    assert.equal(isFiltering({ ...noFilter, cost: parseCost('>1')! }), true);
    assert.equal(isFiltering({ ...noFilter, text: 'x' }), true);
  });
});
