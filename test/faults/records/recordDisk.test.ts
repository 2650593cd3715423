import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RecordWriter, WriteProblem } from '../../../src/engine/record/contract.ts';
import { verifyRecord } from '../../../src/engine/record/chain/verify.ts';
import { maxWaitingBytes } from '../../../src/engine/record/write/retryingFile.ts';
import { unrecordedText, withUnrecorded } from '../../../src/engine/run/unrecordedResult.ts';
import { RecordStore } from '../../../src/engine/record/recordStore.ts';
import {
  aSession,
  anEntry,
  appendAll,
  entryLine,
  runId,
  sessionId,
  temporaryStore,
} from '../../support/sessions/records.ts';
import { silentLog } from '../../support/silentLog.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { startLimitedWriter } from '../../support/processes/writingChild.ts';

describe('a disk that rejects writes', function () {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let problems: WriteProblem[];
  const writers: RecordWriter[] = [];

  beforeEach(async () => {
    temporary = await temporaryStore();
    problems = [];
  });
  afterEach(async () => {
    await Promise.all(writers.splice(0).map((writer) => writer.close()));
    await temporary.remove();
  });

  function folder(): string {
    return path.dirname(temporary.store.path(sessionId));
  }

  async function created(): Promise<RecordWriter> {
    const writer = await temporary.store.create(aSession(), { onProblem: (problem) => problems.push(problem) });
    writers.push(writer);
    return writer;
  }

  async function indexes(): Promise<number[]> {
    const reader = await temporary.store.openReader(sessionId);
    const entries = await reader.read(0, 1000);
    for await (const line of reader.lines()) assert.ok(line.kind);
    assert.deepEqual(reader.problems, []);
    await reader.close();
    for (const entry of entries) assert.deepEqual(entry, anEntry(entry.index));
    return entries.map((entry) => entry.index);
  }

  it('because it is full: one message, then everything in order', async function () {
    if (!existsSync('/dev/full')) skip(this, 'this system has no /dev/full');
    await mkdir(folder(), { recursive: true });
    await symlink('/dev/full', path.join(folder(), 'record.jsonl'));
    await mkdir(path.join(folder(), 'runs'));
    await symlink('/dev/full', path.join(folder(), 'runs', `${runId}.stdout`));
    const writer = await created();
    const raw = writer.rawStream(runId, 'stdout');
    await appendAll(writer, [entryLine(0), entryLine(1)]);
    await raw.write(Buffer.from('abc'));
    await writer.flush();
    await appendAll(writer, [entryLine(2)]);
    await raw.write(Buffer.from('def'));
    assert.equal(writer.hasMemoryOnlyLines, true);
    assert.deepEqual(
      problems.map((problem) => problem.code),
      ['ENOSPC'],
    );
    const { unrecorded } = writer;
    assert.equal(unrecorded?.code, 'ENOSPC');
    assert.ok(unrecorded.bytes > 'abcdef'.length);
    const result = withUnrecorded({ success: true, warnings: ['a'] }, unrecorded);
    assert.deepEqual(result, { success: true, unrecorded, warnings: ['a', unrecordedText(unrecorded)] });
    await rm(path.join(folder(), 'record.jsonl'));
    await rm(path.join(folder(), 'runs', `${runId}.stdout`));
    await writeFile(path.join(folder(), 'record.jsonl'), '');
    await writeFile(path.join(folder(), 'runs', `${runId}.stdout`), '');
    await writer.flush();
    assert.deepEqual([writer.hasMemoryOnlyLines, writer.unrecorded], [false, null]);
    await appendAll(writer, [entryLine(3)]);
    await raw.write(Buffer.from('ghi'));
    await raw.close();
    assert.deepEqual(await indexes(), [0, 1, 2, 3]);
    assert.equal((await verifyRecord(temporary.store.path(sessionId))).verdict, 'intact');
    assert.equal(await readFile(path.join(folder(), 'runs', `${runId}.stdout`), 'utf8'), 'abcdefghi');
    assert.equal(problems.length, 1);
  });

  it('after half a line: the line is written again, on its own', async function () {
    if (!existsSync('/usr/bin/prlimit')) skip(this, 'there is no prlimit to make a small disk with');
    const child = startLimitedWriter(20_000, 'limited', temporary.dir, sessionId);
    await child.until(1);
    assert.deepEqual(child.said, ['in memory']);
    execFileSync('/usr/bin/prlimit', [`--pid=${child.process.pid}`, '--fsize=unlimited'], { env: {} });
    child.process.stdin.end();
    await child.ended;
    assert.deepEqual(child.said, ['in memory', 'written']);
    assert.match(child.complaints.join(''), /EFBIG/);
    const reader = await temporary.store.openReader(sessionId);
    const all = Array.from({ length: 200 }, (_, index) => anEntry(index));
    assert.deepEqual(await reader.read(0, 1000), all);
    assert.deepEqual(
      reader.problems.map(({ reason }) => reason),
      ['torn'],
    );
    await reader.close();
    assert.equal((await verifyRecord(temporary.store.path(sessionId))).verdict, 'intact');
  });

  it('because it is full within a batch, and then not: each line is there once, without a flush', async function () {
    const place = path.join(temporary.dir, 'small');
    await mkdir(place);
    try {
      execFileSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', place], { stdio: 'ignore' });
    } catch {
      skip(this, 'a small disk cannot be mounted here');
    }
    try {
      const store = new RecordStore(place, { clock: Date.now, log: silentLog });
      const writer = await store.create(aSession(), { onProblem: (problem) => problems.push(problem) });
      const filler = path.join(place, 'filler');
      await writeFile(filler, Buffer.alloc(120 * 1024));
      const count = 400;
      for (let from = 0; from < count; from += 50) {
        await writer.appendAll(Array.from({ length: 50 }, (_, index) => entryLine(from + index, 'x'.repeat(300))));
      }
      assert.equal(problems[0]?.code, 'ENOSPC');
      await rm(filler);
      const file = store.path(sessionId);
      await until('the record to catch up', async () =>
        (await readFile(file, 'utf8')).includes(`"index":${count - 1},`),
      );
      await writer.close();
      const entries = (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith('{"kind":"entry"'));
      const whole = entries.flatMap((line) => /^.*"index":(\d+),.*\}$/.exec(line)?.[1] ?? []);
      assert.deepEqual(
        whole,
        Array.from({ length: count }, (_, index) => String(index)),
      );
      assert.equal((await verifyRecord(file)).verdict, 'intact');
    } finally {
      execFileSync('/usr/bin/umount', [place]);
    }
  });

  it('for the folder: the session starts in memory', async () => {
    await writeFile(path.join(temporary.dir, 'sessions'), 'a file where a folder should be');
    const writer = await created();
    await appendAll(writer, [entryLine(0)]);
    await writer.rawStream(runId, 'stderr').write(Buffer.from('x'));
    await writer.flush();
    assert.equal(writer.hasMemoryOnlyLines, true);
    assert.equal(problems.length, 1);
    await rm(path.join(temporary.dir, 'sessions'));
    await writer.flush();
    assert.equal(writer.hasMemoryOnlyLines, false);
    assert.deepEqual(await indexes(), [0]);
    await assert.rejects(temporary.store.openWriter(sessionId), { name: 'RecordBusyError' });
    // The next time it fails is told again.
    assert.equal(problems.length, 1);
  });

  it('because it is read-only', async function () {
    if (process.getuid?.() === 0 || process.platform === 'win32') skip(this, 'permissions do not bind this user');
    await mkdir(path.join(temporary.dir, 'sessions'), { mode: 0o500 });
    const writer = await created();
    await appendAll(writer, [entryLine(0)]);
    assert.equal(problems[0]?.code, 'EACCES');
    await chmod(path.join(temporary.dir, 'sessions'), 0o700);
    await writer.flush();
    assert.deepEqual(await indexes(), [0]);
  });

  it('because the folder was deleted during writing: the files are written again', async () => {
    const writer = await created();
    const raw = writer.rawStream(runId, 'stdout');
    await appendAll(writer, [entryLine(0), entryLine(1)]);
    await raw.write(Buffer.from('abc'));
    await rm(folder(), { recursive: true });
    await appendAll(writer, [entryLine(2)]);
    await raw.write(Buffer.from('def'));
    await writer.flush();
    await appendAll(writer, [entryLine(3)]);
    assert.deepEqual(await indexes(), [0, 1, 2, 3]);
    assert.equal(await readFile(path.join(folder(), 'runs', `${runId}.stdout`), 'utf8'), 'abcdef');
    await assert.rejects(temporary.store.openWriter(sessionId), { name: 'RecordBusyError' });
    assert.deepEqual(problems, []);
  });

  it('for longer than memory lasts: keeps the beginning, and reports the loss', async () => {
    await writeFile(path.join(temporary.dir, 'sessions'), '');
    const writer = await created();
    const large = 'x'.repeat(8 * 1024 * 1024);
    const fit = Math.floor(maxWaitingBytes / large.length) - 1;
    for (let index = 0; index < fit + 4; index += 1) await writer.append(entryLine(index * 3, large));
    await writer.append(entryLine(999));
    await rm(path.join(temporary.dir, 'sessions'));
    await writer.flush();
    await writer.append(entryLine(1000));
    const reader = await temporary.store.openReader(sessionId);
    const saved = (await reader.read(0, 1001)).map((entry) => entry.index);
    assert.deepEqual(saved, [...Array.from({ length: fit }, (_, index) => index * 3), 1000]);
    const decisions = [];
    for await (const line of reader.lines()) if (line.kind === 'decision') decisions.push(line.decision);
    assert.deepEqual(
      decisions.map(({ type, writes }) => [type, writes]),
      [['record_lines_lost', 5]],
    );
    await reader.close();
    assert.equal((await verifyRecord(temporary.store.path(sessionId))).verdict, 'intact');
  });

  it('while the clock goes back', async () => {
    let now = Date.now();
    const moving = new RecordStore(temporary.dir, { clock: () => now, log: silentLog });
    const writer = await moving.create(aSession());
    now -= 48 * 3600_000;
    await appendAll(writer, [entryLine(0)]);
    await writer.flush();
    await assert.rejects(moving.openWriter(sessionId), { name: 'RecordBusyError' });
    assert.equal((await moving.list())[0]?.entries, 1);
    await appendAll(writer, [entryLine(1)]);
    assert.equal((await moving.list())[0]?.entries, 2);
    await writer.close();
    await (await moving.openWriter(sessionId)).close();
    assert.deepEqual(await indexes(), [0, 1]);
  });
});
