import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SessionHandle } from '../../../../src/engine/api.ts';
import { unreportedChangesSchema } from '../../../../src/model/transcript/unreported.ts';
import { Bench, benchDeps, readEntries, waitForResult, type Step } from '../../../support/fakeAgent/engine.ts';

/** The agent notes its pid in a file, as a command could, and no tool call says so. */
const behind = (file: string): Step[] => [
  { init: true },
  { tool: { id: 'call_1', command: 'make' } },
  { note: file },
  { toolResult: { id: 'call_1', text: '' } },
  { say: 'done' },
  { result: {} },
];

describe('a run that changed more than its tool calls report', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = new Bench();
    await mkdir(bench.cwd, { recursive: true });
    await writeFile(path.join(bench.cwd, 'a.txt'), 'one\n');
  });
  afterEach(() => bench.close());

  const notes = async (handle: SessionHandle) =>
    (await readEntries(handle)).filter(
      ({ type }) => type.kind === 'system_message' && type.subtype === 'unreported_changes',
    );
  const decisions = async (handle: SessionHandle): Promise<Record<string, unknown>[]> => {
    const record = path.join(path.dirname(path.dirname(handle.rawPath('run_000000000000').stdout)), 'record.jsonl');
    const lines = (await readFile(record, 'utf8')).trim().split('\n');
    const all = lines.map((line) => JSON.parse(line) as { decision?: Record<string, unknown> });
    return all.flatMap(({ decision }) => (decision?.['type'] === 'unreported_changes' ? [decision] : []));
  };

  it('notes it in the transcript and the record', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request(behind(path.join(bench.cwd, 'a.txt'))));
    const result = await waitForResult(handle);
    assert.equal(result.success, true, JSON.stringify(result));
    const [note, ...others] = await notes(handle);
    assert.equal(note?.content, 'A file changed during the run without a reported tool call:\n\n- `a.txt` changed');
    assert.equal(note.origin, 'system');
    assert.deepEqual(others, []);
    const reported = unreportedChangesSchema.parse(note.metadata?.['unreported']);
    assert.deepEqual(reported, { how: 'files', changes: [{ path: 'a.txt', kind: 'changed' }], total: 1 });
    const [decision] = await decisions(handle);
    assert.deepEqual([decision?.['run_id'], decision?.['total']], [handle.turns()[0]?.runId, 1]);
    // The note belongs to the run.
    assert.equal(handle.summary().entries, note.index + 1);
    handle.dispose();
  });

  it('notes nothing if nothing else changed, but records the check', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request(behind(bench.pidFile)));
    await waitForResult(handle);
    assert.deepEqual(await notes(handle), []);
    assert.deepEqual(
      (await decisions(handle)).map(({ total }) => total),
      [0],
    );
    handle.dispose();
  });

  it('checks each run separately', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request(behind(path.join(bench.cwd, 'a.txt'))));
    await waitForResult(handle);
    const again = await engine.resume(handle.id, { prompt: JSON.stringify(behind(path.join(bench.cwd, 'b.txt'))) });
    await waitForResult(again);
    assert.deepEqual(
      (await notes(again)).map(({ content }) => content.split('\n').at(-1)),
      ['- `a.txt` changed', '- `b.txt` added'],
    );
    again.dispose();
    handle.dispose();
  });

  it('checks nothing if disabled', async () => {
    const settings = () => ({ ...benchDeps(bench.store).settings(), unreportedChanges: false });
    const engine = await bench.engine({ settings });
    const handle = await engine.start(bench.request(behind(path.join(bench.cwd, 'a.txt'))));
    await waitForResult(handle);
    assert.deepEqual(await notes(handle), []);
    assert.deepEqual(await decisions(handle), []);
    handle.dispose();
  });

  it('finds git in the environment of the folder, because a daemon has no environment of its own', async () => {
    execFileSync('git', ['init', '--quiet', bench.cwd]);
    const { environment, settings } = benchDeps(bench.store);
    const engine = await bench.engine({
      environment: {},
      settings: (folder) => (folder === bench.cwd ? { ...settings(folder), environment } : {}),
    });
    const handle = await engine.start(bench.request(behind(path.join(bench.cwd, 'a.txt'))));
    await waitForResult(handle);
    assert.deepEqual(
      (await decisions(handle)).map(({ how, total }) => ({ how, total })),
      [{ how: 'git', total: 1 }],
    );
    handle.dispose();
  });
});
