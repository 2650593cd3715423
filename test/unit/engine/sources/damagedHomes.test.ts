import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { fuzzOptions, printFuzzTotals } from '../../../support/hostile/fuzz.ts';
import { captureFile, capturesOf, sourcesOf } from '../../../support/stores/homes.ts';
import { isWindows } from '../../../support/platform.ts';
import { skip } from '../../../support/skip.ts';

const agents = ['claude-code', 'codex', 'copilot', 'gemini', 'qwen', 'opencode'];
const sessionFile = /projects\/.*\.jsonl$|rollout-|events\.jsonl$|chats\/session-|chats\/[^/]+\.jsonl$|opencode\.db$/;
const foreign = [
  '{}',
  '[]',
  'null',
  '1',
  '{"type":"assistant","message":{"content":5}}',
  '{"__proto__":{"a":1}}',
  '[[[[',
];

const share = fc.double({ min: 0, max: 0.999, noNaN: true });
const damage = fc.record({
  home: fc.nat(),
  file: fc.nat(),
  at: share,
  to: share,
  how: fc.constantFrom(
    'cut',
    'bits',
    'half character',
    'foreign',
    'noise',
    'empty',
    'zeros',
    'loop',
    'nowhere',
    'folder',
  ),
});
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(bytes: Buffer, { how, at, to }: Damage): Buffer {
  const place = Math.floor(at * bytes.length);
  const line = bytes.indexOf(10, place) + 1;
  switch (how) {
    case 'cut':
      return bytes.subarray(0, place);
    case 'bits': {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[place] = copy[place]! ^ (1 << Math.floor(to * 8));
      return copy;
    }
    case 'half character':
      return Buffer.concat([bytes.subarray(0, place), Buffer.from([0xf0, 0x9f, 0x98]), bytes.subarray(place)]);
    case 'foreign': {
      const text = `${foreign[Math.floor(to * foreign.length)] ?? ''}\n`;
      return Buffer.concat([bytes.subarray(0, line), Buffer.from(text), bytes.subarray(line)]);
    }
    case 'noise':
      return Buffer.from(bytes.subarray(0, 3000).map((byte, n) => (byte * 31 + n * 17 + 128) % 256));
    case 'zeros':
      return Buffer.from(bytes).fill(0, place, Math.min(bytes.length, place + 5000));
    default:
      return Buffer.alloc(0);
  }
}

describe('homes with one damaged file', function () {
  this.timeout(24 * 3_600_000);
  let root = '';
  before(() => (root = mkdtempSync(path.join(tmpdir(), 'vitrine-homes-'))));
  after(() => rmSync(root, { recursive: true }));

  it('never make a list or a transcript fail, and what is not read has a reason', async function () {
    if (isWindows) skip(this, 'links need a privilege there');
    const prices = await loadPrices();
    const homes = agents.flatMap(capturesOf).map((name, number) => {
      const home = path.join(root, String(number));
      cpSync(captureFile(name, 'home'), home, { recursive: true });
      const names = readdirSync(home, { recursive: true, withFileTypes: true });
      for (const entry of names)
        chmodSync(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
      const files = names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
      return { home, files: files.filter((file) => sessionFile.test(file) && readFileSync(file).length > 0) };
    });
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(damage, async (of) => {
        const { home, files } = homes[of.home % homes.length]!;
        const file = files[of.file % files.length];
        if (file === undefined) return;
        const bytes = readFileSync(file);
        rmSync(file);
        if (of.how === 'loop') symlinkSync(file, file);
        else if (of.how === 'nowhere') symlinkSync(`${file}.none`, file);
        else if (of.how === 'folder') mkdirSync(file);
        else writeFileSync(file, damaged(bytes, of));
        try {
          const sources = sourcesOf(home);
          const rows = await sources.list(prices);
          const problems = rows.flatMap(({ problem }) => problem ?? []);
          for (const { session_id: id } of rows) problems.push(...((await sources.read(id))?.problems ?? []));
          tried += 1;
          // Claude Code leaves empty files itself.
          const isNamed = of.how !== 'empty' || !file.includes('.claude');
          if (['loop', 'nowhere', 'folder', 'noise', 'empty'].includes(of.how) && isNamed)
            assert.notDeepEqual(problems, [], `${of.how}: ${path.relative(root, file)}`);
        } finally {
          rmSync(file, { recursive: true });
          writeFileSync(file, bytes);
        }
      }),
      fuzzOptions(150),
    );
    printFuzzTotals(`${tried} damages in ${homes.length} homes`);
  });
});
