import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError, type CliContext } from '../../../../../src/cli/command.ts';
import { queue } from '../../../../../src/cli/commands/runs/queue.ts';
import { Journal } from '../../../../../src/engine/coordinator/journal.ts';
import { journalFile } from '../../../../../src/engine/coordinator/openQueue.ts';
import { RecordStore } from '../../../../../src/engine/record/recordStore.ts';
import type { Run, Session } from '../../../../../src/model/session/session.ts';
import { isRunOver } from '../../../../../src/model/session/status.ts';
import type { SessionSummary } from '../../../../../src/model/session/summary.ts';
import { appendAll, aSession, wholeSession } from '../../../../support/sessions/records.ts';
import { silentLog } from '../../../../support/silentLog.ts';
import { until } from '../../../../support/until.ts';
import { openQueueClient, type QueueClient } from '../../../../support/daemon/queue.ts';

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('vitrine queue', function () {
  let dir: string;
  let cwd: string;
  let store: string;
  let queued: QueueClient;
  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'vitrine-queue-'));
    cwd = path.join(dir, 'work');
    store = path.join(dir, 'store');
    await mkdir(path.join(cwd, '.vitrine/agents'), { recursive: true });
    queued = await openQueueClient(store, dir);
  });
  afterEach(async () => {
    await queued.stop();
    // On Windows, files of a program that has just ended cannot be deleted at once.
    await rm(dir, { recursive: true, force: true, maxRetries: 10 });
  });

  function context(stdin = ''): {
    readonly context: CliContext;
    readonly ended: (code: number) => Promise<CommandResult>;
  } {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    return {
      context: {
        stdin: Readable.from([stdin]),
        stdout,
        stderr,
        cwd,
        now: Date.now,
        env: { HOME: dir },
        onInterrupt: () => () => undefined,
      },
      ended: async (code) => {
        stdout.end();
        stderr.end();
        return { code, stdout: await text(stdout), stderr: await text(stderr) };
      },
    };
  }
  async function call(args: readonly string[], stdin?: string): Promise<CommandResult> {
    const { context: of, ended } = context(stdin);
    return ended(await queue.run([...args, '--store', store], of));
  }
  async function added(...args: string[]): Promise<Run> {
    const { code, stdout, stderr } = await call(['add', ...args, '--json']);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Run;
  }
  /** Lets the daemon run what is for `executor`. */
  async function addRunner(executor_type: string, overrides: object = {}): Promise<void> {
    const runner = { hostname: 'h', project_dir: cwd, executor_type, ...overrides };
    const context = { folder: cwd, trusted: true, environment: { HOME: dir }, settings: { replaySpeed: 0 } };
    await queued.connection.call('addRunner', { runner, context });
  }
  const agent = (name: string, lines: string): Promise<void> =>
    writeFile(path.join(cwd, `.vitrine/agents/${name}.yaml`), `description: Works\n${lines}`);

  it('reports invalid usage, and queues nothing', async () => {
    await agent('gpu', 'demands: { tags: [gpu], hostname: builder }\n');
    await agent('fixed', 'executor_type: codex\n');
    const codex = ['add', '--executor', 'codex'];
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['add'], /"queue add" is unknown or incomplete/],
      [['fix', 'it'], /"queue fix" is unknown or incomplete/],
      [['stop', 'run_000000000001', 'run_000000000002'], /Unexpected argument: "run_000000000002"/],
      [['stop', 'ses_00000000000f'], /"ses_00000000000f" is not a run ID/],
      [['list', 'all'], /Unexpected argument: "all"/],
      [['--wait'], /--wait works only with "queue add"/],
      [['stop', 'run_000000000001', '--demand', 'tag=gpu'], /--demand works only with "queue add"/],
      [['--no-such'], /Unknown option '--no-such'/],
      [[...codex, '--cwd'], /'--cwd <value>' argument is ambiguous|--cwd.*ambiguous/],
      [[...codex, 'fix', 'the', 'login', 'bug'], /There is more than one prompt/],
      [[...codex, ' '], /The prompt is empty/],
      [[...codex, '-'], /The prompt is empty/],
      [[...codex, '--demand', 'tags', 'x'], /"tags" is not a valid demand/],
      [[...codex, '--demand', 'tag', 'x'], /"tag" is not a valid demand/],
      [[...codex, '--demand', 'tag=', 'x'], /"tag=" is not a valid demand/],
      [[...codex, '--demand', '=gpu', 'x'], /"=gpu" is not a valid demand/],
      [[...codex, '--demand', 'toString=1', 'x'], /"toString=1" is not a valid demand/],
      [
        [...codex, '--demand', 'hostname=a', '--demand', 'hostname=b', 'x'],
        /No runner can have both the hostname "a" and "b"/,
      ],
      [[...codex, '--demand', 'executor_type=gemini', 'x'], /for codex but demands the executor_type "gemini"/],
      [['add', '--blueprint', 'fixed', '--demand', 'executor_type=gemini', 'x'], /demands the executor_type "gemini"/],
      [['add', '--blueprint', 'gpu', '--demand', 'hostname=other', 'x'], /demands the hostname "builder"/],
      [['add', '--blueprint', 'gpu', '--executor', 'codex', 'x'], /--blueprint already sets the agent/],
      [['add', '--blueprint', 'none', 'x'], /Agent not found: "none"/],
      [[...codex, '--resume', 'last', '--cwd', '.', 'x'], /"last" is not a session ID/],
      [[...codex, '--parent', 'me', 'x'], /"me" is not a session ID \(--parent\)/],
      [[...codex, '--mode', 'later', 'x'], /"later" is not an execution mode/],
      [
        ['add', '--resume', 'ses_00000000000f', '--parent', 'ses_00000000000e', 'x'],
        /A resumed session keeps its parent/,
      ],
    ];
    for (const [args, expected] of wrong) {
      await assert.rejects(
        call(args),
        (error) => UsageError.is(error) && expected.test(error.message),
        `${args.join(' ')}: ${String(expected)}`,
      );
    }
    assert.deepEqual(await queued.link.runs(), []);
  });

  it('takes a missing executor from the demands of the run', async () => {
    await agent('open', 'demands: { tags: [gpu] }\n');
    await agent('demanding', 'demands: { executor_type: gemini }\n');
    const wantsOf = async (...args: string[]) => {
      const { demands } = await added('--blueprint', ...args, 'x');
      const job = (await new Journal(journalFile(store), silentLog).read()).at(-1);
      return [job?.executor_type, demands?.tags];
    };
    assert.deepEqual(await wantsOf('open'), ['claude-code', ['gpu']]);
    assert.deepEqual(await wantsOf('open', '--demand', 'executor_type=codex'), ['codex', ['gpu']]);
    assert.deepEqual(await wantsOf('demanding'), ['gemini', []]);
    assert.deepEqual(await wantsOf('demanding', '--demand', 'executor_type=gemini'), ['gemini', []]);
  });

  it('splits demands at the first “=”, and resolves folders from the current one', async () => {
    const demands = ['tag=a=b', 'tag=web', 'project_dir=sub', 'hostname=h', 'hostname=h'];
    const run = await added('--executor', 'codex', ...demands.flatMap((demand) => ['--demand', demand]), 'x');
    assert.deepEqual(run.demands, { hostname: 'h', project_dir: path.join(cwd, 'sub'), tags: ['a=b', 'web'] });
  });

  /** One of Codex in `/the/session`. */
  async function recorded(): Promise<Session> {
    const session = aSession({ project_dir: '/the/session', executor_type: 'codex' });
    const records = new RecordStore(store, { clock: Date.now, log: { warn: (message) => assert.fail(message) } });
    const writer = await records.create(session);
    await appendAll(
      writer,
      wholeSession(3).filter(({ kind }) => kind === 'run' || kind === 'entry'),
    );
    await writer.close();
    return session;
  }

  it('rejects runs that no runner can take, with advice', async () => {
    const session = await recorded();
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['--resume', 'ses_00000000000f', 'x'], /Session not found: ses_00000000000f/],
      [['--parent', 'ses_00000000000f', '--executor', 'codex', 'x'], /Session not found: ses_00000000000f/],
      [['--resume', session.session_id, '--executor', 'claude-code', 'x'], /is a codex session;.*Use codex/],
      [['x'], /The executor is missing\. No online runner offers one.*claude-code/],
    ];
    for (const [args, expected] of wrong) {
      const { code, stdout, stderr } = await call(['add', ...args]);
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      assert.match(stderr, expected);
    }
    await assert.rejects(queued.link.createRun({ executor_type: 'gpt', prompt: 'x' }), /Available: claude-code/);
    await addRunner('replay');
    await addRunner('codex');
    assert.match((await call(['add', 'x'])).stderr, /The executor is missing\. Online runners offer: codex, replay/);
    assert.deepEqual(await queued.link.runs(), []);
  });

  it('takes executor and folder from the session or the runner', async () => {
    const session = await recorded();
    await added('--resume', session.session_id, 'Go on');
    const resumed = (await new Journal(journalFile(store), silentLog).read()).at(-1);
    assert.deepEqual([resumed?.executor_type, resumed?.run.project_dir], ['codex', '/the/session']);
    await mkdir(path.join(dir, 'runner'));
    await addRunner('replay', { project_dir: path.join(dir, 'runner') });
    const ended = await call(['add', '--wait', '--json', 'x']);
    assert.equal(ended.code, 0, ended.stderr);
    const run = JSON.parse(ended.stdout.trim().split('\n').at(-1) ?? '') as Run;
    assert.equal(run.project_dir, undefined);
    assert.equal((await sessionOf(run)).project_dir, path.join(dir, 'runner'));
  });

  async function sessionOf({ session_id }: Run): Promise<SessionSummary> {
    const records = new RecordStore(store, { clock: Date.now, log: { warn: (message) => assert.fail(message) } });
    const reader = await records.openReader(session_id);
    const { summary } = reader;
    await reader.close();
    return summary;
  }

  it('creates a session for a waiting run, which opens and says why it waits', async () => {
    const { code, stdout, stderr } = await call(['add', '--executor', 'codex', '--json', '--cwd', cwd, 'Fix it']);
    const run = JSON.parse(stdout) as Run;
    assert.equal(code, 0);
    assert.equal(stderr, `vitrine: ${run.run_id} waits: no runner is online.\n`);
    const waits = await sessionOf(run);
    assert.deepEqual([waits.status, waits.title, waits.project_dir], ['pending', 'Fix it', cwd]);
    const session = { session_id: run.session_id };
    const subscription = await queued.connection.call('read', { ...session, from: 0, to: 10 });
    assert.match(JSON.stringify(subscription), /Waiting: no runner is online\..*fails at 20/);
    assert.match((await call([])).stdout, /Fix it {2}\(no runner is online\)\n$/);
    await call(['stop', run.run_id]);
    const stopped = await sessionOf(run);
    assert.deepEqual([stopped.status, stopped.outcome, stopped.runs], ['stopped', 'stopped', 1]);
    assert.equal(stopped.reason, 'Stopped before an agent was started.');
  });

  it('starts a session that waited, and reports the reason of a failure', async () => {
    const waiting = [await added('--executor', 'replay', 'x'), await added('--executor', 'codex', '--cwd', cwd, 'x')];
    assert.deepEqual(await Promise.all(waiting.map(async (run) => (await sessionOf(run)).status)), [
      'pending',
      'pending',
    ]);
    await addRunner('replay');
    await addRunner('codex');
    await until('both ends', async () => (await queued.link.runs()).every(({ status }) => isRunOver(status)));
    const [done, failed] = await Promise.all(waiting.map(sessionOf));
    assert.deepEqual([done?.status, done?.outcome, done?.runs], ['finished', 'completed', 1]);
    assert.deepEqual([failed?.status, failed?.outcome, failed?.runs], ['finished', 'failed', 1]);
    assert.match(failed?.reason ?? '', /Codex was not found on this machine/);
  });

  it('resumes the parent of a queued session with its result, even if it never started', async () => {
    await addRunner('replay');
    await addRunner('codex');
    const ended = await call(['add', '--executor', 'replay', '--wait', '--json', 'x']);
    const parent = JSON.parse(ended.stdout.trim().split('\n').at(-1) ?? '') as Run;
    const child = async (executor: string, mode: string): Promise<Run> =>
      added('--executor', executor, '--parent', parent.session_id, '--mode', mode, 'y');
    const reported = [await child('replay', 'async_callback'), await child('codex', 'async_callback')];
    const silent = await child('replay', 'async_poll');
    const record = path.join(store, 'sessions', parent.session_id, 'record.jsonl');
    const callbacks = await until('both results', async () => {
      const lines = (await readFile(record, 'utf8')).split('\n').filter((line) => line.includes('"origin":"callback"'));
      return reported.every(({ session_id }) => lines.some((line) => line.includes(session_id))) ? lines : undefined;
    });
    assert.ok(callbacks.some((line) => line.includes('Codex was not found on this machine')));
    assert.ok(!callbacks.some((line) => line.includes(silent.session_id)));
    const children = await Promise.all([...reported, silent].map(sessionOf));
    assert.deepEqual(
      children.map((session) => [session.parent_session_id, session.execution_mode]),
      ['async_callback', 'async_callback', 'async_poll'].map((mode) => [parent.session_id, mode]),
    );
  });

  it('moves a waiting run', async () => {
    const [first, second] = [await added('--executor', 'replay', 'x'), await added('--executor', 'replay', 'y')];
    assert.equal((await call(['first', second.run_id])).code, 0);
    assert.match((await call(['last', 'run_00000000000f'])).stderr, /Run not found/);
    const ends: string[] = [];
    queued.onRun(({ run_id, status }) => {
      if (isRunOver(status)) ends.push(run_id);
    });
    await addRunner('replay');
    await until('both ends', () => ends.length === 2);
    assert.deepEqual(ends, [second.run_id, first.run_id]);
  });

  it("queues a resume for runners of the session's folder", async () => {
    const session = await recorded();
    const resume = ['--executor', 'codex', '--resume'];
    const resumed = await added(...resume, session.session_id, 'Go on');
    assert.deepEqual([resumed.type, resumed.project_dir], ['resume_session', '/the/session']);
    assert.equal((await added(...resume, session.session_id, '--cwd', 'sub', 'x')).project_dir, path.join(cwd, 'sub'));
    // No one has begun it, so that the queue alone knows where it will work.
    const waiting = await added('--executor', 'codex', '--cwd', path.resolve('/waiting'), 'Begin');
    assert.equal((await added(...resume, waiting.session_id, 'Go on')).project_dir, path.resolve('/waiting'));
  });

  it('makes invisible characters visible in text output only', async () => {
    const prompt = '\u001b[31mred\u001b[0m \u0007bell \u202edetrever\nmore';
    const listed = await call(['add', '--executor', 'codex', '-'], prompt);
    assert.match(listed.stdout, / {2}⟨U\+001B⟩\[31mred⟨U\+001B⟩\[0m ⟨U\+0007⟩bell ⟨U\+202E⟩detrever\n$/);
    await addRunner('replay', { project_dir: '/w\u001b]0;x', tags: ['a\u0007'] });
    const { stdout } = await call([]);
    assert.match(stdout, /\/w⟨U\+001B⟩\]0;x {2}#a⟨U\+0007⟩\n/);
    assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{Cc}/u);
    const rows = (await call(['--json'])).stdout.trim().split('\n');
    assert.equal((JSON.parse(rows.at(-1) ?? '') as Run).prompt, prompt);
  });

  it('waits for the end of a run, and returns its exit code', async () => {
    await addRunner('replay');
    await addRunner('codex');
    for (const [executor, status, code] of [['replay', 'completed', 0] as const, ['codex', 'failed', 1] as const]) {
      const ended = await call(['add', '--executor', executor, '--wait', '--json', 'x']);
      assert.equal(ended.code, code, ended.stderr);
      const last = JSON.parse(ended.stdout.trim().split('\n').at(-1) ?? '') as Run;
      assert.deepEqual([last.status, last.prompt], [status, 'x']);
    }
    assert.match(
      (await call([])).stdout,
      / {2}failed .* {2}- {2}Codex was not found on this machine\. Searched for [^\n]*\n$/,
    );
  });

  it('reports rejections on stderr, in JSON too', async () => {
    const unknown = await call(['stop', 'run_00000000000f', '--json']);
    assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
    assert.match(unknown.stderr, /^vitrine: Run not found: run_00000000000f\.\n$/);
  });
});
