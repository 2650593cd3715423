import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { normalizedEntrySchema } from '../../../src/model/transcript/entry.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { fakeAgent, prompt } from '../../support/fakeAgent/engine.ts';
import { skip } from '../../support/skip.ts';

/** Bytes of each kind of output. */
const bytes = 45e6;
/** The daemon's memory above its idle size, in bytes. Holding 30 MB of each kind took 150 MB. */
const maxGrowth = 140e6;

describe('an agent that prints very much', function () {
  this.timeout(240_000);
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  it('costs the daemon little memory, and its output is complete', async function () {
    if (process.platform !== 'linux') skip(this, 'this system does not tell the peak of the memory of another process');
    const { daemon } = await place.connect();
    const before = peakOf(daemon.pid);
    const note = path.join(place.bench.dir, 'hashes');
    const floods = ['text', 'tool', 'stderr'].map((kind) => ({ flood: { kind, bytes } }));
    const script = prompt([{ init: true }, ...floods, { result: {} }, { noteHashes: note }]);
    const { code, stdout, stderr } = await place.vitrine(
      'run',
      '--agent',
      'claude-code',
      '--program',
      fakeAgent,
      script,
    ).ended;
    assert.equal(code, 0, stderr);

    const growth = peakOf(daemon.pid) - before;
    assert.ok(growth < maxGrowth, `${growth} bytes more`);
    const lines = stdout.trimEnd().split('\n').slice(0, -1);
    const indexes = new Set(lines.map((line) => normalizedEntrySchema.parse(JSON.parse(line)).index));
    assert.ok(indexes.size > (3 * bytes) / (1 << 17), `${indexes.size} entries`);
    assert.equal(Math.max(...indexes) + 1, indexes.size, 'every entry was printed');
    const hashes = JSON.parse(await readFile(note, 'utf8')) as Record<string, string>;
    const sessions = path.join(place.store, 'sessions');
    const [session = ''] = await readdir(sessions);
    const runs = path.join(sessions, session, 'runs');
    const logs = (await readdir(runs)).filter((name) => /\.std(?:out|err)$/.test(name));
    assert.equal(logs.length, 2);
    for (const name of logs) {
      const hash = createHash('sha256').update(await readFile(path.join(runs, name)));
      assert.equal(hash.digest('hex'), hashes[path.extname(name).slice(1)], name);
    }
  });
});

/** Peak of the resident memory of a process, in bytes. */
function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
