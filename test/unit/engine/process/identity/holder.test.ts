import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { CallbackStore } from '../../../../../src/engine/children/callbacks/callbackStore.ts';
import { ownProcessMark, stateOfHolder, thisMachine } from '../../../../../src/engine/process/identity/holder.ts';
import { ownIdentity } from '../../../../../src/engine/process/identity/identity.ts';
import { machineId, storedId } from '../../../../../src/engine/process/identity/machine.ts';
import { windowsProgram } from '../../../../../src/engine/programs/systemPrograms.ts';
import { parseCim, parsePs, parseWmic } from '../../../../../src/engine/process/identity/tableText.ts';
import { silentLog } from '../../../../support/silentLog.ts';
import { skip } from '../../../../support/skip.ts';

describe('which process and which machine', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vitrine-holder-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('knows this machine by its id, whatever its host name', async () => {
    const own = { ...(await ownIdentity()), ...(await thisMachine()) };
    assert.equal(await stateOfHolder({ ...own, hostname: 'renamed.local' }), 'alive');
    assert.equal(await stateOfHolder({ ...own, machine: 'another' }), 'elsewhere');
    const gone = { pid: 2 ** 22 + 5, startTime: null };
    assert.equal(await stateOfHolder({ ...gone, hostname: 'renamed.local', machine: own.machine }), 'gone');
    assert.equal(await stateOfHolder({ ...gone, hostname: hostname() }), 'gone', 'as earlier versions wrote it');
    assert.equal(await stateOfHolder({ ...gone, hostname: hostname(), machine: 'another' }), 'elsewhere');
    assert.equal(await machineId(), await machineId());
  });

  it('tells a process from a later one with its pid', async function () {
    const own = { ...(await ownIdentity()), ...(await thisMachine()) };
    assert.equal(await stateOfHolder(own), 'alive');
    if (own.startTime === null) skip(this, 'this system tells no start times');
    assert.equal(await stateOfHolder({ ...own, startTime: 'an earlier one' }), 'gone');
  });

  it('stores one id, even if several ask at once', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => storedId(folder)));
    assert.equal(new Set(ids).size, 1);
    assert.match(ids[0] ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual(await readdir(folder), ['machine-id']);
  });

  const child = 'ses_0123456789ab';
  const marks: [name: string, mark: (own: string) => string, isTaken: boolean][] = [
    ['an earlier life with the same pid', (own) => own.replace(/[^-]*$/, 'f00df00df00d'), false],
    ['an earlier life of a version that wrote only the pid', () => String(process.pid), false],
    ['an earlier life whose start nobody knows', (own) => own, false],
    ['a process that is gone', (own) => own.replace(/^\d+/, String(2 ** 22 + 5)), false],
    ['a machine that cannot be asked', (own) => own.replace(/-.*-/, '-f00df00df00d-'), true],
  ];
  for (const [name, markOf, isTaken] of marks) {
    it(`a callback taken by ${name} ${isTaken ? 'is left to it' : 'waits again'}`, async function () {
      if ((await ownIdentity()).startTime === null) skip(this, 'this system tells no start times');
      const callbacks = new CallbackStore(folder, silentLog);
      await callbacks.expect({ parent: 'ses_ffffffffffff', child });
      const files = path.join(folder, 'callbacks');
      await mkdir(files, { recursive: true });
      await rename(path.join(files, child), path.join(files, `${child}.taken-${markOf(await ownProcessMark())}`));
      assert.equal(await callbacks.recover(), isTaken);
      assert.equal((await callbacks.readWaiting()).length, isTaken ? 0 : 1);
    });
  }

  it('a callback that this process has taken stays its own', async () => {
    const callbacks = new CallbackStore(folder, silentLog);
    await callbacks.expect({ parent: 'ses_ffffffffffff', child });
    const taken = await callbacks.claim(await callbacks.readWaiting());
    assert.equal(await callbacks.recover(), true);
    assert.equal((await callbacks.readWaiting()).length, 0);
    await callbacks.release(taken);
    assert.equal((await callbacks.readWaiting()).length, 1);
  });

  it('names the programs of Windows by their full path', () => {
    const expected = 'C:\\Windows\\System32\\taskkill.exe';
    for (const SystemRoot of [undefined, '', '.', 'Windows', '\\Windows']) {
      assert.equal(windowsProgram('taskkill', { SystemRoot }), expected);
    }
    assert.equal(windowsProgram('wmic', { SystemRoot: 'D:\\W' }), 'D:\\W\\System32\\wbem\\WMIC.exe');
  });

  it('reads the same start from PowerShell and from WMIC, in any time zone', () => {
    const cim = parseCim('Noise\r\n12 4 1769903999123456\r\n');
    const wmic = parseWmic('CreationDate  ParentProcessId  ProcessId\r\r\n20260201005959.123456+060  4  12  \r\r\n');
    assert.deepEqual(cim, [{ pid: 12, ppid: 4, pgid: 0, startTime: '1769903999123456' }]);
    assert.deepEqual(wmic, cim);
    const [first, ...others] = parsePs('  7 1 7 S Mon Nov 23 10:00:00 2026\n  8 7 7 Z Mon Nov 23 10:00:01 2026\n');
    assert.deepEqual(first, { pid: 7, ppid: 1, pgid: 7, startTime: 'Mon Nov 23 10:00:00 2026' });
    assert.deepEqual(others, []);
  });
});
