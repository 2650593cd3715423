import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { adapters } from '../../../../src/agents/registry.ts';
import { outputProfile } from '../../../../src/engine/replay/outputProfile.ts';
import { readBy } from '../../../support/captures/agentCaptures.ts';
import { Bench, readEntries, waitForResult, waitForEntry } from '../../../support/fakeAgent/engine.ts';

/** One capture of each executor. */
const captures: Readonly<Record<string, string>> = {
  'claude-code': '2.1.328/tools-partial',
  codex: '0.169.0/tools-workspace-write',
  copilot: '1.0.102/resume-tools',
  gemini: '0.61.0/tools-yolo',
  cursor: 'documented/documented-example',
  acp: 'claude-agent-acp-0.100.0/tools-client-fs',
  'acp-http': 'documented/weather',
};
const fileOf = (type: string): string => path.resolve('test/fixtures', type, `${captures[type]}.stdout.jsonl`);

describe('a file with output of an agent', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  for (const adapter of adapters) {
    it(`of ${adapter.label} is played as a recording`, async () => {
      const file = fileOf(adapter.type);
      const engine = await bench.engine({ adapters });
      assert.deepEqual(
        (await engine.recognizeOutput(file)).map(({ type }) => type),
        [adapter.type],
      );
      const profile = outputProfile(adapter.type, file);
      const handle = await engine.start({ agent: 'replay', profile, cwd: bench.cwd, prompt: 'Replay' });
      const result = await waitForResult(handle);
      assert.equal(result.success, true, result.error);
      const { recording, agent_label: label } = handle.summary();
      assert.deepEqual([recording, label], [true, `${adapter.label} (recording)`]);

      const [prompt, note, ...played] = await readEntries(handle);
      assert.equal(prompt?.origin, 'replay');
      assert.match(note?.content ?? '', /It runs no commands and changes no files/);
      const lines = readFileSync(file, 'utf8').split('\n');
      const expected = readBy(
        adapter,
        lines.map((text) => ({ stream: 'stdout', text })),
        { code: null, signal: null },
        { workDir: bench.cwd, firstIndex: 2, prompt: 'Replay' },
      ).entries;
      const shown = (all: typeof expected) =>
        all.map(({ index, type, content }) => ({ index, kind: type.kind, content }));
      assert.deepEqual(shown(played), shown(expected));
      assert.deepEqual(readFileSync(handle.rawPath(handle.turns()[0]!.runId).stdout), readFileSync(file));
      assert.deepEqual(await readdir(bench.cwd), [], 'no file is touched');

      const over = await engine.resume(handle.id, { prompt: 'More' });
      assert.match((await readEntries(over)).at(-1)?.content ?? '', /The recording has ended/);
      assert.equal(over.summary().outcome, 'completed');
    });
  }

  it('ends like the agent, if that is given', async () => {
    const engine = await bench.engine({ adapters });
    for (const [exit, end] of [
      [{ code: null, signal: 'SIGKILL' }, 'interrupted'],
      [{ code: 3, signal: null }, 'error'],
    ] as const) {
      const profile = outputProfile('codex', fileOf('codex'), exit);
      const handle = await engine.start({ agent: 'replay', profile, cwd: bench.cwd, prompt: 'Replay' });
      const { metadata } = await waitForResult(handle);
      assert.deepEqual([metadata?.exitCode, metadata?.signal, metadata?.endReason], [exit.code, exit.signal, end]);
    }
  });

  it('plays at the selected speed, and can be stopped', async () => {
    // The second line would come after hours.
    const engine = await bench.engine({ adapters, settings: () => ({ replaySpeed: 1e-6 }) });
    const profile = outputProfile('codex', fileOf('codex'));
    const handle = await engine.start({ agent: 'replay', profile, cwd: bench.cwd, prompt: 'Replay' });
    await waitForEntry(handle, '- Session: ');
    await engine.stop(handle.id);
    assert.equal(handle.summary().status, 'stopped');
    const steps = (await readEntries(handle)).filter(({ type }) => type.kind !== 'system_message');
    assert.deepEqual(
      steps.map(({ type }) => type.kind),
      ['user_message'],
    );
  });

  it("must exist, and needs the agent's name if it is plain text", async () => {
    const engine = await bench.engine({ adapters });
    const missing = path.join(bench.dir, 'missing.jsonl');
    await assert.rejects(engine.recognizeOutput(missing), { code: 'output_unreadable' });
    const profile = outputProfile('codex', missing);
    const start = engine.start({ agent: 'replay', profile, cwd: bench.cwd, prompt: 'Replay' });
    await assert.rejects(start, { code: 'output_unreadable' });
    const plain = path.join(bench.dir, 'plain.txt');
    writeFileSync(plain, 'All tests pass.\n');
    assert.deepEqual(await engine.recognizeOutput(plain), []);
    const unknown = engine.start({ agent: 'replay', profile: `parrot:${plain}`, cwd: bench.cwd, prompt: 'Replay' });
    await assert.rejects(unknown, { code: 'agent_unknown' });
    assert.deepEqual(await engine.list(), []);
  });
});
