import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { completenessWording } from '../../../src/engine/audit/completenessWording.ts';
import { checkCompleteness, type Completeness } from '../../../src/engine/record/chain/completeness.ts';
import { runsWithOutput } from '../../../src/engine/record/outputs.ts';
import { verifyRecord } from '../../../src/engine/record/chain/verify.ts';
import { toEnglish } from '../../../src/engine/failures/wording.ts';
import { aSession, anEntry, sessionId, temporaryStore, wholeSession } from '../../support/sessions/records.ts';

const entries = 40;
const damages = 500;

/** The same seed gives the same numbers. */
function noise(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function linesOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').split('\n').slice(0, -1);
}

function fileOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
}

type Damage = (bytes: Buffer, random: (below: number) => number) => Buffer;

const kinds: Readonly<Record<string, Damage>> = {
  truncate: (bytes, random) => bytes.subarray(0, random(bytes.length)),
  'truncate at a line': (bytes, random) => {
    const lines = linesOf(bytes);
    return fileOf(lines.slice(0, random(lines.length)));
  },
  flip: (bytes, random) => {
    const flipped = Buffer.from(bytes);
    for (let left = 1 + random(3); left > 0; left -= 1) {
      const at = random(bytes.length);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << random(8));
    }
    return flipped;
  },
  zero: (bytes, random) => {
    const from = random(bytes.length);
    return Buffer.from(bytes).fill(0, from, Math.min(bytes.length, from + 1 + random(2000)));
  },
  'remove lines': (bytes, random) => {
    const lines = linesOf(bytes);
    lines.splice(random(lines.length), 1 + random(5));
    return fileOf(lines);
  },
  'remove bytes': (bytes, random) => {
    const from = random(bytes.length);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + random(1000))]);
  },
  empty: () => Buffer.alloc(0),
};

describe('missing parts of a record', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let file: string;
  let whole: Buffer;

  beforeEach(async () => {
    temporary = await temporaryStore();
    const writer = await temporary.store.create(aSession());
    await writer.appendAll(wholeSession(entries).slice(2));
    await writer.close();
    file = temporary.store.path(sessionId);
    whole = await readFile(file);
  });
  afterEach(() => temporary.remove());

  async function check(): Promise<{ readonly found: Completeness; readonly texts: string[]; readonly lost: number }> {
    const reader = await temporary.store.openReader(sessionId);
    try {
      const chain = await verifyRecord(file, { session: sessionId });
      const outputs = await runsWithOutput(path.dirname(file));
      const found = await checkCompleteness(reader, { chain, outputs, isLive: false });
      const read = new Map((await reader.read(0, reader.total)).map((entry) => [entry.index, JSON.stringify(entry)]));
      let lost = 0;
      for (let index = 0; index < entries; index += 1) {
        if (read.get(index) !== JSON.stringify(anEntry(index))) lost += 1;
      }
      return { found, texts: completenessWording(found).map(toEnglish), lost };
    } finally {
      await reader.close();
    }
  }

  it('are not reported if nothing is missing', async () => {
    const { found, texts, lost } = await check();
    assert.deepEqual([found.isIncomplete, texts, lost], [false, [], 0]);
  });

  it('are the entries whose lines were removed', async () => {
    const lines = linesOf(whole);
    await writeFile(file, fileOf(lines.filter((line) => !/"index":(?:7|8|20),/.test(line))));
    assert.match((await check()).texts.join('\n'), /^Missing entries: 7–8, 20\.$/m);
  });

  it('are everything if the file is empty', async () => {
    await writeFile(file, '');
    const { found, texts } = await check();
    assert.equal(found.isIncomplete, true);
    assert.deepEqual(texts, ['The record is empty or cannot be read. All entries are missing.']);
    // The panel shows these.
    assert.deepEqual(
      found.problems.map(({ reason }) => reason),
      ['empty'],
    );
  });

  it('include a run that only has output', async () => {
    const lines = linesOf(whole);
    const folder = path.dirname(file);
    // No head, no writer, and cut between two lines, before the run.
    for (const name of await readdir(folder)) if (name !== 'record.jsonl') await rm(path.join(folder, name));
    await writeFile(file, fileOf(lines.slice(0, 2)));
    assert.equal((await check()).found.isIncomplete, false, 'nobody knows');
    await mkdir(path.join(folder, 'runs'));
    await writeFile(path.join(folder, 'runs/run_0123456789ab.stdout'), 'printed');
    await writeFile(path.join(folder, 'runs/run_0123456789ac.stdout'), '');
    const { found, texts } = await check();
    assert.equal(found.isIncomplete, true);
    assert.deepEqual(texts, ['The entries of run_0123456789ab are missing. The agent’s output is in runs/.']);
  });

  it(`are reported for each of ${damages} random damages that lost or changed an entry`, async function () {
    const random = noise(7);
    const names = Object.keys(kinds);
    const silent: string[] = [];
    const unmarked: string[] = [];
    let lossy = 0;
    for (let round = 0; round < damages; round += 1) {
      const kind = names[round % names.length] ?? '';
      await writeFile(file, kinds[kind]?.(whole, random) ?? '');
      const { found, texts, lost } = await check();
      if (lost > 0) lossy += 1;
      assert.equal(texts.length > 0, found.isIncomplete);
      if (lost > 0 && !found.isIncomplete) silent.push(`${round} ${kind}: ${lost} entries`);
      await temporary.store.list();
      if (lost > 0 && !temporary.store.damaged.has(sessionId)) unmarked.push(`${round} ${kind}: ${lost} entries`);
    }
    // The record is no longer than what a list reads.
    assert.deepEqual(unmarked, []);
    assert.deepEqual(silent, []);
    assert.ok(lossy > damages / 2, `${lossy} of ${damages} damages lost entries`);
  });
});
