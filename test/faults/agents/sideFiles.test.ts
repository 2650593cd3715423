import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { copilot } from '../../../src/agents/copilot/adapter.ts';
import type { SessionHandle } from '../../../src/engine/api.ts';
import { RunOutput } from '../../../src/engine/output/runOutput.ts';
import { createPrivateFolder, SideFiles } from '../../../src/engine/output/sideFiles.ts';
import { Bench, readEntries, fakeAgent, waitForResult, prompt, type Step } from '../../support/fakeAgent/engine.ts';
import { until } from '../../support/until.ts';
import { skip } from '../../support/skip.ts';

const own = '11111111-2222-4333-8444-555555555555';
const other = '99999999-2222-4333-8444-555555555555';
const named = (id: string): string => `2026-11-20T10:26:58.667Z [INFO] Workspace initialized: ${id} (checkpoints: 0)\n`;
const noise = '2026-11-20T10:26:58.600Z [INFO] Running in offline mode.\n';

describe('side files of an agent', function () {
  describe('that prints text only', () => {
    let bench: Bench;
    beforeEach(() => {
      bench = new Bench();
    });
    afterEach(() => bench.close());

    const run = async (version: string, steps: readonly Step[]): Promise<SessionHandle> => {
      const engine = await bench.engine({
        adapters: [copilot],
        settings: () => ({ agents: { copilot: { program: fakeAgent } } }),
        environment: { PATH: process.env['PATH'], FAKE_AGENT_VERSION: `GitHub Copilot CLI ${version}.` },
      });
      const handle = await engine.start({ agent: 'copilot', cwd: bench.cwd, prompt: prompt(steps) });
      await waitForResult(handle);
      return handle;
    };
    const runFiles = (handle: SessionHandle): Promise<string[]> =>
      readdir(path.dirname(handle.rawPath(handle.turns()[0]!.runId).stdout));

    it('give the conversation id from its log', async () => {
      const handle = await run('0.0.420', [
        { print: 'Hello.\n' },
        { log: { name: 'process-1-PID.log', text: noise } },
        { log: { name: 'process-1-PID.log', text: named(own) } },
      ]);
      assert.equal(handle.summary().executor_session_id, own);
      assert.equal(handle.summary().outcome, 'completed');
      assert.ok((await runFiles(handle)).every((name) => /\.(?:stdout|stderr)$/.test(name)));
    });

    it("prefer the log of the agent's own process", async () => {
      const handle = await run('0.0.420', [
        { log: { name: 'process-1-PID.log', text: noise } },
        { log: { name: 'process-0-4194999.log', text: named(other) } },
        { print: 'Hello.\n' },
        { log: { name: 'process-1-PID.log', text: named(own) } },
      ]);
      assert.equal(handle.summary().executor_session_id, own);
    });

    it('report a log without a conversation id', async () => {
      const handle = await run('0.0.420', [
        { print: 'Hello.\n\n● Read app.js\n' },
        { log: { name: 'process-1-PID.log', text: noise } },
      ]);
      const all = await readEntries(handle);
      const subtypes = all.flatMap(({ type }) => (type.kind === 'system_message' ? [type.subtype] : []));
      assert.ok(subtypes.includes('session_id_missing'));
      assert.ok(all.every(({ metadata }) => metadata === undefined));
      const said = all.find(({ type }) => type.kind === 'assistant_message');
      assert.equal(said?.content, 'Hello.\n\n● Read app.js');
    });
  });

  it('give the token counts from a file', async () => {
    const bench = new Bench();
    try {
      const engine = await bench.engine({
        adapters: [copilot],
        settings: () => ({ agents: { copilot: { program: fakeAgent } } }),
        environment: { PATH: process.env['PATH'], FAKE_AGENT_VERSION: 'GitHub Copilot CLI 1.0.102.' },
      });
      const usage = { inputTokens: 30, outputTokens: 5, cacheReadTokens: 20, cacheWriteTokens: 0 };
      const steps = [
        { event: { type: 'session.tools_updated', data: { model: 'claude-sonnet-4.5' } } },
        { event: { type: 'assistant.message', data: { messageId: 'm', content: 'Hello.' } } },
        { event: { type: 'result', sessionId: 'SESSION', exitCode: 0, usage: {} } },
        { usage: { modelMetrics: { 'claude-sonnet-4.5': { usage } } } },
      ];
      const handle = await engine.start({ agent: 'copilot', cwd: bench.cwd, prompt: prompt(steps) });
      const { metadata } = await waitForResult(handle);
      assert.deepEqual(metadata?.usage, { input: 10, output: 5, cacheRead: 20, cacheWrite: 0 });
      assert.equal(metadata.costProvenance.provenance, 'estimated');
      assert.equal(metadata.sessionId, handle.summary().executor_session_id);
      const stdout = handle.rawPath(handle.turns()[0]!.runId).stdout;
      assert.match(await readFile(stdout.replace(/stdout$/, 'usage'), 'utf8'), /modelMetrics/);
      assert.ok((await readdir(path.dirname(stdout))).every((name) => !name.endsWith('.files')));
      const said = (await readEntries(handle)).filter(({ type }) => type.kind !== 'user_message');
      assert.ok(said.every((entry) => entry.metadata?.sessionId === metadata.sessionId));
    } finally {
      await bench.close();
    }
  });

  describe('during a run', () => {
    let folder: string;
    let logs: string;
    let output: RunOutput;
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const watch = (change: { pid?: number; timeoutMs?: number } = {}): SideFiles => {
      const namesConversation = (line: string): boolean => line.includes('Workspace initialized');
      const deps = { label: 'Agent', folder, usageFile: path.join(folder, 'kept.usage'), pid: 42, pollMs: 10 };
      return new SideFiles({ log: { folder: logs, namesConversation } }, { ...deps, ...change });
    };
    const ids = (): readonly string[] => output.facts().sessionIds;

    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'vitrine-side-'));
      logs = path.join(folder, 'log');
      output = new RunOutput(copilot.createNormalizer({ workDir: folder, firstIndex: 0 }));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it('are read late, in pieces, while they are watched', async () => {
      const files = watch();
      await mkdir(logs);
      const file = path.join(logs, 'process-1-42.log');
      await writeFile(file, noise + named(own).slice(0, 60));
      output.push('stdout', Buffer.from('Hello.\n'), 0);
      await appendFile(file, named(own).slice(60));
      await until('the id', () => {
        files.readUpdates(output, 0);
        return ids().length > 0;
      });
      assert.deepEqual(ids(), [own]);
      const [later] = output.push('stderr', Buffer.from('Changes    +0 -0\n'), 0);
      assert.ok(later?.op === 'put' && later.entry.metadata?.sessionId === own);
      assert.equal((await files.end(output, 0)).note, null);
    });

    it("wait for the log of the agent's own process, and accept any at the end", async () => {
      await mkdir(logs);
      await writeFile(path.join(logs, 'process-0-7.log'), named(other));
      await writeFile(path.join(logs, 'process-1-42.log'), noise);
      const both = watch();
      await appendFile(path.join(logs, 'process-1-42.log'), named(own));
      await until('the id', () => {
        both.readUpdates(output, 0);
        return ids().length > 0;
      });
      assert.deepEqual(ids(), [own]);
      await both.end(output, 0);

      await mkdir(logs, { recursive: true });
      await writeFile(path.join(logs, 'process-0-7.log'), named(other));
      output = new RunOutput(copilot.createNormalizer({ workDir: folder, firstIndex: 0 }));
      await watch({ pid: 43 }).end(output, 0);
      assert.deepEqual(ids(), [other]);
    });

    it('are given up after a timeout, without a leftover timer', async () => {
      // The test's own limit of time begins when it waits for the first time.
      await immediate();
      const before = timers();
      const files = watch({ timeoutMs: 50 });
      assert.ok(timers() > before);
      // Not by a timer, which would be counted.
      while (timers() > before) await immediate();
      const { note } = await files.end(output, 0);
      assert.match(note?.content ?? '', /cannot be resumed/);

      const stopped = watch();
      stopped.stop();
      assert.ok(timers() <= before);
      await stopped.end(output, 0);
      assert.ok(timers() <= before);
    });

    it('are in a private folder', async function () {
      if (process.platform === 'win32') skip(this, 'modes of files are those of POSIX');
      const own700 = path.join(folder, 'own');
      await createPrivateFolder(own700);
      assert.equal((await stat(own700)).mode & 0o777, 0o700);
    });
  });
});
