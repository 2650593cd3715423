import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { addUsage, type TokenUsage } from '../../../../src/model/usage/usage.ts';
import { vscodeRequest, vscodeState } from '../../../support/stores/editorSamples.ts';
import { captureFile, capturesOf, noProcesses, sourcesOf, truthOf } from '../../../support/stores/homes.ts';
import { openCode } from '../../../support/stores/terminalSamples.ts';

const second = Date.UTC(2026, 2, 1, 10, 0, 0);

describe('sessions in stores of other kinds', () => {
  let home = '';

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'vitrine-test-'));
  });

  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });

  async function list() {
    return sourcesOf(home).list(await loadPrices());
  }

  async function write(file: string, content: unknown): Promise<void> {
    const full = path.join(home, file);
    await mkdir(path.dirname(full), { recursive: true });
    await writeFile(full, typeof content === 'string' ? content : JSON.stringify(content));
  }

  /** Everything below the home: name, size, times. Of what is read, only the time of the last reading changes. */
  async function state(): Promise<string[]> {
    const names = await readdir(home, { recursive: true });
    return Promise.all(
      names.sort().map(async (name) => {
        const { size, mtimeMs, ctimeMs, mode } = await stat(path.join(home, name));
        return [name, size, mtimeMs, ctimeMs, mode].join(' ');
      }),
    );
  }

  for (const name of ['gemini', 'qwen', 'opencode'].flatMap(capturesOf)) {
    it(`lists those of ${name}, and leaves the home as it was`, async () => {
      await cp(captureFile(name, 'home'), home, { recursive: true });
      const before = await state();
      const rows = await list();
      assert.deepEqual(await state(), before);
      const { expected, truth } = truthOf(name);
      assert.equal(rows.length, expected.sessions.length);
      assert.equal(
        rows.reduce((sum, { prompts }) => sum + prompts, 0),
        expected.sessions.reduce((sum, { userTurns }) => sum + userTurns, 0),
      );
      for (const row of rows) {
        assert.equal(row.problem, null);
        assert.equal(row.live.state, 'ended');
        assert.equal(row.project_dir, '/home/dev/project');
      }
      if (name.endsWith('killed-while-streaming') || name === 'gemini-0.30.1/prompt-tools') return;
      const { input = 0, cacheRead = 0 } = rows.reduce<TokenUsage>((sum, row) => addUsage(sum, row.total_usage), {});
      const sent = truth.onDisk ?? truth.turns;
      assert.deepEqual([input + cacheRead, cacheRead], [sent.inputInclCached, sent.cacheRead]);
    });
  }

  it('reads the transcript of a session in a database', async () => {
    await cp(captureFile('opencode-1.18.33/run-resume-fork', 'home'), home, { recursive: true });
    const sources = sourcesOf(home);
    const fork = (await sources.list(await loadPrices())).find(({ title }) => title?.includes('fork') === true);
    assert.equal(fork?.prompts, 1);
    const transcript = await sources.read(fork.session_id);
    const said = transcript?.entries.flatMap(({ type, content }) =>
      type.kind === 'assistant_message' ? [content] : [],
    );
    assert.equal(said?.length, 3);
    assert.equal(said[2], 'The output is written when the input ends.');
  });

  it('counts subagents of a database with the session that started them', async () => {
    await mkdir(path.join(home, '.local/share/opencode'), { recursive: true });
    const database = new DatabaseSync(path.join(home, '.local/share/opencode/opencode.db'));
    database.exec(`CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
      time_created INTEGER, time_updated INTEGER);
      CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
      CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`);
    for (const record of openCode.records) {
      if (record.kind !== 'row') continue;
      const columns = Object.keys(record.row);
      const values = columns.map((column) => record.row[column] as string | number);
      const names = columns.join(', ');
      const marks = columns.map(() => '?').join(', ');
      database.prepare(`INSERT INTO ${record.table} (${names}) VALUES (${marks})`).run(...values);
    }
    database.close();
    const rows = await list();
    assert.equal(rows.length, 1);
    assert.deepEqual(rows[0]!.total_usage, { input: 350, output: 44, cacheRead: 60, cacheWrite: 15, reasoning: 9 });
    assert.equal(rows[0]!.tool_calls, 1);
  });

  it('reads the files that OpenCode kept before it had a database', async () => {
    const storage = '.local/share/opencode/storage';
    await write(`${storage}/session/project/ses_1.json`, {
      id: 'ses_1',
      directory: '/home/dev/project',
      title: 'Find it',
      version: '1.0.0',
      time: { created: second, updated: second + 5000 },
    });
    const time = { created: second + 1000, completed: second + 2000 };
    await write(`${storage}/message/ses_1/msg_1.json`, { id: 'msg_1', sessionID: 'ses_1', role: 'user', time });
    await write(`${storage}/message/ses_1/msg_2.json`, {
      id: 'msg_2',
      sessionID: 'ses_1',
      role: 'assistant',
      modelID: 'claude-sonnet-4-5',
      cost: 0.5,
      tokens: { input: 10, output: 5, reasoning: 1, cache: { read: 3, write: 2 } },
      finish: 'stop',
      time,
    });
    const part = { sessionID: 'ses_1', type: 'text' };
    await write(`${storage}/part/msg_1/prt_1.json`, { ...part, id: 'prt_1', messageID: 'msg_1', text: 'Find it' });
    await write(`${storage}/part/msg_2/prt_2.json`, { ...part, id: 'prt_2', messageID: 'msg_2', text: 'Here' });
    const [row, ...others] = await list();
    assert.equal(others.length, 0);
    assert.equal(row?.prompt, 'Find it');
    assert.equal(row.title, 'Find it');
    assert.equal(row.project_dir, '/home/dev/project');
    assert.deepEqual(row.total_usage, { input: 10, output: 6, cacheRead: 3, cacheWrite: 2, reasoning: 1 });
    assert.ok(row.total_cost.provenance !== 'unknown' && row.total_cost.usd === 0.5);
  });

  it('reads chats and tasks of VS Code with the folder that they belong to', async () => {
    const user = '.config/Code/User';
    await write(`${user}/workspaceStorage/w1/workspace.json`, { folder: 'file:///home/dev/my%20project' });
    await write(`${user}/workspaceStorage/w1/chatSessions/one.json`, vscodeState);
    await write(
      `${user}/workspaceStorage/w1/chatSessions/one.jsonl`,
      `${JSON.stringify({ kind: 0, v: vscodeState })}\n`,
    );
    const other = { ...vscodeState, requests: [{ ...vscodeRequest, requestId: 'request_2' }] };
    await write(`${user}/globalStorage/emptyWindowChatSessions/two.json`, other);
    const tasks = `${user}/globalStorage/kilocode.kilo-code/tasks`;
    await write(`${tasks}/t1/ui_messages.json`, [{ ts: second, type: 'say', say: 'text', text: 'Fix it' }]);
    await write(`${tasks}/_index.json`, { entries: [{ id: 't1', workspace: '/home/dev/other' }] });
    const rows = (await list()).map((row) => [
      row.executor_type,
      row.executor_session_id,
      row.project_dir,
      row.prompts,
    ]);
    assert.deepEqual(rows.sort(), [
      ['kilo-code', 't1', '/home/dev/other', 1],
      ['vscode-chat', 'one', '/home/dev/my project', 1],
      ['vscode-chat', 'two', undefined, 1],
    ]);
  });

  it('says why a database cannot be read', async () => {
    await cp(captureFile('opencode-1.18.33/run-tools', 'home'), home, { recursive: true });
    const database = path.join(home, '.local/share/opencode/opencode.db');
    await truncate(database, 40_000);
    const torn = await list();
    assert.ok(torn.length > 0);
    assert.ok(torn.every(({ problem }) => problem !== null && problem !== ''));
    await writeFile(database, 'This is no database.');
    const [row, ...others] = await list();
    assert.equal(others.length, 0);
    assert.equal(row?.problem, 'This file is not an SQLite database.');
    assert.equal(row.source.path, database);
  });

  it('knows that Qwen Code runs while its process does', async () => {
    for (const [name, state] of [
      ['home@waiting-for-approval', 'running'],
      ['home@idle-after-turn-1', 'idle'],
    ] as const) {
      const captured = captureFile('qwen-0.24.4/tty-permission', name);
      const asked: unknown[] = [];
      const isAlive = async (pid: number, start: string | null) => Promise.resolve(asked.push([pid, start]) > 0);
      const [row] = await sourcesOf(captured, { ...noProcesses, isAlive }).list(await loadPrices());
      assert.equal(row?.live.state, state);
      assert.deepEqual([row.live.source, row.live.pid], ['process', 30010]);
      assert.deepEqual(asked[0], [30010, '330193']);
    }
  });
});
