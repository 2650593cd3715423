import assert from 'node:assert/strict';
import type { Job } from '../../../../src/coordinator/api.ts';
import { TeamQueue } from '../../../../src/daemon/team/runs/teamQueue.ts';
import { TeamRunners } from '../../../../src/daemon/team/runs/teamRunners.ts';
import { Redactor } from '../../../../src/formats/redaction/redactor.ts';
import type { Run } from '../../../../src/model/session/session.ts';
import type { Database } from '../../../../src/team/database/connection.ts';
import { TeamError } from '../../../../src/team/errors.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { until } from '../../../support/until.ts';

const quiet = (): void => undefined;
const id = 'run_000000000001';
const runnerRef = { runner_id: 'lnch_000000000001', instance: 'instance-1' };

interface Row {
  readonly status: Run['status'];
  readonly token: string | null;
}

/** The functions of the database that a runner calls, with one run. */
class OneRun {
  row: Row = { status: 'pending', token: null };
  readonly statuses: Run['status'][] = [];
  readonly queue: TeamQueue;
  /** Answers to the next heartbeat come when this resolves, with what was true when it was asked. */
  delay: Promise<unknown> = Promise.resolve();
  beats = 0;
  /** For the next report. */
  failure: Error | undefined;
  /** The next report arrives when this resolves. */
  reportDelay: Promise<unknown> = Promise.resolve();
  reports = 0;
  /** Ids of runs that each query asked for. */
  readonly lookups: unknown[] = [];
  /** What the last run was created with. */
  created: readonly unknown[] = [];
  readonly #runners: TeamRunners;

  constructor() {
    const use = async <T>(work: (database: Database) => Promise<T>): Promise<T> =>
      work({ query: (query: unknown, values: unknown) => this.#query(query, values) } as unknown as Database);
    const isConnected = (): boolean => true;
    this.#runners = new TeamRunners({ use, isConnected, monotonic: () => performance.now(), log: silentLog });
    this.queue = new TeamQueue({
      ...{ runners: this.#runners, use, isConnected, log: silentLog, randomHex: (digits) => '0'.repeat(digits) },
      redactor: () => new Redactor(() => ''),
      onRun: ({ status }) => this.statuses.push(status),
      onClaimed: quiet,
      onEnded: quiet,
    });
  }

  static async open(): Promise<OneRun> {
    const opened = new OneRun();
    const place = { hostname: 'host', project_dir: '/work', executor_type: 'claude-code' };
    await opened.#runners.add({ ...place, instance: runnerRef.instance }, runnerRef.runner_id);
    return opened;
  }

  async beat(): Promise<readonly string[]> {
    this.statuses.length = 0;
    await this.queue.sendHeartbeats();
    return this.statuses;
  }

  async #query(query: unknown, values: unknown): Promise<{ rows: unknown[] }> {
    const text = typeof query === 'string' ? query : (query as { text: string }).text;
    const parameters = (values ?? (query as { values?: unknown }).values ?? []) as unknown[];
    if (text.includes('register_runner')) return { rows: [{ id: runnerRef.runner_id }] };
    if (text.includes('create_run')) this.created = parameters;
    if (text.includes('ANY ($1)')) this.lookups.push(parameters[0]);
    if (text.includes('heartbeat(')) {
      const { row } = this;
      const isActive = row.status === 'claimed' || row.status === 'running' || row.status === 'stopping';
      this.beats += 1;
      await this.delay;
      return { rows: isActive ? [{ run_id: id, ...row }] : [] };
    }
    if (text.includes('claim_run')) {
      const isUnanswered = this.row.status === 'claimed' && !(parameters[1] as string[]).includes(id);
      if (this.row.status !== 'pending' && !isUnanswered) return { rows: [] };
      this.row = { status: 'claimed', token: String(Number(this.row.token ?? 0) + 1) };
    }
    if (text.includes('report_run')) {
      const { failure } = this;
      this.failure = undefined;
      this.reports += 1;
      await this.reportDelay;
      if (failure !== undefined) throw failure;
      if (parameters[1] !== this.row.token) throw new TeamError('outdated', 'Another runner has it.', '');
      this.row = { ...this.row, status: parameters[2] as Run['status'] };
    }
    return { rows: text.includes('vitrine.sweep') || text.includes('vitrine.runners') ? [] : [this.#run()] };
  }

  #run(): object {
    const at = new Date(0);
    const { status, token } = this.row;
    const run: Run = {
      ...{ run_id: id, type: 'start_session', session_id: 'ses_000000000001', prompt: 'x', execution_mode: 'sync' },
      ...{ status: 'pending', created_at: at.toISOString() },
    };
    const job: Job = { run, executor_type: 'claude-code' };
    const times = { created_at: at, claimed_at: at, started_at: null, completed_at: null, timeout_at: null };
    const who = { requested_by: 'a', executed_by: 'a', runner_id: runnerRef.runner_id };
    const instance = token === null ? null : runnerRef.instance;
    return {
      run_id: id,
      session_id: run.session_id,
      job,
      retry: false,
      status,
      token,
      instance,
      error: null,
      ...who,
      ...times,
    };
  }
}

describe('a run of a team', () => {
  it('is given up after five minutes if no runner could take it, whatever it demands', async () => {
    const one = await OneRun.open();
    const request = { type: 'start_session', executor_type: 'codex', prompt: 'x', execution_mode: 'sync' } as const;
    await one.queue.create(request);
    assert.equal(one.created.at(-1), 300_000);
    await one.queue.create({ ...request, additional_demands: { tags: ['gpu'] } });
    assert.deepEqual(one.created.slice(-3), [['gpu'], false, 300_000]);
  });

  it('is fetched together with all others that changed', async () => {
    const one = await OneRun.open();
    one.statuses.length = 0;
    await Promise.all(['run_000000000002', 'run_000000000003', id, id].map((runId) => one.queue.handleChange(runId)));
    // The first one alone, then the others at once.
    assert.deepEqual(one.lookups, [['run_000000000002'], ['run_000000000003', id]]);
    assert.deepEqual(one.statuses, ['pending', 'pending']);
  });
});

describe('a runner of a team', () => {
  it('keeps what it claims while a heartbeat is pending', async () => {
    const one = await OneRun.open();
    let answer = quiet;
    one.delay = new Promise<void>((resolve) => (answer = resolve));
    const beat = one.queue.sendHeartbeats();
    await until('the heartbeat', () => one.beats === 1);
    assert.equal((await one.queue.claim(runnerRef))?.run.run_id, id);
    one.queue.report(runnerRef, { run_id: id, status: 'running' });
    await one.queue.flush();
    answer();
    await beat;
    assert.ok(!one.statuses.includes('stopping'), one.statuses.join());
    one.queue.report(runnerRef, { run_id: id, status: 'completed' });
    await one.queue.flush();
    assert.equal(one.row.status, 'completed');
  });

  it('stops a run that another one has', async () => {
    const one = await OneRun.open();
    await one.queue.claim(runnerRef);
    one.row = { status: 'pending', token: null };
    assert.deepEqual(await one.beat(), ['stopping']);
    assert.equal(one.queue.has(id), false);

    await one.queue.claim(runnerRef);
    one.row = { status: 'running', token: '99' };
    one.statuses.length = 0;
    one.queue.report(runnerRef, { run_id: id, status: 'running' });
    await one.queue.flush();
    assert.deepEqual(one.statuses, ['stopping'], 'it learns that from its first report, too');
  });

  it('reports an end again that could not be stored', async () => {
    const one = await OneRun.open();
    await one.queue.claim(runnerRef);
    for (const failure of [new TeamError('login', 'No.', ''), new Error('deadlock detected')]) {
      one.failure = failure;
      one.queue.report(runnerRef, { run_id: id, status: 'completed' });
      await one.queue.flush();
      assert.equal(one.row.status, 'claimed');
    }
    await one.beat();
    assert.equal(one.row.status, 'completed');
    assert.equal(one.queue.has(id), false);
  });

  it('is not given a run again whose end could not be stored yet', async () => {
    const one = await OneRun.open();
    await one.queue.claim(runnerRef);
    one.failure = new TeamError('unreachable', 'No.', '');
    one.queue.report(runnerRef, { run_id: id, status: 'completed' });
    await one.queue.flush();
    assert.equal(await one.queue.claim({ ...runnerRef, has: [] }), null);
    await one.beat();
    assert.deepEqual(one.row, { status: 'completed', token: '1' });
  });

  it('keeps a run that it got again while an outdated end was on its way', async () => {
    const one = await OneRun.open();
    await one.queue.claim(runnerRef);
    let arrive = quiet;
    one.reportDelay = new Promise<void>((resolve) => (arrive = resolve));
    one.queue.report(runnerRef, { run_id: id, status: 'stopped' });
    await until('the report', () => one.reports === 1);
    one.row = { status: 'pending', token: '1' };
    assert.equal((await one.queue.claim(runnerRef))?.run.run_id, id);
    arrive();
    await one.queue.flush();
    assert.ok(one.queue.has(id));
    one.queue.report(runnerRef, { run_id: id, status: 'completed' });
    await one.queue.flush();
    assert.deepEqual([one.row.status, one.queue.has(id)], ['completed', false]);
  });

  it('ends what the team takes it to have and it does not know, and takes a lost claim again', async () => {
    const one = await OneRun.open();
    one.row = { status: 'claimed', token: '1' };
    assert.deepEqual(await one.beat(), [], 'its claim may be on its way');
    assert.deepEqual(await one.beat(), ['pending']);
    assert.equal((await one.queue.claim(runnerRef))?.run.run_id, id);

    const lost = await OneRun.open();
    lost.row = { status: 'running', token: '5' };
    assert.deepEqual([await lost.beat(), lost.row.status], [[], 'running']);
    assert.deepEqual([await lost.beat(), lost.row.status], [['failed'], 'failed']);
    lost.row = { status: 'stopping', token: '6' };
    await lost.beat();
    assert.deepEqual([await lost.beat(), lost.row.status], [['stopped'], 'stopped']);
  });
});
