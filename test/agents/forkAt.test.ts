import assert from 'node:assert/strict';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { storeFormats } from '../../src/agents/stores/formats.ts';
import { Forks } from '../../src/daemon/sessions/forks.ts';
import { observedId } from '../../src/engine/sources/ids.ts';
import { SessionSources } from '../../src/engine/sources/sources.ts';
import { loadPrices } from '../../src/insight/prices/prices.ts';
import type { SessionHandle } from '../../src/engine/api.ts';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { codexVariables, configureCodex, ensureCodex } from '../support/agents/codex.ts';
import { AgentRuns, ended, entriesOf } from '../support/agents/runs.ts';
import { type AgentSuiteOptions, agentSuite } from '../support/agents/suite.ts';
import { startOpenaiServer } from '../support/models/openai.ts';
import { type Block, type Scenarios, text, tool } from '../support/models/scripts/scenario.ts';
import { noProcesses } from '../support/stores/homes.ts';

/** Prompts of the session that is forked at each of them: 3, or as VITRINE_PROMPTS says. */
const prompts = Number(process.env['VITRINE_PROMPTS'] ?? 3);

const usage = {
  input_tokens: 400,
  cache_creation_input_tokens: 100,
  cache_read_input_tokens: 800,
  output_tokens: 60,
};

/** Prompt `n` writes `n` into a file, and makes it executable if `n` is odd. */
function scenarios(run: (command: string) => Block): Scenarios {
  const steps = Array.from({ length: prompts }, (_, n) => [
    `step${n}`,
    [
      { blocks: [run(`echo ${n} > state.txt; chmod ${n % 2 === 0 ? 644 : 755} state.txt`)], usage },
      { blocks: [text(`Answer ${n}.`)], usage },
    ],
  ]);
  return { ...Object.fromEntries(steps), instead: [{ blocks: [text('Something else.')], usage }] } as Scenarios;
}

const agents: readonly (Omit<AgentSuiteOptions, 'scenarios'> & {
  readonly title: string;
  readonly run: (command: string) => Block;
})[] = [
  {
    title: 'Claude Code 2.1.328',
    ensure: () => ensureClaudeCode('2.1.328'),
    runs: 'claude-code',
    run: (command) => tool('Bash', { command, description: 'Write the number' }),
  },
  {
    title: 'Claude Code 2.0.77',
    ensure: () => ensureClaudeCode('2.0.77'),
    runs: 'claude-code',
    run: (command) => tool('Bash', { command, description: 'Write the number' }),
  },
  {
    title: 'Codex 0.169.0',
    ensure: () => ensureCodex('0.169.0'),
    runs: 'codex',
    name: 'codex',
    variables: codexVariables,
    serve: startOpenaiServer,
    configure: (home, modelUrl) => configureCodex(home, modelUrl, '0.169.0'),
    run: (cmd) => tool('exec_command', { cmd, yield_time_ms: 30_000 }),
  },
];

for (const { title, run, ...options } of agents) {
  describe(`a session of ${title}`, function () {
    if (prompts > 3) this.timeout(prompts * 120_000);
    const agent = agentSuite({ ...options, scenarios: () => scenarios(run) });
    const type = options.runs === 'codex' ? 'codex' : 'claude-code';
    let runs: AgentRuns;
    let session: SessionHandle;
    let forks: Forks;
    /** Indexes of its prompts. */
    let places: number[];

    before(async () => {
      const { home, env, place } = { ...agent.place, place: agent.place };
      runs = new AgentRuns(type, place, { interactive: true, copyFiles: true });
      const sources = new SessionSources({
        formats: storeFormats,
        place: { env, home, platform: process.platform },
        processes: noProcesses,
        clock: Date.now,
      });
      forks = new Forks({
        engine: runs.engine,
        open: (id) => runs.engine.open(id),
        sources: {
          historyOf: async ({ executor_session_id: native = '' }) =>
            (await sources.history(observedId(type, native), await loadPrices())) ?? undefined,
        },
      });
      // What Claude Code may do is in its settings.
      const mode = type === 'codex' ? { permissionMode: 'bypassPermissions' } : {};
      session = await runs.start('Prompt 0. [[step0]]', mode);
      for (let n = 1; n < prompts; n += 1) {
        assert.equal((await ended(session)).success, true);
        session = await runs.keep(
          runs.engine.resume(session.id, { prompt: `Prompt ${n}. [[step${n}]]`, options: mode }),
        );
      }
      assert.equal((await ended(session)).success, true);
      places = (await entriesOf(session)).flatMap(({ type: { kind }, index }) =>
        kind === 'user_message' ? [index] : [],
      );
      assert.equal(places.length, prompts);
    });
    after(() => runs.dispose());

    it('is forked at each prompt: the agent knows what came before, and nothing after', async () => {
      for (const [n, at] of places.entries()) {
        const plan = await forks.plan(session.id, at);
        assert.deepEqual(plan, { way: n === 0 ? 'nothing' : 'conversation', prompt: `Prompt ${n}. [[step${n}]]` });
        const prompt = `Instead of ${n}. [[instead]]`;
        const id = await forks.create(session.summary(), { at, prompt });
        const forked = await runs.resume(id, prompt);
        const result = await ended(forked);
        assert.equal(result.success, true, result.error);
        const messages = runs.sentPrompt('instead');
        for (let other = 0; other < prompts; other += 1) {
          assert.equal(messages.includes(`Prompt ${other}.`), other < n, `prompt ${other} in the fork at ${n}`);
          assert.equal(messages.includes(`Answer ${other}.`), other < n, `answer ${other} in the fork at ${n}`);
        }
        assert.match(messages, new RegExp(`Instead of ${n}\\.`));
        const summary = forked.summary();
        assert.equal(summary.forked_from?.session_id, session.id);
        assert.notEqual(summary.executor_session_id, session.summary().executor_session_id);
        // What came before was paid in the other session.
        const { input = 0, output = 0 } = summary.total_usage;
        assert.deepEqual(summary.total_usage, summary.usage);
        // This version also asks a small model for titles.
        if (title === 'Claude Code 2.0.77') assert.ok(input < 2 * usage.input_tokens, `${input} tokens at ${n}`);
        else assert.deepEqual({ input, output }, { input: 400, output: 60 }, `at ${n}`);
        const shown = (await entriesOf(forked)).flatMap(({ type: { kind }, content }) =>
          kind === 'user_message' ? [content] : [],
        );
        assert.deepEqual(shown, [
          ...Array.from({ length: n }, (_, other) => `Prompt ${other}. [[step${other}]]`),
          `Instead of ${n}. [[instead]]`,
        ]);
      }
    });

    it('restores its files at each prompt', async () => {
      const file = path.join(agent.place.workspace, 'state.txt');
      for (const [n, at] of [...places.entries()].reverse()) {
        await writeFile(file, 'mine\n');
        await chmod(file, 0o640);
        await runs.engine.restores.restore(session.id, { entry: at });
        if (n === 0) await assert.rejects(stat(file), { code: 'ENOENT' });
        else {
          assert.equal(await readFile(file, 'utf8'), `${n - 1}\n`);
          if (process.platform !== 'win32')
            assert.equal((await stat(file)).mode & 0o777, (n - 1) % 2 === 0 ? 0o644 : 0o755);
        }
        await runs.engine.restores.restore(session.id, { undo: true });
        assert.equal(await readFile(file, 'utf8'), 'mine\n');
      }
    });
  });
}
