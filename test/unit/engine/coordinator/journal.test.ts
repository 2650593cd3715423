import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { appendFile, mkdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Job } from '../../../../src/coordinator/api.ts';
import { Journal } from '../../../../src/engine/coordinator/journal.ts';
import { StillCoordinator } from '../../../support/queue/coordinator.ts';

describe('the journal of a queue', () => {
  let folder: string;
  let file: string;
  let said: string[];
  const none = (): void => undefined;
  const add = (message: string): void => void said.push(message);
  const open = (bound?: number) =>
    new Journal(file, { debug: none, info: none, warn: add, error: add }, bound === undefined ? {} : { bound });
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'vitrine-journal-'));
    file = path.join(folder, 'journal.jsonl');
    said = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Of so many runs that were queued one after the other. */
  function changesOf(runs: number): readonly Job[] {
    const still = new StillCoordinator();
    for (let at = 0; at < runs; at += 1) still.create({ prompt: `${at}` });
    return still.changes;
  }
  const prompts = async () => (await open().read()).map(({ run }) => run.prompt);
  const lineOf = (job: Job | undefined) => JSON.stringify({ kind: 'job', job });

  it('is empty if it does not exist, and an error if it cannot be read', async () => {
    assert.deepEqual(await open().read(), []);
    await mkdir(file);
    await assert.rejects(open().read());
  });

  it('is read line by line; a damaged line loses only itself', async () => {
    const [first, second, third] = changesOf(3);
    const lines = [lineOf(first), 'nonsense', `"${'x'.repeat(17 << 20)}"`, lineOf(second), '', ''];
    await writeFile(file, lines.join('\n'));
    await appendFile(file, lineOf(third));
    assert.deepEqual(await prompts(), ['0', '1', '2']);
    assert.deepEqual(said, [`2 damaged lines in ${file}.`]);
  });

  it('has later what could not be written when it happened', async () => {
    const journal = open();
    const [first, second, third, fourth] = changesOf(4) as [Job, Job, Job, Job];
    const keep = async (change: Job): Promise<void> => {
      journal.add(change);
      await journal.flush(() => []);
    };
    await keep(first);
    // As where the disk is full: a part of the line is there.
    await appendFile(file, '{"kind":"jo');
    await rename(file, `${file}.aside`);
    await mkdir(file);
    await keep(second);
    await keep(third);
    await rmdir(file);
    await rename(`${file}.aside`, file);
    await keep(fourth);
    assert.deepEqual(await prompts(), ['0', '1', '2', '3']);
    assert.equal(said.filter((message) => message.includes('cannot be saved')).length, 1);
  });

  it('is compacted during use when it has grown', async () => {
    const journal = open(20_000);
    const changes = changesOf(1000);
    const last = changes.slice(-3);
    let most = 0;
    for (const change of changes) {
      journal.add(change);
      await journal.flush(() => last);
      most = Math.max(most, (await stat(file)).size);
    }
    assert.ok(most <= 20_000, `${most} bytes`);
    assert.deepEqual((await prompts()).slice(-3), ['997', '998', '999']);
  });

  it('is compacted only if that makes it shorter', async () => {
    const journal = open(1000);
    const changes = changesOf(100);
    let times = 0;
    for (const change of changes) {
      journal.add(change);
      await journal.flush(() => {
        times += 1;
        return changes.slice(0, changes.indexOf(change) + 1);
      });
    }
    assert.ok(times < 10, `${times} times`);
    assert.equal((await prompts()).length, 100);
  });

  it('is compacted with the next change if that failed', async () => {
    const journal = open(1000);
    const [first, ...others] = changesOf(20) as [Job, ...Job[]];
    await mkdir(`${file}.new`);
    for (const change of others) {
      journal.add(change);
      await journal.flush(() => others);
    }
    const before = await readFile(file, 'utf8');
    assert.ok(before.length <= 1000);
    await rmdir(`${file}.new`);
    journal.add(first);
    await journal.flush(() => [...others, first]);
    assert.equal((await prompts()).length, 20);
  });
});
