import assert from 'node:assert/strict';
import { verdictOf } from '../../../../src/insight/ledger/runVerdict.ts';
import type { ExitInfo, RunFacts } from '../../../../src/model/usage/facts.ts';
import { message, report, runFacts } from '../../../support/sessions/facts.ts';

const exit = (code: number | null, signal: string | null = null): ExitInfo => ({ code, signal });
const withReport = (own: Parameters<typeof report>[0], overrides: Partial<RunFacts> = {}): RunFacts =>
  runFacts({ reports: [report(own)], ...overrides });

describe('verdict on a run', () => {
  const cases: readonly [string, RunFacts, ExitInfo, string, RegExp | undefined][] = [
    ['said success and exited with 0', withReport({}), exit(0), 'completed', undefined],
    ['said success, exit not known', withReport({}), exit(null), 'completed', undefined],
    [
      'said success but exited with 1',
      withReport({}, { stderr: 'out of memory\n' }),
      exit(1),
      'error',
      /^out of memory$/,
    ],
    ['said success and was killed then', withReport({}), exit(null, 'SIGKILL'), 'interrupted', /SIGKILL/],
    [
      'said error with exit 0',
      withReport({ isError: true, text: 'API Error: 500' }),
      exit(0),
      'error',
      /API Error: 500/,
    ],
    [
      'reached the limit of turns, by an old version',
      withReport({ subtype: 'error_max_turns', text: null }),
      exit(0),
      'max_turns',
      /maximum number of turns/,
    ],
    [
      'reached the limit of turns, by a new version',
      withReport({ subtype: 'error_max_turns', isError: true, errors: ['Reached maximum number of turns (3)'] }),
      exit(1),
      'max_turns',
      /^Reached maximum number of turns \(3\)$/,
    ],
    [
      'used up the budget',
      withReport({ subtype: 'error_max_budget_usd', text: null }),
      exit(0),
      'max_budget',
      /budget/,
    ],
    [
      'was aborted by its own word, with exit 0',
      withReport({ subtype: 'error_during_execution', isError: true, terminalReason: 'aborted_tools', text: null }),
      exit(0),
      'interrupted',
      /^The run was interrupted\.$/,
    ],
    [
      'failed while it ran, with nothing but a diagnostic',
      withReport({
        subtype: 'error_during_execution',
        isError: true,
        text: null,
        errors: ['[ede_diagnostic] result_type=user'],
      }),
      exit(1),
      'interrupted',
      /^The run was interrupted\.$/,
    ],
    [
      'did not know the session',
      withReport({ subtype: 'error_during_execution', isError: true, text: null, errors: ['No conversation found'] }),
      exit(1),
      'error',
      /^No conversation found$/,
    ],
    [
      'ended with 0 but without a closing line',
      runFacts({ messages: [message()] }),
      exit(0),
      'interrupted',
      /without a final result/,
    ],
    ['was ended by a signal', runFacts(), exit(null, 'SIGTERM'), 'interrupted', /SIGTERM/],
    ['was ended by a signal, as a shell says it', runFacts(), exit(143), 'interrupted', /143/],
    [
      'failed before it began',
      runFacts({ sessionIds: [], stderr: "error: unknown option '--x'\n" }),
      exit(1),
      'error',
      /^error: unknown option '--x'$/,
    ],
    ['failed without a word', runFacts({ sessionIds: [] }), exit(7), 'error', /exit code 7/],
    [
      'goes by the last of several closing lines',
      runFacts({ reports: [report({ isError: true }), report()] }),
      exit(0),
      'completed',
      undefined,
    ],
  ];

  for (const [title, facts, ended, endReason, error] of cases) {
    it(title, () => {
      const verdict = verdictOf(facts, ended);
      assert.equal(verdict.endReason, endReason);
      if (error === undefined) assert.equal(verdict.error, undefined);
      else assert.match(verdict.error ?? '', error);
    });
  }

  it('quotes only the end of a long stderr', () => {
    const stderr = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
    const { error = '' } = verdictOf(runFacts({ sessionIds: [], stderr }), exit(1));
    assert.equal(error.split('\n').length, 20);
    assert.match(error, /line 99$/);
  });
});
