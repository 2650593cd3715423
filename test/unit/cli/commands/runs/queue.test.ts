import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError, type CliContext } from '../../../../../src/cli/command.ts';
import { queue } from '../../../../../src/cli/commands/runs/queue.ts';
import { Journal } from '../../../../../src/engine/coordinator/journal.ts';
import { journalFile } from '../../../../../src/engine/coordinator/openQueue.ts';
import { RecordStore } from '../../../../../src/engine/record/recordStore.ts';
import type { Run } from '../../../../../src/model/session/session.ts';
import { appendAll, aSession, wholeSession } from '../../../../support/sessions/records.ts';
import { openQueueClient, type QueueClient } from '../../../../support/daemon/queue.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const none = (): void => undefined;
const quiet = { debug: none, info: none, warn: none, error: none };

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

  function context(stdin = ''): { readonly context: CliContext; readonly ended: (code: number) => Promise<Ended> } {
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
  async function call(args: readonly string[], stdin?: string): Promise<Ended> {
    const { context: of, ended } = context(stdin);
    return ended(await queue.run([...args, '--store', store], of));
  }
  async function added(...args: string[]): Promise<Run> {
    const { code, stdout, stderr } = await call(['add', ...args, '--json']);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Run;
  }
  /** Lets the daemon run what is for `executor`. */
  async function addRunner(executor_type: string, more: object = {}): Promise<void> {
    const runner = { hostname: 'h', project_dir: cwd, executor_type, ...more };
    const context = { folder: cwd, trusted: true, environment: { HOME: dir }, settings: { replaySpeed: 0 } };
    await queued.connection.call('addRunner', { runner, context });
  }
  const agent = (name: string, lines: string): Promise<void> =>
    writeFile(path.join(cwd, `.vitrine/agents/${name}.yaml`), `description: Works\n${lines}`);

  it('says what is wrong with a call, and queues nothing', async () => {
    await agent('gpu', 'demands: { tags: [gpu], hostname: builder }\n');
    await agent('fixed', 'executor_type: codex\n');
    const codex = ['add', '--executor', 'codex'];
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['add'], /"queue add" is not a complete command/],
      [['fix', 'it'], /"queue fix" is not a complete command/],
      [['stop', 'run_000000000001', 'run_000000000002'], /"run_000000000002" is an extra argument/],
      [['stop', 'ses_00000000000f'], /"ses_00000000000f" is not a run ID/],
      [['list', 'all'], /"all" is an extra argument/],
      [['--wait'], /--wait is an option of "queue add"/],
      [['stop', 'run_000000000001', '--demand', 'tag=gpu'], /--demand is an option of "queue add"/],
      [['--no-such'], /Unknown option '--no-such'/],
      [[...codex, '--cwd'], /'--cwd <value>' argument is ambiguous|--cwd.*ambiguous/],
      [[...codex, 'fix', 'the', 'login', 'bug'], /More than one prompt is given/],
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
      [[...codex, '--resume', 'ses_00000000000f', 'x'], /Session not found: ses_00000000000f/],
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

  it('takes the kind of an agent that names none from the demands of the run', async () => {
    await agent('open', 'demands: { tags: [gpu] }\n');
    await agent('demanding', 'demands: { executor_type: gemini }\n');
    const wantsOf = async (...args: string[]) => {
      const { demands } = await added('--blueprint', ...args, 'x');
      const job = (await new Journal(journalFile(store), quiet).read()).at(-1);
      return [job?.executor_type, demands?.tags];
    };
    assert.deepEqual(await wantsOf('open'), ['claude-code', ['gpu']]);
    assert.deepEqual(await wantsOf('open', '--demand', 'executor_type=codex'), ['codex', ['gpu']]);
    assert.deepEqual(await wantsOf('demanding'), ['gemini', []]);
    assert.deepEqual(await wantsOf('demanding', '--demand', 'executor_type=gemini'), ['gemini', []]);
  });

  it('reads demands by their first “=”, and folders from where it is called', async () => {
    const demands = ['tag=a=b', 'tag=web', 'project_dir=sub', 'hostname=h', 'hostname=h'];
    const run = await added('--executor', 'codex', ...demands.flatMap((each) => ['--demand', each]), 'x');
    assert.deepEqual(run.demands, { hostname: 'h', project_dir: path.join(cwd, 'sub'), tags: ['a=b', 'web'] });
  });

  it('queues a resume for who works in the folder of its session', async () => {
    const session = aSession({ project_dir: '/the/session', executor_type: 'codex' });
    const records = new RecordStore(store, { clock: Date.now, log: { warn: (message) => assert.fail(message) } });
    const writer = await records.create(session);
    await appendAll(
      writer,
      wholeSession(3).filter(({ kind }) => kind === 'run' || kind === 'entry'),
    );
    await writer.close();
    const resume = ['--executor', 'codex', '--resume'];
    const resumed = await added(...resume, session.session_id, 'Go on');
    assert.deepEqual([resumed.type, resumed.project_dir], ['resume_session', '/the/session']);
    assert.equal((await added(...resume, session.session_id, '--cwd', 'sub', 'x')).project_dir, path.join(cwd, 'sub'));
    // No one has begun it, so that the queue alone knows where it will work.
    const waiting = await added('--executor', 'codex', '--cwd', path.resolve('/waiting'), 'Begin');
    assert.equal((await added(...resume, waiting.session_id, 'Go on')).project_dir, path.resolve('/waiting'));
  });

  it('shows what is not seen, to people alone', async () => {
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

  it('waits for the end of a run, and says by its exit code how it went', async () => {
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

  it('says on stderr what was refused, in JSON too', async () => {
    const unknown = await call(['stop', 'run_00000000000f', '--json']);
    assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
    assert.match(unknown.stderr, /^vitrine: Run not found: run_00000000000f\.\n$/);
  });
});
