import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive, ownIdentity, startTimeOf } from '../../../../../src/engine/process/identity/identity.ts';
import { RecordBusyError } from '../../../../../src/engine/record/errors.ts';
import { thisMachine } from '../../../../../src/engine/process/identity/holder.ts';
import { hasWriter, settledLease, WriterLease } from '../../../../../src/engine/record/write/writerLease.ts';
import { sessionId } from '../../../../support/sessions/records.ts';
import { skip } from '../../../../support/skip.ts';

describe('writer lease', () => {
  let folder: string;
  let now = Date.now();
  const clock = () => now;

  beforeEach(async () => {
    now = Date.now();
    folder = await mkdtemp(path.join(tmpdir(), 'vitrine-lease-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  function acquire() {
    return WriterLease.acquire(folder, sessionId, clock);
  }

  async function leave(change: object, age = 0): Promise<void> {
    const lease = { ...(await ownIdentity()), ...(await thisMachine()), at: new Date(now).toISOString(), ...change };
    const file = path.join(folder, 'writer.7.json');
    await writeFile(file, JSON.stringify(lease));
    await utimes(file, (now - age) / 1000, (now - age) / 1000);
  }

  it('is held by one process until it is released', async () => {
    assert.equal(await hasWriter(folder, clock), false);
    const lease = await acquire();
    assert.equal(await hasWriter(folder, clock), true);
    await assert.rejects(acquire(), { name: 'RecordBusyError' });
    await lease.release();
    assert.equal(await hasWriter(folder, clock), false);
    const next = await acquire();
    assert.deepEqual(await readdir(folder), ['writer.2.json']);
    await next.release();
  });

  it('appears with its holder, so that a killed process leaves no lease without one', async () => {
    await writeFile(path.join(folder, 'writer.1.json.99-0a1b2c3d.new'), '');
    const seen: string[] = [];
    let isOver = false;
    const watch = async (): Promise<void> => {
      while (!isOver) {
        for (const name of await readdir(folder))
          if (/^writer\.\d+\.json$/.test(name))
            seen.push(await readFile(path.join(folder, name), 'utf8').catch(() => '{}'));
      }
    };
    const watching = watch();
    for (let turn = 0; turn < 200; turn += 1) await (await acquire()).release();
    isOver = true;
    await watching;
    assert.ok(seen.length > 0);
    assert.equal(seen.filter((text) => text === '').length, 0);
    assert.deepEqual(await readdir(folder), ['writer.200.json'], 'what a killed process prepared is gone');
  });

  it('tells whether the head was saved, and keeps that if nothing is written', async () => {
    assert.equal(await settledLease(folder), null);
    const turns: [settled: boolean | undefined, after: number | null][] = [
      [undefined, null],
      [true, 2],
      [undefined, 3],
      [false, null],
      [undefined, null],
      [true, 6],
    ];
    for (const [isHeadSaved, after] of turns) {
      const lease = await acquire();
      assert.equal(await settledLease(folder), null, 'somebody writes');
      await lease.release(isHeadSaved === undefined ? {} : { isHeadSaved });
      assert.equal(await settledLease(folder), after);
    }
    await leave({ released: true });
    assert.equal(await settledLease(folder), 7, 'earlier versions said nothing of it');
    await leave({ pid: 2 ** 22 + 5 });
    await (await acquire()).release();
    assert.equal(await settledLease(folder), null, 'the one before crashed');
  });

  it('goes to exactly one of many', async () => {
    await leave({ pid: 2 ** 22 + 5, startTime: 'long ago' });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, acquire));
    assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1);
    assert.deepEqual(await readdir(folder), ['writer.8.json']);
  });

  it('names its holder', async () => {
    await acquire();
    await assert.rejects(acquire(), (error) => {
      assert.ok(RecordBusyError.is(error));
      assert.deepEqual([error.holder?.pid, error.holder?.hostname], [process.pid, hostname()]);
      return true;
    });
  });

  const hour = 3600_000;
  const cases: [string, () => object, number, boolean][] = [
    ['of a live process', () => ({}), 0, true],
    ['of a live process, long ago', () => ({}), 1000 * hour, true],
    ['of a process that is gone', () => ({ pid: 2 ** 22 + 5 }), 0, false],
    ['of a process whose number was given again', () => ({ startTime: 'another:1' }), 0, false],
    ['of a process whose start nobody knows', () => ({ startTime: null }), 0, true],
    ['of a process that is gone, under another host name', () => ({ hostname: 'a.local', pid: 2 ** 22 + 5 }), 0, false],
    ['of a live process, under another host name', () => ({ hostname: 'a.local' }), 1000 * hour, true],
    ['of an earlier version, under another host name', () => ({ hostname: 'a.local', machine: undefined }), 0, true],
    ['of another machine', () => ({ machine: 'another', pid: 2 ** 22 + 5 }), hour, true],
    ['of another machine, a day ago', () => ({ machine: 'another' }), 25 * hour, false],
    ['that was given back', () => ({ released: true }), 0, false],
    ['of a number that is none', () => ({ pid: -1 }), 0, false],
    ['that makes no sense, just now', () => ({ pid: 'x' }), 0, true],
    ['that makes no sense', () => ({ pid: 'x' }), 10_000, false],
  ];
  for (const [name, change, age, live] of cases) {
    it(`${name} is ${live ? 'respected' : 'taken over'}`, async function () {
      if ('startTime' in change() && (await ownIdentity()).startTime === null)
        skip(this, 'this system tells no start times');
      await leave(change(), age);
      assert.equal(await hasWriter(folder, clock), live);
      if (live) await assert.rejects(acquire(), { name: 'RecordBusyError' });
      else await (await acquire()).release();
    });
  }

  it('with damaged text is taken over, however new it is', async () => {
    for (const [text, live] of [
      ['{"pid":1,"star', false],
      ['\0'.repeat(40), false],
      ['', true],
    ] as const) {
      await writeFile(path.join(folder, 'writer.7.json'), text);
      assert.equal(await hasWriter(folder, Date.now), live, JSON.stringify(text));
    }
  });

  it('of another machine stays valid while it is touched', async () => {
    await leave({ machine: 'another' });
    now += 20 * hour;
    assert.equal(await hasWriter(folder, clock), true);
    const lease = await WriterLease.acquire(await mkdtemp(path.join(folder, 'x-')), sessionId, clock);
    await lease.updateTime(now);
    await lease.release();
  });

  it('distinguishes this process from all others', async () => {
    const own = await ownIdentity();
    assert.equal(await isAlive(own), true);
    assert.equal(await startTimeOf(process.pid), own.startTime);
    assert.equal(await startTimeOf(2 ** 22 + 5), null);
    if (process.platform === 'linux') {
      const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
      assert.match(own.startTime ?? '', new RegExp(`^${boot}:\\d+$`));
    }
  });
});
