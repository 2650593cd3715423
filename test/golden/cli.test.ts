import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { normalizedEntrySchema } from '../../src/model/transcript/entry.ts';
import { runResultSchema } from '../../src/model/session/result.ts';
import { repository } from '../support/host/install/cache.mjs';

const cli = path.join(repository, 'dist/cli.js');
/** Both commands must work under the Node that the user has. */
const node = process.env['VITRINE_SYSTEM_NODE'] ?? process.execPath;
const fixtures = path.join(repository, 'test/fixtures/claude-code');

function vitrine(args: readonly string[], input: string | Buffer = '') {
  const { status, stdout, stderr } = spawnSync(node, [cli, ...args], {
    input,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '' },
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

function entriesOf(stdout: string) {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => normalizedEntrySchema.parse(JSON.parse(line)));
}

function resultOf(stdout: string) {
  assert.equal(stdout.split('\n').length, 2, 'one line');
  return runResultSchema.parse(JSON.parse(stdout));
}

const agent = ['--agent', 'claude-code'];
const stdoutOf = (name: string): string[] => ['--stdout', path.join(fixtures, `${name}.stdout.jsonl`)];

describe('the CLI', function () {
  let folder = '';
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'vitrine-cli-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('prints help for the program and each command', () => {
    const { status, stdout } = vitrine(['--help']);
    assert.equal(status, 0);
    const commands = [...stdout.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => name ?? '');
    for (const command of ['normalize', 'result']) assert.ok(commands.includes(command));
    for (const command of commands) {
      const own = vitrine([command, '--help']);
      assert.equal(own.status, 0, command);
      assert.match(own.stdout, new RegExp(`^Usage: vitrine ${command} `));
    }
    assert.equal(vitrine([]).status, 2);
  });

  it('normalizes a file into entries in index order', () => {
    const { status, stdout, stderr } = vitrine(['normalize', ...agent, ...stdoutOf('2.1.328/tools'), '--exit', '0']);
    assert.deepEqual([status, stderr], [0, '']);
    const entries = entriesOf(stdout);
    assert.deepEqual(
      entries.map(({ index }) => index),
      entries.map((_, at) => at),
    );
    assert.equal(entries.filter(({ type }) => type.kind === 'tool_use').length, 6);
  });

  const inputs: readonly [string, string | Buffer][] = [
    ['nothing', ''],
    ['half a line', '{"type":"assistant","message":{"id":"m"'],
    ['no JSON', 'Segmentation fault\n\n{]\n'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x0a, 0x00, 0xc3, 0x28, 0x0a])],
    ['keys of the prototype', '{"type":"__proto__","__proto__":{"x":1},"constructor":1}\n[]\nnull\n"x"\n'],
    ['a byte order mark and CRLF', '\ufeff{"type":"system","subtype":"init","session_id":"s"}\r\n'],
  ];
  for (const [title, input] of inputs) {
    it(`exits with 0 on ${title}`, () => {
      const entries = vitrine(['normalize', ...agent, '--stdout', '-'], input);
      assert.deepEqual([entries.status, entries.stderr], [0, '']);
      entriesOf(entries.stdout);
      const result = vitrine(['result', ...agent], input);
      assert.deepEqual([result.status, result.stderr], [0, '']);
      const { success, stdout } = resultOf(result.stdout);
      assert.equal(success, false);
      if (typeof input === 'string') assert.equal(stdout, input);
    });
  }

  it('reports the size of a line that is too long, and continues', () => {
    const long = `{"type":"x","text":"${'a'.repeat(9 << 20)}"}\n{"type":"y"}\n`;
    const entries = entriesOf(vitrine(['normalize', ...agent, '--stdout', '-'], long).stdout);
    assert.match(JSON.stringify(entries), /9\.\d+ MB|9437\d+/);
    assert.match(entries.at(-1)?.metadata?.raw ?? JSON.stringify(entries), /"y"/);
  });

  it('prints the result of a run, and of the next with earlier totals', () => {
    const first = vitrine(['result', ...agent, ...stdoutOf('2.1.328/resume-0-first'), '--exit', '0']);
    const file = path.join(folder, 'first.json');
    writeFileSync(file, first.stdout);
    const second = vitrine([
      'result',
      ...agent,
      ...stdoutOf('2.1.328/resume-1-second'),
      '--exit',
      '0',
      '--previous',
      file,
    ]);
    const { success, data, metadata } = resultOf(second.stdout);
    assert.equal(success, true);
    assert.equal(data, 'Second answer from the mock model.');
    assert.equal(metadata?.cost, 0.006448000000000001);
    assert.equal(metadata.totalCost, 0.012896000000000001);
    assert.equal(metadata.turns, 2);
  });

  it('accepts the version of a program whose output has none', () => {
    const captured = (name: string) => [
      '--stdout',
      path.join(repository, `test/fixtures/codex/0.77.0/${name}.stdout.jsonl`),
    ];
    const codex = ['result', '--agent', 'codex', '--exit', '0'];
    const file = path.join(folder, 'codex.json');
    writeFileSync(file, vitrine([...codex, ...captured('chain-0')]).stdout);
    const second = [...codex, ...captured('chain-2'), '--previous', file, '--agent-version'];
    const of = (version: string) => resultOf(vitrine([...second, version]).stdout).metadata?.usage;
    assert.deepEqual(of('0.77.0'), { input: 2800, output: 420, cacheRead: 5600 });
    assert.deepEqual(of('0.79.0'), { input: 2400, output: 360, cacheRead: 4800 });
  });

  it("estimates with the user's prices, and rejects an invalid price table", () => {
    const file = path.join(folder, 'prices.json');
    const codex = ['result', '--agent', 'codex', '--exit', '0', '--prices', file, '--stdout'];
    const captured = path.join(repository, 'test/fixtures/codex/0.77.0/chain-0.stdout.jsonl');
    writeFileSync(file, '{"date":"2026-01-31","models":{"a":{"input":-1,"output":2}}}');
    const refused = vitrine([...codex, captured]);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /is not a valid price table \(--prices\): models\.a\.input: /);
    writeFileSync(file, '{"date":"2026-01-31"}');
    assert.equal(vitrine([...codex, captured]).status, 0);
  });

  it('prints events only on request', () => {
    const plain = resultOf(vitrine(['result', ...agent, ...stdoutOf('2.1.328/tools')]).stdout);
    assert.equal(plain.events, undefined);
    const { events } = resultOf(vitrine(['result', ...agent, ...stdoutOf('2.1.328/tools'), '--events']).stdout);
    assert.equal(events?.filter(({ type }) => type === 'tool_use').length, 6);
  });

  it('accepts exit codes and signals in common notations', () => {
    const ended = (exit: string) => resultOf(vitrine(['result', ...agent, '--exit', exit], '').stdout).metadata;
    assert.equal(ended('143 (still running: ended by the harness)')?.exitCode, 143);
    assert.equal(ended('signal SIGKILL')?.signal, 'SIGKILL');
    assert.equal(ended('SIGTERM')?.signal, 'SIGTERM');
    assert.equal(ended('')?.exitCode, null);
  });

  it('reads standard error from a file', () => {
    const file = path.join(folder, 'stderr.txt');
    writeFileSync(file, "error: unknown option '--x'\n");
    const { stdout } = vitrine(['result', ...agent, '--stderr', file, '--exit', '1']);
    const result = resultOf(stdout);
    assert.equal(result.error, "error: unknown option '--x'");
    assert.equal(result.stderr, "error: unknown option '--x'\n");
  });

  const refused: [readonly string[], RegExp][] = [
    [['nonsense'], /Unknown command: "nonsense".*--help/],
    [['normalize'], /--agent is missing.*claude-code/],
    [['normalize', '--agent', 'nobody'], /Unknown agent: "nobody" \(--agent\).*claude-code/],
    [['normalize', ...agent, '--stdout', '/no/such/file'], /\/no\/such\/file.*--stdout.*the file does not exist.*path/],
    [['normalize', ...agent, '--exit', 'badly'], /"badly".*--exit.*SIGTERM/],
    [['normalize', ...agent, '--exit', '0x10'], /"0x10".*--exit/],
    [['normalize', ...agent, '--nonsense'], /--nonsense.*vitrine normalize --help/],
    [['normalize', ...agent, '--stdout', '-', '--stderr', '-'], /both read from standard input/],
    [['fork'], /Specify a session.*vitrine sessions/],
    [['fork', 'ses_000000000000', '--at', '-1', 'x'], /--at/],
    [['fork', 'ses_000000000000', '--at', 'x', 'x'], /"x" is not the number of an entry \(--at\)/],
    [['fork', 'ses_000000000000', '--at', '3'], /The prompt is missing/],
    [['fork', 'ses_000000000000', '--at', '3', 'x', '--json'], /--json applies only to --detach/],
    [['sessions', '--store', path.join(cli, 'below')], /Not a folder.*--store/],
    [['replay', 'x', '--exit', 'badly'], /"badly".*--exit.*SIGTERM/],
    [['result', ...agent, '--previous', '/no/such/file'], /--previous.*the file does not exist.*vitrine result/],
    [['result', ...agent, '--previous', cli], /is not JSON \(--previous\)/],
    [['result', ...agent, '--previous', path.join(repository, 'package.json')], /contains no result \(--previous\)/],
  ];
  if (process.platform === 'linux')
    refused.push([
      ['run', '--agent', 'replay', '--store', '/proc/none/store', 'x'],
      /store cannot be created.*--store/,
    ]);
  for (const [args, message] of refused) {
    it(`exits with 2 on ${args.join(' ').replaceAll(repository, '').slice(0, 60)}`, () => {
      const { status, stdout, stderr } = vitrine(args);
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, message);
    });
  }
});
