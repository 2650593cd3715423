import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from '../../../../src/engine/engine.ts';
import { EngineFailure } from '../../../../src/engine/failures/failures.ts';
import { Bench, waitForResult, prompt } from '../../../support/fakeAgent/engine.ts';

const answer = [{ init: true }, { say: 'done' }, { result: {} }];

describe('restoring the files of a session', () => {
  let bench: Bench;
  let engine: Engine;
  let id: string;
  /** Indexes of the two prompts. */
  let prompts: number[];
  const file = (name: string): string => path.join(bench.cwd, name);
  const text = (name: string): string | null => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : null);

  /** Two runs; the files change between them and after. */
  beforeEach(async () => {
    bench = new Bench();
    engine = await bench.engine({ copyFiles: true });
    execFileSync('git', ['init', '-q'], { cwd: bench.cwd });
    writeFileSync(file('.gitignore'), '*.log\n');
    writeFileSync(file('a.txt'), 'first\r\n');
    const handle = await engine.start(bench.request(answer));
    id = handle.id;
    await waitForResult(handle);
    writeFileSync(file('a.txt'), 'second');
    writeFileSync(file('b.txt'), 'new');
    writeFileSync(file('c.log'), 'ignored');
    const again = await engine.resume(id, { prompt: prompt(answer) });
    await waitForResult(again);
    prompts = again.turns().map(({ firstIndex }) => firstIndex);
    again.dispose();
    handle.dispose();
    writeFileSync(file('a.txt'), 'third');
    rmSync(file('b.txt'));
  });
  afterEach(() => bench.close());

  it('restores them at each prompt, and undoes it', async () => {
    const [first = -1, second = -1] = prompts;
    assert.deepEqual(
      (await engine.restores.points(id)).map(({ kind, entry }) => `${kind} ${entry}`),
      [`prompt ${first}`, `end ${second}`, `prompt ${second}`, `end ${(await engine.open(id)).entryCount()}`],
    );
    const preview = await engine.restores.preview(id, { entry: second });
    assert.deepEqual(
      preview.changes.map(({ path: name, kind }) => `${kind} ${name}`),
      ['changed a.txt', 'created b.txt'],
    );
    assert.equal(await engine.restores.content(id, preview.changes[0]?.after ?? ''), 'second');
    await engine.restores.restore(id, { entry: second }, preview.now);
    assert.deepEqual([text('a.txt'), text('b.txt'), text('c.log')], ['second', 'new', 'ignored']);
    await engine.restores.restore(id, { entry: first });
    assert.deepEqual([text('a.txt'), text('b.txt'), text('c.log')], ['first\r\n', null, 'ignored']);
    writeFileSync(file('other.txt'), 'written after the restore');
    await engine.restores.restore(id, { undo: true });
    assert.deepEqual([text('a.txt'), text('b.txt')], ['second', 'new']);
    assert.equal(text('other.txt'), 'written after the restore');
    const record = readFileSync(engine.recordPath(id), 'utf8');
    assert.equal(record.split('"type":"restore"').length - 1, 3);
  });

  it('restores nothing if a file changed since the preview, or an agent works in the folder', async () => {
    const target = { entry: prompts[0] ?? -1 };
    const { now } = await engine.restores.preview(id, target);
    writeFileSync(file('a.txt'), 'fourth');
    await assert.rejects(engine.restores.restore(id, target, now), (error) =>
      EngineFailure.is(error, 'restore_failed'),
    );
    const other = await engine.start(bench.request([{ init: true }, { until: 'go' }, { result: {} }]));
    await assert.rejects(engine.restores.restore(id, target), /is running in this folder/);
    assert.equal(text('a.txt'), 'fourth');
    await engine.stop(other.id);
    other.dispose();
  });

  it('never writes through a link', async () => {
    const outside = path.join(bench.dir, 'outside');
    mkdirSync(outside);
    mkdirSync(file('src'));
    writeFileSync(file('src/code.ts'), 'code');
    const run = await engine.resume(id, { prompt: prompt(answer) });
    await waitForResult(run);
    const at = run.turns().at(-1)?.firstIndex ?? -1;
    run.dispose();
    rmSync(file('src'), { recursive: true });
    symlinkSync(outside, file('src'));
    await engine.restores.restore(id, { entry: at });
    assert.deepEqual(readdirSync(outside), []);
    assert.equal(text('src/code.ts'), 'code');
    await engine.restores.restore(id, { undo: true });
    assert.deepEqual(readdirSync(outside), []);
    assert.deepEqual(readdirSync(file('src')), []);
  });

  it('says that git is missing, and that there is no copy', async () => {
    await assert.rejects(engine.restores.preview(id, { entry: 9999 }), /no copy of the files at entry 9999/);
    await assert.rejects(engine.restores.preview(id, { undo: true }), /has no restore to undo/);
    const without = await bench.engine({ environment: { PATH: bench.dir } });
    await assert.rejects(without.restores.points(id), /needs git/);
  });

  it('deletes the copies with the session', async () => {
    const folder = path.join(
      bench.store,
      'snapshots',
      readdirSync(path.join(bench.store, 'snapshots'))[0] ?? '',
      'git',
    );
    const refs = (): string => execFileSync('git', ['--git-dir', folder, 'for-each-ref'], { encoding: 'utf8' });
    assert.match(refs(), new RegExp(id));
    await engine.remove(id);
    assert.equal(refs(), '');
  });
});
