import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { skip } from '../../support/skip.ts';
import { observedAgents } from '../../../src/model/session/observed.ts';
import { turn, uuidOf, writeSession } from '../../support/stores/claudeStore.ts';
import { cline, vscodeChat } from '../../support/stores/editorSamples.ts';
import { cursor, pi } from '../../support/stores/terminalSamples.ts';
import { until } from '../../support/until.ts';

/** System calls that open, create, change, remove or lock files. Some do not exist on every processor. */
const traced =
  'open openat openat2 creat mkdir mkdirat mknod mknodat rename renameat renameat2 link linkat symlink symlinkat unlink ' +
  'unlinkat rmdir truncate ftruncate chmod fchmod fchmodat chown lchown fchown fchownat utime utimes utimensat futimesat ' +
  'setxattr lsetxattr fsetxattr removexattr flock fcntl';
const stores = 'test/fixtures/stores';
/** Its database is in the same place as that of another capture. */
const omitted = 'opencode-1.18.33/run-tools';

/** Cline, Roo Code and Kilo Code keep their tasks in the same form. */
const extensions = ['saoudrizwan.claude-dev', 'rooveterinaryinc.roo-cline', 'kilocode.kilo-code'];

const hasStrace = process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0;

describe('system calls of a daemon', () => {
  let place: DaemonBench;
  let home: string;
  let tracer: ChildProcess | undefined;

  beforeEach(() => {
    place = new DaemonBench();
    home = mkdtempSync(path.join(tmpdir(), 'vitrine-traced-'));
  });
  afterEach(async () => {
    tracer?.kill('SIGKILL');
    tracer = undefined;
    await place.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** Traces all threads of a process into a file. `false` if this user may not trace other processes. */
  async function trace(pid: number, file: string): Promise<boolean> {
    const calls = traced.split(' ').map((name) => `?${name}`);
    const options = ['-f', '-y', '-s', '4096', '-o', file, '-e', `trace=${calls.join(',')}`];
    const child = spawn('strace', [...options, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
    tracer = child;
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await until('strace to attach', () => child.exitCode !== null || printed.includes(' attached'));
    if (printed.includes('not permitted')) return false;
    assert.equal(child.exitCode, null, printed);
    return true;
  }

  it('open the stores of all agents only to read, lock nothing, and never open the key of a process', async function () {
    if (!hasStrace) skip(this, 'this machine has no strace');
    for (const name of readdirSync(stores, { recursive: true, encoding: 'utf8' })) {
      const isHome = path.basename(name) === 'home' && path.dirname(name) !== omitted;
      if (isHome && name.split(path.sep).length === 3) cpSync(path.join(stores, name), home, { recursive: true });
    }
    plantSamples(home);
    const id = uuidOf(7);
    writeSession(home, id, turn(id, 0, { id: 'msg_1', text: 'the first answer' }));
    const registry = path.join(home, '.claude/sessions');
    mkdirSync(registry, { recursive: true });
    const running = { pid: process.pid, sessionId: id, status: 'busy', statusUpdatedAt: Date.now() };
    writeFileSync(path.join(registry, `${process.pid}.json`), JSON.stringify(running));
    writeFileSync(path.join(registry, `${process.pid}.0a1b2c.key`), 'secret');
    const before = filesOf(home);

    const client = await place.connect();
    const file = path.join(place.bench.dir, 'calls.txt');
    if (!(await trace(client.daemon.pid, file))) skip(this, 'this user may not trace other processes');
    await client.call('watch', { events: false });
    const params = { home, variables: {}, scope: 'everything' as const, folders: [], limit: 1000 };
    const { sessions } = await client.call('watchSources', params);
    const agents = new Set(sessions.map(({ observed }) => observed?.agent));
    assert.deepEqual([...agents].sort(), [...observedAgents].sort());
    const read = async (session_id: string): Promise<string> =>
      JSON.stringify(await client.call('read', { session_id, from: 0, to: 1000 }));
    for (const { session_id } of sessions) await read(session_id);
    const grown = sessions.find(({ executor_session_ids: ids }) => ids.includes(id))?.session_id ?? '';
    const secondTurn = turn(id, 1, { id: 'msg_2', text: 'the second answer' });
    const session = filesOf(home).find((name) => name.endsWith(`${id}.jsonl`)) ?? '';
    appendFileSync(path.join(home, session), secondTurn.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await until('the added answer', async () => (await read(grown)).includes('the second answer'));
    assert.deepEqual(await client.call('updateCatalogue', {}), { unreadable: [] });
    tracer?.kill('SIGINT');
    if (tracer?.exitCode === null && tracer.signalCode === null) await once(tracer, 'exit');

    // The arguments of a call are in its first line.
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !line.includes(' resumed>'));
    assert.ok(
      lines.some((line) => line.includes('catalogue.db') && line.includes('O_RDWR')),
      'writing is traced',
    );
    const calls = lines.filter((line) => line.includes(home));
    const opened = calls.filter((line) => /\bopen(?:at2?)?\(/.test(line));
    const terminals = [
      '.claude',
      '.codex',
      '.copilot',
      '.gemini',
      '.qwen',
      'opencode.db',
      '.pi/agent/sessions/--p--/1_x',
    ];
    const tasks = extensions.map((extension) => `${extension}/tasks/${cline.session}/ui_messages.json`);
    for (const name of [...terminals, ...tasks, 'agent-transcripts/', 'chatSessions/s.jsonl'])
      assert.ok(
        opened.some((line) => line.includes(name)),
        `${name} is read`,
      );
    assert.ok(
      opened.some((line) => line.includes(`${process.pid}.json`)),
      'the registry is read',
    );
    const isAllowed = (line: string): boolean =>
      /\bopen(?:at2?)?\(/.test(line)
        ? /\bO_RDONLY\b/.test(line) && !/\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)\b/.test(line)
        : /\bfcntl\(/.test(line) && !/SETLK/.test(line);
    assert.deepEqual(
      calls.filter((line) => !isAllowed(line)),
      [],
      'nothing is written, created or locked',
    );
    assert.deepEqual(
      calls.filter((line) => line.includes('.key')),
      [],
      'no key is opened',
    );
    assert.deepEqual(filesOf(home), before);

    const copies = /"([^"]*\/temporary)\/vitrine-sqlite-/.exec(lines.join('\n'))?.[1] ?? '';
    assert.ok(existsSync(copies), 'a database in use is copied');
    await place.close();
    assert.ok(!existsSync(copies), 'no copy stays');
  });
});

/** Made-up sessions of the agents of which there is no capture. */
function plantSamples(home: string): void {
  const storage = '.config/Code/User/globalStorage';
  const tasks = extensions.flatMap((extension) =>
    cline.records.map((record) => ({
      ...record,
      path: record.path.replace('User/globalStorage/x', `${storage}/${extension}`),
    })),
  );
  for (const record of [...vscodeChat.records, ...cursor.records, ...pi.records, ...tasks]) {
    if (!('text' in record)) continue;
    const file = path.join(home, path.relative('/h', record.path));
    mkdirSync(path.dirname(file), { recursive: true });
    appendFileSync(file, `${record.text}\n`);
  }
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}
