import * as assert from 'node:assert/strict';
import { excerptOf } from '../../../../src/insight/search/excerpt.ts';
import { matchesOperators, textsOf } from '../../../../src/insight/search/facts.ts';
import { isEmptyQuery, parseQuery, problemText } from '../../../../src/insight/search/query.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { call, edits, reads, runs, said, thought } from '../../../support/sessions/madeEntries.ts';

describe('a query', () => {
  const empty = { texts: [], tools: [], files: [], kinds: [], states: [] };

  it('consists of words, quoted phrases and operators', () => {
    const cases: readonly (readonly [string, object])[] = [
      ['', {}],
      ['  ', {}],
      ['Retry Delay', { texts: ['retry', 'delay'] }],
      ['"Retry Delay" x', { texts: ['retry delay', 'x'] }],
      ['"not closed', { texts: ['not closed'] }],
      ['tool:Bash file:src\\a.ts', { tools: ['bash'], files: ['src/a.ts'] }],
      ['tool:"run tests" kind:Command kind:prompt', { tools: ['run tests'], kinds: ['command', 'user'] }],
      ['state:denied error', { states: ['denied', 'failed'] }],
      ['"error"', { texts: ['error'] }],
      ['https://x.org a.ts:12 Error: c:\\x', { texts: ['https://x.org', 'a.ts:12', 'error:', 'c:\\x'] }],
    ];
    for (const [text, expected] of cases) {
      const { query, problems } = parseQuery(text);
      assert.deepEqual({ query, problems }, { query: { ...empty, ...expected }, problems: [] }, text);
    }
    assert.equal(isEmptyQuery(parseQuery('tool:').query), true);
  });

  it('reports what it did not understand, and uses the rest', () => {
    const cases: readonly (readonly [string, string, object])[] = [
      ['tol:bash x', 'unknown_operator tol:bash', { texts: ['tol:bash', 'x'] }],
      ['kind:nonsense x', 'unknown_kind kind:nonsense', { texts: ['x'] }],
      ['state:odd', 'unknown_state state:odd', {}],
      ['file: x', 'no_value file:', { texts: ['x'] }],
    ];
    for (const [text, problem, expected] of cases) {
      const { query, problems } = parseQuery(text);
      assert.deepEqual(
        problems.map(({ code, part }) => `${code} ${part}`),
        [problem],
      );
      assert.deepEqual(query, { ...empty, ...expected });
    }
    assert.match(
      parseQuery('kind:nonsense').problems.map(problemText).join(),
      /is not a valid kind\. Valid kinds: user, assistant/,
    );
  });

  it('matches entries that contain all of it', () => {
    const entries: readonly NormalizedEntry[] = [
      said(0, 'Fix the flaky retry test', 'user_message'),
      thought(1, 'The delay of a retry is random'),
      call(2, reads('/p/src/upload/retry.ts'), { toolName: 'Read', result: { text: 'const delay = 3; // ERROR' } }),
      call(3, runs('npm test', 1), { toolName: 'Bash', result: { text: '1 failed' } }),
      call(4, edits('C:\\p\\src\\retry.ts', 'a', 'b'), { toolName: 'Edit', status: 'denied' }),
      said(5, 'Retries wait for a fixed delay now'),
    ];
    const found = (query: string): number[] =>
      entries.filter((entry) => matchesOperators(entry, parseQuery(query).query)).map(({ index }) => index);
    const cases: readonly (readonly [string, number[]])[] = [
      ['retry', [0, 1, 2, 4]],
      ['delay retr', [1, 2, 5]],
      ['"fixed delay"', [5]],
      ['"delay fixed"', []],
      ['tool:ba', [3]],
      ['file:SRC/retry', [4]],
      ['file:retry.ts', [2, 4]],
      ['kind:tool delay', [2]],
      ['kind:user', [0]],
      ['kind:command kind:edit', [3, 4]],
      ['error', [3]],
      ['"error"', [2]],
      ['state:denied', [4]],
    ];
    for (const [query, expected] of cases) assert.deepEqual(found(query), expected, query);
  });
});

describe('an excerpt', () => {
  it('is the line with most search terms, with their positions', () => {
    const entry = call(0, runs('npm test'), {
      result: { text: `first line\n${'x'.repeat(200)} the \u001b[31mretry\u001b[0m delay is   random\nlast` },
    });
    const { text, ranges } = excerptOf(textsOf(entry), ['retry', 'delay']);
    assert.match(text, /^…x+ the retry delay is random last$/);
    assert.deepEqual(
      ranges.map(([from, to]) => text.slice(from, to)),
      ['retry', 'delay'],
    );
  });

  it('is the beginning without search terms, and truncated', () => {
    const { text, ranges } = excerptOf(textsOf(said(0, 'word '.repeat(100))), []);
    assert.equal(text.length, 161);
    assert.deepEqual(ranges, []);
  });
});
