import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { connectRunning } from '../../src/client/connect.ts';
import { comparisonSchema } from '../../src/model/race/comparison.ts';
import { appliedSchema, raceSchema } from '../../src/model/race/race.ts';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { codexVariables, configureCodex, ensureCodex } from '../support/agents/codex.ts';
import { ensureCopilot } from '../support/agents/copilot.ts';
import { agentEnvironment, claudeVariables, copilotVariables } from '../support/agents/environment.ts';
import type { InstallResult } from '../support/agents/install.ts';
import { allowTools, processesOf } from '../support/agents/place.ts';
import { repository } from '../support/host/install/cache.mjs';
import { newRunFolder, type RunFolder } from '../support/host/runFolder.ts';
import { startModelServer } from '../support/models/anthropic.ts';
import { startOpenaiServer } from '../support/models/openai.ts';
import { type Block, type Scenarios, text, tool } from '../support/models/scripts/scenario.ts';
import type { ModelServer } from '../support/models/server.ts';
import { noLeftovers, UserRepository } from '../support/race/repository.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';

const codexVersion = '0.169.0';
/** 1 by default, 50 with VITRINE_KILLS=750. */
const kills = Math.ceil(Number(process.env['VITRINE_KILLS'] ?? 15) / 15);
/** Every answer uses 1,000 tokens. */
const usage = { input_tokens: 900, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 100 };

/** The same script with the command tool of each agent. */
const scenarios = (run: (command: string) => Block): Scenarios => ({
  change: [
    { blocks: [run('sed -i "s/two/$VITRINE_LANE/" story.txt && echo "$VITRINE_PORT" > "$VITRINE_LANE.port"')], usage },
    { blocks: [text('I changed story.txt.')], usage },
  ],
  // Again and again: Codex asks after 30 seconds what to do with a command that still runs.
  sleep: [{ blocks: [run('sleep 600')], usage }],
});

describe('a race of Claude Code, Codex and Copilot CLI', function () {
  const names = ['claude-code', 'codex', 'copilot'];
  let folder: RunFolder;
  let store: string;
  let env: Record<string, string>;
  let user: UserRepository;
  const models: ModelServer[] = [];

  before(async function () {
    const programs: Record<string, InstallResult> = {
      claude: await ensureClaudeCode('2.1.328'),
      codex: await ensureCodex(codexVersion),
      copilot: await ensureCopilot(),
    };
    folder = newRunFolder('agent');
    store = path.join(folder.root, 'store');
    const bin = path.join(folder.root, 'bin');
    mkdirSync(bin);
    for (const [name, installed] of Object.entries(programs)) {
      if ('missing' in installed) skip(this, installed.missing);
      symlinkSync(installed.program, path.join(bin, name));
    }
    const claude = await startModelServer({
      scenarios: scenarios((command) => tool('Bash', { command, timeout: 600_000 })),
    });
    const codex = await startOpenaiServer({
      scenarios: scenarios((cmd) => tool('exec_command', { cmd, yield_time_ms: 30_000 })),
    });
    const copilot = await startModelServer({
      scenarios: scenarios((command) => tool('bash', { command, description: 'A command' })),
    });
    models.push(claude, codex, copilot);
    allowTools(folder.home);
    configureCodex(folder.home, codex.url, codexVersion);
    const variables = { ...claudeVariables(claude.url), ...codexVariables(), ...copilotVariables(copilot.url) };
    const found = agentEnvironment({ home: folder.home, modelUrl: claude.url }, () => variables);
    env = { ...found, PATH: `${bin}${path.delimiter}${found['PATH'] ?? ''}` };
    user = new UserRepository(folder.workspace);
  });
  after(async () => {
    // Undefined where the suite was skipped.
    if ((env as Record<string, string> | undefined) !== undefined) await vitrine('daemon', 'stop', '--now').ended;
    for (const model of models) await model.stop();
    (folder as RunFolder | undefined)?.remove();
  });

  function vitrine(...args: string[]) {
    const all = [path.join(repository, 'dist/cli.js'), ...args, '--store', store];
    const child = spawn(process.execPath, all, { cwd: folder.workspace, env, stdio: 'pipe' });
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    const ended = Promise.all([exit, textOf(child.stdout), textOf(child.stderr)]);
    return { child, ended: ended.then(([code, stdout, stderr]) => ({ code, stdout, stderr })) };
  }
  async function race(...args: string[]) {
    const { code, stdout, stderr } = await vitrine('race', ...args).ended;
    assert.equal(code, 0, stderr);
    return stdout;
  }
  const modes = ['codex', 'copilot'].flatMap((name) => ['--permission-mode', `${name}=bypassPermissions`]);
  const allThree = ['--agents', 'claude,codex,copilot', ...modes, '--json'];
  const run = (tokens: number, prompt: string, ...args: string[]) =>
    race(...allThree, '--max-tokens', String(tokens), ...args, prompt);

  it('gives each a worktree, compares the results, applies one, and leaves nothing behind', async () => {
    const before = user.state();
    const printed = await run(1_000_000, 'Change the story. [[change]]', '--check', 'grep -q codex story.txt');
    const { race_id, results, overlaps } = comparisonSchema.parse(JSON.parse(printed));
    const id = race_id ?? '';
    assert.deepEqual(user.state(), before, 'a race leaves the work of the user alone');
    assert.deepEqual(
      results.map(({ name, outcome, check }) => [name, outcome, check?.exit_code]),
      names.map((name) => [name, 'completed', name === 'codex' ? 0 : 1]),
    );
    for (const { name, files, tokens, ms } of results) {
      const changed = files?.map((file) => [file.path, file.added, file.removed]);
      assert.deepEqual(changed, [
        [`${name}.port`, 1, 0],
        ['story.txt', 1, 1],
      ]);
      assert.equal(tokens, 2000, name);
      assert.ok(ms !== null && ms > 0);
    }
    assert.deepEqual(
      overlaps.map(({ a, b, files, lines }) => [a, b, files, lines]),
      [
        ['claude-code', 'codex', ['story.txt'], 1],
        ['claude-code', 'copilot', ['story.txt'], 1],
        ['codex', 'copilot', ['story.txt'], 1],
      ],
    );
    const applied = appliedSchema.parse(JSON.parse(await race('apply', id, 'codex', '--json')));
    assert.deepEqual(applied.files, ['codex.port', 'story.txt']);
    assert.equal(user.read('story.txt'), 'one\ncodex\nthree\nfour\nfive\nmine\n', 'the change of the user stays');
    await race('undo', id);
    assert.deepEqual(user.state(), before);
    await race('clean', id, '--force');
    assert.deepEqual(user.leftovers(), noLeftovers);
    assert.equal(await race('list', '--json'), '');
    await goneFromAgents();
  });

  it('stops all of them when they have used its budget together', async () => {
    const before = user.state();
    const printed = await run(1500, 'Sleep. [[sleep]]');
    const { race_id, results } = comparisonSchema.parse(JSON.parse(printed));
    assert.deepEqual(
      results.map(({ name, outcome }) => [name, outcome]),
      names.map((name) => [name, 'stopped']),
    );
    for (const { reason } of results) assert.match(reason ?? '', /^The budget for this race is used up/);
    await goneFromAgents();
    await race('clean', race_id ?? '', '--force');
    assert.deepEqual(user.leftovers(), noLeftovers);
    assert.deepEqual(user.state(), before);
  });

  it(`loses no work if the daemon is killed at a random moment, ${kills} times`, async function () {
    this.timeout(kills * 180_000);
    const races = path.join(store, 'races');
    const raceFiles = () => (existsSync(races) ? readdirSync(races) : []);
    const before = user.state();
    let found = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const command = vitrine('race', ...allThree, '--check', 'sleep 0.2', 'Change the story. [[change]]');
      // From before its first file until after its end; half of them when there is a file.
      if (kill % 2 === 1) await until('the file of the race', () => raceFiles().some((name) => name.endsWith('.json')));
      await delay(Math.random() * 8000);
      await killDaemon();
      command.child.kill('SIGKILL');
      await command.ended;
      assert.deepEqual(user.state(), before);
      const listed = (await race('list', '--json')).split('\n').filter(Boolean);
      for (const line of listed) {
        const { race_id: id, state, lanes } = raceSchema.parse(JSON.parse(line));
        assert.notEqual(state, 'running');
        // Without force, work of agents stays.
        const { code } = await vitrine('race', 'clean', id).ended;
        if (code === 0) continue;
        assert.ok(lanes.some(({ started }) => started));
        await race('clean', id, '--force');
      }
      found += listed.length;
      assert.deepEqual(user.leftovers(), noLeftovers);
      assert.deepEqual(raceFiles(), []);
      assert.deepEqual(user.state(), before);
      await goneFromAgents();
    }
    // A single race may have been killed before it had begun.
    assert.ok(found > 0 || kills < 2);
  });

  async function killDaemon(): Promise<void> {
    const connection = await connectRunning({ storeDir: store, build: 'test', client: { kind: 'api', person: false } });
    if (connection !== null) process.kill(connection.daemon.pid, 'SIGKILL');
    await connection?.closed;
  }

  /** The daemon has the same home. */
  async function goneFromAgents(): Promise<void> {
    await until('the end of the agents', () => !processesOf(folder.home).some((line) => !line.includes('daemon.js')));
  }
});
