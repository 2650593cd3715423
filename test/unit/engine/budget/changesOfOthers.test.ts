import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import type { EngineSettings } from '../../../../src/engine/api.ts';
import { Budgets } from '../../../../src/engine/budget/budgets.ts';
import { Emitter } from '../../../../src/engine/emitter.ts';
import { aSession } from '../../../support/sessions/records.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { until } from '../../../support/until.ts';

type Limits = NonNullable<EngineSettings['budgets']> extends (folder: string) => infer L ? L : never;

describe('the budget of a running session', () => {
  let dir: string;
  let reads: number;
  let limits: Limits;
  let used: Emitter<[string]>;
  let observed: Emitter<[]>;
  let settings: Emitter<[]>;
  let end: () => void;
  const session = aSession({ session_id: 'ses_0123456789ab', executor_type: 'claude-code', status: 'running' });

  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'vitrine-budget-'));
    reads = 0;
    limits = { limits: { day: { tokens: 100 } } };
    [used, observed, settings] = [new Emitter(silentLog), new Emitter(silentLog), new Emitter(silentLog)];
    await begin();
  });
  afterEach(async () => {
    mock.timers.reset();
    end();
    await rm(dir, { recursive: true });
  });

  async function begin(): Promise<void> {
    const budgets = new Budgets({
      storeDir: dir,
      clock: () => Date.UTC(2026, 0, 1, 12),
      monotonic: () => 0,
      log: silentLog,
      settings: () => ({ budgets: () => limits }),
      sessionRuns: () => {
        reads += 1;
        return Promise.resolve([]);
      },
      onRunUsage: (listener) => used.on(listener),
      onObservedUsage: (listener) => observed.on(listener),
      onLimitsChanged: (listener) => settings.on(listener),
      recordDecision: () => Promise.resolve(),
    });
    const run = { runId: 'run_0123456789ab', session, limits: undefined };
    const done = new Promise<void>((resolve) => (end = resolve));
    const budget = await budgets.createRunBudget(run);
    mock.timers.enable({ apis: ['setTimeout'] });
    budgets.keepUpdated(budget, run, done);
    assert.equal(reads, 1);
  }

  /** Reads of all sessions' usage after `change`, within a minute. */
  async function readsAfter(change: () => void, expected: number): Promise<void> {
    const before = reads;
    change();
    mock.timers.tick(60_000);
    mock.timers.reset();
    await until('the figures to be read', () => reads - before >= expected);
    mock.timers.enable({ apis: ['setTimeout'] });
    assert.equal(reads - before, expected);
  }

  it('is not read again for what the session itself uses', () =>
    readsAfter(() => {
      for (let index = 0; index < 10; index += 1) used.fire(session.session_id);
    }, 0));

  it('is read once for several things that others use', () =>
    readsAfter(() => {
      for (let index = 0; index < 10; index += 1) used.fire('ses_ba9876543210');
      observed.fire();
    }, 1));

  it('is read again for what observed sessions use', () => readsAfter(() => observed.fire(), 1));

  it('is read again when settings change', () => readsAfter(() => settings.fire(), 1));

  it('does not watch observed sessions that do not count', async () => {
    for (const other of [
      { limits: { day: { tokens: 100 } }, observed: false },
      { limits: { session: { tokens: 100 } } },
    ]) {
      mock.timers.reset();
      end();
      [limits, reads] = [other, 0];
      await begin();
      await readsAfter(() => observed.fire(), 0);
    }
  });

  it('is not read after the run has ended', async () => {
    end();
    await Promise.resolve();
    await Promise.resolve();
    await readsAfter(() => used.fire('ses_ba9876543210'), 0);
  });
});
