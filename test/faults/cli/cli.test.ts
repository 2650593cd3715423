import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { isAlive, startTimeOf } from '../../../src/engine/process/identity/identity.ts';
import { normalizedEntrySchema } from '../../../src/model/transcript/entry.ts';
import { runResultSchema } from '../../../src/model/session/result.ts';
import { stopDaemon } from '../../support/daemon/stop.ts';
import { Bench, fakeAgent, prompt, type Step } from '../../support/fakeAgent/engine.ts';
import { platformVariables } from '../../support/platform.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';

interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('vitrine run, sessions, show, doctor', function () {
  let bench: Bench;
  let env: Record<string, string>;
  beforeEach(() => {
    bench = new Bench();
    env = {};
    mkdirSync(bench.cwd, { recursive: true });
  });
  afterEach(async () => {
    await stopDaemon(path.join(bench.dir, '.local/share/vitrine'));
    await bench.close();
  });

  function vitrine(...args: string[]): { readonly process: ChildProcess; readonly ended: Promise<CommandResult> } {
    const child = spawn(process.execPath, [path.resolve('dist/cli.js'), ...args], {
      cwd: bench.cwd,
      env: { ...platformVariables, PATH: process.env['PATH'], HOME: bench.dir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]);
    return { process: child, ended: ended.then(([code, stdout, stderr]) => ({ code, stdout, stderr })) };
  }
  const run = (steps: readonly Step[], ...args: string[]) =>
    vitrine('run', '--agent', 'claude-code', '--program', fakeAgent, ...args, prompt(steps));
  const lines = (stdout: string): unknown[] =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);

  it('pauses a run at its limits, and names the limit', async () => {
    const much = [{ wait: 20_000 }, { say: 'too much' }];
    const steps = [{ init: true }, { say: 'one' }, { say: 'two' }, { say: 'three' }, ...much];
    const pauses = async (unit: string, limit: string): Promise<void> => {
      const ran = await run(steps, `--max-${unit}`, limit).ended;
      assert.equal(ran.code, 1, ran.stderr);
      const { metadata } = runResultSchema.parse(lines(ran.stdout).at(-1));
      assert.deepEqual([metadata?.budget?.unit, metadata?.budget?.scope], [unit, 'run']);
      assert.match(ran.stderr, /^vitrine: The budget for this run is used up: /m);
      assert.doesNotMatch(ran.stdout, /"content":"too much"/);
    };
    const refuses = async (): Promise<void> => {
      const refused = await run(steps, '--max-minutes', 'long').ended;
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /"long" is not a number \(--max-minutes\)/);
    };
    // A version that is not asked to hold it on its own.
    env['FAKE_AGENT_VERSION'] = '2.0.20 (Claude Code)';
    const paused = [pauses('usd', '0.00025'), pauses('tokens', '36'), pauses('turns', '2'), pauses('minutes', '0.03')];
    await Promise.all([...paused, refuses()]);
  });

  it('runs an ACP agent by its command, without prompting', async () => {
    const program = path.resolve('test/support/acpAgent/agent.mjs');
    const call = { toolCallId: 'c1', title: 'Do it', kind: 'execute' };
    const steps = [{ ask: { call, allowed: [{ say: 'allowed' }], denied: [{ say: 'denied' }] } }];
    const ran = await vitrine('run', '--agent', 'acp', prompt(steps), '--', program, '--greeting=late').ended;
    assert.equal(ran.code, 0, ran.stderr);
    const printed = lines(ran.stdout);
    assert.equal(runResultSchema.parse(printed.pop()).data, 'outcome: nodenied');
    assert.match(ran.stderr, /No one can answer requests here\. Denied: 1/);
    const id = /ses_[0-9a-f]{12}/.exec((await vitrine('sessions').ended).stdout)?.[0] ?? '';
    const again = await vitrine('run', '--resume', id, prompt([{ say: 'again' }]), '--', program).ended;
    assert.equal(again.code, 0, again.stderr);
    const without = await vitrine('run', '--resume', id, prompt([{ say: 'again' }])).ended;
    assert.equal(without.code, 2);
    assert.match(without.stderr, /"command-line"/);
  });

  it("lists sessions in an agent's store, or reports that it has no list", async () => {
    const program = path.resolve('test/support/acpAgent/agent.mjs');
    const listed = await vitrine('sessions', '--of', 'acp', '--', program, '--list=pages').ended;
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /^kept-0 {2}2026-01-02 03:04 {2}Page 0⟨U\+001B⟩\[2J\nkept-1 .*\nkept-2 .*\n$/);
    const none = await vitrine('sessions', '--of', 'acp', '--', program).ended;
    assert.deepEqual([none.code, none.stdout], [2, '']);
    assert.match(none.stderr, /^vitrine: agent\.mjs does not list its sessions\./);
    const other = await vitrine('sessions', '--of', 'claude-code').ended;
    assert.match(other.stderr, /^vitrine: Claude Code does not list its sessions\./);
    const whose = await vitrine('sessions', '--profile', 'codex-acp').ended;
    assert.deepEqual([other.code, whose.code], [2, 2]);
    assert.match(whose.stderr, /Specify an agent\./);
  });

  it('lists ACP agents, and reports invalid usage', async () => {
    const unknown = await vitrine('run', '--agent', 'acp', 'x').ended;
    assert.match(
      unknown.stderr,
      /Specify an Agent Client Protocol agent..*claude-agent-acp, codex-acp, gemini-acp, copilot-acp/s,
    );
    const both = await vitrine('run', '--agent', 'acp', '--profile', 'codex-acp', 'x', '--', 'y').ended;
    assert.match(both.stderr, /--profile and a command/);
    const other = await vitrine('run', '--agent', 'claude-code', '--profile', 'codex-acp', 'x').ended;
    assert.match(other.stderr, /--profile applies only to Agent Client Protocol agents/);
    const two = await vitrine('run', '--agent', 'acp', '--profile', 'codex-acp', 'x', 'y').ended;
    assert.match(two.stderr, /There is more than one prompt/);
    assert.deepEqual([unknown.code, both.code, other.code, two.code], [2, 2, 2, 2]);
    const doctor = await vitrine('doctor').ended;
    assert.match(doctor.stdout, /Start with: --agent acp --profile gemini-acp/);
  });

  it('prints entries as they settle and the result last; the session can be listed, shown and resumed', async () => {
    const ran = await run([{ init: true }, { say: 'hello' }, { result: { usd: 0.25, text: 'hello' } }]).ended;
    assert.equal(ran.code, 0, ran.stderr);
    const printed = lines(ran.stdout);
    const result = runResultSchema.parse(printed.pop());
    assert.equal(result.data, 'hello');
    assert.deepEqual(
      printed.map((entry) => normalizedEntrySchema.parse(entry).index),
      [0, 1, 2, 3],
    );
    const listed = await vitrine('sessions').ended;
    const id = /ses_[0-9a-f]{12}/.exec(listed.stdout)?.[0] ?? '';
    assert.match(listed.stdout, /completed +\$0\.25 /);
    assert.equal(lines((await vitrine('sessions', '--json').ended).stdout).length, 1);

    const steps = [{ unknownUnless: result.metadata?.sessionId }, { init: true }, { say: 'again' }, { result: {} }];
    // Without --agent: the session knows which one it is.
    const resumed = await vitrine('run', '--resume', id, '--program', fakeAgent, prompt(steps)).ended;
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.equal(normalizedEntrySchema.parse(lines(resumed.stdout)[0]).index, 4);

    assert.match((await vitrine('show', id).ended).stdout, /\[2\] .* assistant message\nhello/);
    assert.equal(lines((await vitrine('show', id, '--raw').ended).stdout).length, 6);
  });

  it('reports an incomplete record, with exit code 4', async () => {
    const ran = await run([{ init: true }, { say: 'one' }, { say: 'two' }, { result: {} }]).ended;
    assert.equal(ran.code, 0, ran.stderr);
    const id = /ses_[0-9a-f]{12}/.exec((await vitrine('sessions').ended).stdout)?.[0] ?? '';
    const whole = await vitrine('show', id).ended;
    assert.deepEqual([whole.code, whole.stderr], [0, '']);
    const list = async (isDamaged: boolean): Promise<void> => {
      const [listed, json] = await Promise.all([vitrine('sessions').ended, vitrine('sessions', '--json').ended]);
      assert.equal(listed.stdout.includes('  record damaged'), isDamaged);
      assert.equal(json.stdout.includes('"record_damaged":true'), isDamaged);
      for (const { code, stderr } of [listed, json]) {
        assert.deepEqual([code, stderr.startsWith(`vitrine: The record of ${id} is damaged.`)], [0, isDamaged], stderr);
      }
    };
    await list(false);
    const file = path.join(bench.dir, '.local/share/vitrine/sessions', id, 'record.jsonl');
    const record = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      record
        .split('\n')
        .filter((line) => !line.startsWith('{"kind":"entry","entry":{"index":1,'))
        .join('\n'),
    );
    const ways = [['show'], ['show', '--json'], ['export', '--format', 'markdown']];
    for (const damaged of await Promise.all(ways.map((args) => vitrine(...args, id).ended))) {
      assert.equal(damaged.code, 4);
      assert.match(damaged.stderr, /^vitrine: Missing entries: 1\.$/m);
    }
    await list(true);
    writeFileSync(file, '');
    await list(true);
    const empty = await vitrine('show', id).ended;
    assert.equal(empty.code, 4);
    assert.match(empty.stderr, /^vitrine: The record is empty or cannot be read\. All entries are missing\.$/m);
  });

  it('reports a lost record whose folder exists, with exit code 4', async () => {
    const ran = await run([{ init: true }, { say: 'one' }, { result: {} }]).ended;
    assert.equal(ran.code, 0, ran.stderr);
    const sessions = path.join(bench.dir, '.local/share/vitrine/sessions');
    const [id = ''] = readdirSync(sessions);
    rmSync(path.join(sessions, id, 'record.jsonl'));
    const [shown, exported, verified, listed] = await Promise.all([
      vitrine('show', id).ended,
      vitrine('export', '--format', 'markdown', id).ended,
      vitrine('verify', id).ended,
      vitrine('sessions').ended,
    ]);
    assert.deepEqual([shown.code, exported.code, verified.code, listed.code], [4, 4, 1, 0]);
    for (const { stderr } of [shown, exported, verified])
      assert.match(stderr, /^vitrine: The record of ses_\w+ is missing: all entries are lost\. /);
    assert.match(listed.stderr, /^vitrine: The record of ses_\w+ cannot be read: /m);
  });

  it('does not report active records, or those without a hash chain, as damaged', async () => {
    const running = run([{ init: true }, { say: 'one' }, { tool: 'Bash', input: { command: 'x' } }, { wait: 20_000 }]);
    const shown = async (): Promise<CommandResult> => {
      for (;;) {
        const id = /ses_[0-9a-f]{12}/.exec((await vitrine('sessions').ended).stdout)?.[0];
        const ended = id === undefined ? undefined : await vitrine('show', id, '--json').ended;
        if (ended?.stdout.includes('"content":"one"') === true) return ended;
      }
    };
    const { code, stderr } = await shown();
    assert.deepEqual([code, stderr], [0, '']);
    running.process.kill('SIGINT');
    await running.ended;
    const listed = await vitrine('sessions').ended;
    const id = /ses_[0-9a-f]{12}/.exec(listed.stdout)?.[0] ?? '';
    assert.equal(listed.stderr, '');
    const folder = path.join(bench.dir, '.local/share/vitrine/sessions', id);
    const file = path.join(folder, 'record.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/,"prev":"[0-9a-f]{64}"\}$/gm, '}'));
    rmSync(path.join(folder, 'record.head'));
    const old = await vitrine('show', id, '--json').ended;
    assert.deepEqual([old.code, old.stderr], [0, '']);
    assert.equal((await vitrine('sessions').ended).stderr, '');
  });

  it('adds context from earlier sessions of the folder, and prints the query', async () => {
    const says = (words: string): Step[] => [{ init: true }, { say: words }, { result: { text: words } }];
    const first = await run(says('The kettle of the office boils at ninety degrees'), '--recall').ended;
    assert.equal(first.code, 0, first.stderr);
    assert.match(
      first.stderr,
      /^vitrine: No matches in 0 earlier sessions with the text of this message \(current_message\)\.$/m,
    );
    const second = await run(says('At how many degrees does the kettle of the office boil'), '--recall').ended;
    assert.equal(second.code, 0, second.stderr);
    assert.match(
      second.stderr,
      /^vitrine: Context added: 2 passages from 1 earlier session, found with the text of this message \(current_message\)\.$/m,
    );
    const entries = lines(second.stdout)
      .slice(0, -1)
      .map((line) => normalizedEntrySchema.parse(line));
    const note = entries.find(({ type }) => type.kind === 'system_message' && type.subtype === 'recall');
    assert.match(note?.content ?? '', /boils at ninety degrees/);
    assert.equal(entries[0]?.origin, 'human');
    assert.doesNotMatch(entries[0].content, /Note written by Vitrine/);

    const known = readdirSync(path.join(bench.dir, '.local/share/vitrine/sessions'));
    const newest = (id: string): number =>
      statSync(path.join(bench.dir, '.local/share/vitrine/sessions', id)).birthtimeMs;
    const [id = ''] = known.filter((name) => name.startsWith('ses_')).sort((a, b) => newest(b) - newest(a));
    const steps = [
      { unknownUnless: runResultSchema.parse(lines(second.stdout).at(-1)).metadata?.sessionId },
      ...says('The kettle of the office'),
    ];
    const options = ['--resume', id, '--recall', '--program', fakeAgent, '--agent', 'claude-code'];
    const third = await vitrine('run', ...options, prompt(steps)).ended;
    assert.equal(third.code, 0, third.stderr);
    assert.match(
      third.stderr,
      /from 1 earlier session, found with the text of this message/,
      'its own text is known to it',
    );
  });

  it('plays the demo', async () => {
    const ran = await vitrine('run', '--agent', 'replay', '--speed', '0', 'Go').ended;
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(runResultSchema.parse(lines(ran.stdout).at(-1)).success, true);
  });

  it('returns the outcome as exit code', async () => {
    const failed = await run([{ printErr: 'no\n' }, { exit: 3 }]).ended;
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /exit code 3\): no”\n/);
    const missing = await vitrine('run', '--agent', 'claude-code', '--program', '/no/such', 'x').ended;
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /\/no\/such.*does not exist/s);
    assert.equal((await vitrine('run', '--agent', 'nonsense', 'x').ended).code, 2);
    assert.match((await vitrine('run', '--agent', 'replay', '--do it').ended).stderr, /after "--"/);
    assert.equal((await vitrine('run', '--agent', 'replay', '--max-turns', '1.5', 'x').ended).code, 2);
    assert.equal((await vitrine('run', '--resume', 'ses_000000000000', 'x').ended).code, 2);
    assert.match((await vitrine('show', 'ses_000000000000').ended).stderr, /Session not found: ses_000000000000/);
    const others = await vitrine('sessions', '--store', process.execPath).ended;
    assert.equal(others.code, 2);
    assert.match(others.stderr, /Not a folder: .*\(--store\)/);
  });

  it('reports that its output cannot be written', async function () {
    if (!existsSync('/dev/full')) skip(this, 'this system has no /dev/full');
    const full = openSync('/dev/full', 'w');
    try {
      const written = async (stderr: 'pipe' | number) => {
        const child = spawn(process.execPath, [path.resolve('dist/cli.js'), '--help'], {
          stdio: ['ignore', full, stderr],
        });
        const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
        return Promise.all([exit, child.stderr === null ? '' : text(child.stderr)]);
      };
      const [code, said] = await written('pipe');
      assert.equal(code, 2);
      assert.match(said, /^vitrine: The output cannot be written: ENOSPC.*\n$/);
      assert.deepEqual(await written(full), [2, '']);
    } finally {
      closeSync(full);
    }
  });

  /** An agent running that continues talking, with a child that does not end on its own. */
  const stubborn = () => [
    { note: bench.pidFile },
    { child: { note: bench.pidFile, ignore: ['SIGINT', 'SIGTERM'], setsid: true } },
    { init: true },
    { say: 'running' },
    ...Array.from({ length: 200 }, () => ({ wait: 20, say: 'more' })),
    { forever: true },
  ];

  it('stops the process tree when its output has no reader', async () => {
    const ran = run(stubborn());
    await once(ran.process.stdout ?? ran.process, 'data');
    ran.process.stdout?.destroy();
    await once(ran.process, 'exit');
    const processes = await Promise.all(bench.pids().map(async (pid) => ({ pid, startTime: await startTimeOf(pid) })));
    assert.deepEqual(await Promise.all(processes.map(isAlive)), [false, false]);
    const [summary] = await (await bench.engine({ storeDir: path.join(bench.dir, '.local/share/vitrine') })).list();
    assert.equal(summary?.status, 'stopped');
    assert.equal(summary.outcome, 'stopped');
  });

  it('stops the process tree on Ctrl-C', async () => {
    const steps = stubborn();
    const ran = run(steps);
    let printed = '';
    ran.process.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until('the agent to work', () => printed.includes('"content":"running"'));
    const processes = await Promise.all(bench.pids().map(async (pid) => ({ pid, startTime: await startTimeOf(pid) })));
    ran.process.kill('SIGINT');
    const { code, stdout } = await ran.ended;
    assert.equal(code, 1);
    assert.deepEqual(await Promise.all(processes.map(isAlive)), [false, false]);
    assert.equal(runResultSchema.parse(lines(stdout).at(-1)).success, false);
  });

  it('reports findings without values of variables', async () => {
    const { code, stdout } = await vitrine('doctor').ended;
    assert.ok(code === 0 || code === 1);
    assert.match(stdout, /Node\.js +v/);
    assert.match(stdout, /Claude Code/);
    assert.match(stdout, /Demo \(recording\): ready/);
  });
});
