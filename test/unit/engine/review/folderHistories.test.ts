import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { changeFile, changeMode, undoChange } from '../../../../src/engine/review/changeFile.ts';
import { type ReviewedFile, SessionReview } from '../../../../src/engine/review/reviewSession.ts';
import { plainLines } from '../../../../src/insight/review/fileText.ts';
import { unreported } from '../../../../src/insight/review/lineTrail.ts';
import { revertHunk } from '../../../../src/insight/review/reviewFile.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { fuzzRuns } from '../../../support/hostile/fuzz.ts';
import { assertAuthors, assertReverted } from '../../insight/review/assertHunks.ts';
import { flipped, type FolderFile, folderShape, folderState, playFolder } from './madeFolder.ts';

async function reviewed(folder: string, entries: readonly NormalizedEntry[]): Promise<readonly ReviewedFile[]> {
  const session = new SessionReview(folder);
  const read = (from: number, to: number) =>
    Promise.resolve(entries.filter(({ index }) => from <= index && index < to));
  await session.take({ entryCount: () => entries.length, read }, (entries.at(-1)?.index ?? -1) + 1);
  return (await session.review()).files;
}

describe('a review of generated folders', function () {
  // The time of a busy machine.
  this.timeout(fuzzRuns(300_000));
  it('finds the step of every change, and reverts and restores each of them alone', async () => {
    const seen = { hunks: 0, modes: 0, renamed: 0, twice: 0, split: 0, deleted: 0, binary: 0, long: 0 };
    await fc.assert(
      fc.asyncProperty(folderShape, async (shape) => {
        const folder = mkdtempSync(path.join(tmpdir(), 'folder-'));
        try {
          const { entries, files, binaries } = playFolder(folder, shape);
          const before = folderState(folder);
          const found = new Map((await reviewed(folder, entries)).map((file) => [file.path, file]));
          for (const file of files) {
            const isRenamed = found.get(file.name)?.renamedFrom !== undefined;
            if (file.earlier !== undefined && file.end === 'kept') {
              // With much else in it, it is another file: the old one was deleted.
              if (file.between === undefined) assert.equal(found.has(file.earlier), !isRenamed);
              seen.renamed += isRenamed ? 1 : 0;
              const isFromFirst = found.get(file.name)?.renamedFrom === file.earlier;
              const isWhole = isFromFirst && (file.between === undefined || !found.has(file.between));
              if (!isWhole) assert.ok(changedOutside(file), 'a file under a new name is the same file');
              seen.split += isWhole ? 0 : 1;
              if (!isWhole) continue;
              seen.twice += file.between === undefined ? 0 : 1;
            }
            if (file.earlier !== undefined && file.end !== 'kept') {
              // A file that came and went under its new name may be known by its old one only.
              const names = [file.earlier, file.between ?? '', file.name];
              const rows = names.flatMap((name) => found.get(name) ?? []);
              assert.ok(rows.length > 0 && rows.every(({ state }) => state === 'missing'));
              continue;
            }
            await check(folder, file, found.get(file.name), before);
            seen.hunks += found.get(file.name)?.hunks.length ?? 0;
            seen.modes += file.isFlipped ? 1 : 0;
            seen.deleted += file.end === 'kept' ? 0 : 1;
            seen.long += file.history.base.length > 9000 ? 1 : 0;
          }
          for (const [name, state] of binaries) {
            // Before a session, a deleted file could have been anything.
            const row = found.get(name);
            assert.equal(row?.state, state === 'missing' ? 'unrecorded' : state, name);
            if (state === 'text') await checkMode(folder, name, row, before);
            else assert.deepEqual(row.hunks, []);
            seen.binary += 1;
          }
          const known = [
            ...files.flatMap(({ name, earlier, between }) => [name, earlier, between]),
            ...binaries.keys(),
          ];
          for (const name of found.keys()) assert.ok(known.includes(name), `${name} is not of the session`);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }),
      { numRuns: fuzzRuns(120), seed: Number(process.env['VITRINE_SEED'] ?? 22), endOnFailure: true },
    );
    const { split, ...others } = seen;
    for (const [what, count] of Object.entries(others))
      assert.ok(count > (what === 'long' ? 1 : 8), `${what}: ${count}`);
    assert.ok(split < seen.renamed / 5, `${split} of ${seen.renamed}`);
  });
});

function changedOutside({ history }: FolderFile): boolean {
  return history.all.some(({ by, removed }) => by === unreported || removed === unreported);
}

async function check(
  folder: string,
  { name, end, history, isFlipped }: FolderFile,
  file: ReviewedFile | undefined,
  before: Record<string, string>,
): Promise<void> {
  if (end !== 'kept') {
    await checkDeleted(folder, history, file, before);
    return;
  }
  if (isFlipped) await checkMode(folder, name, file, before);
  const hunks = file?.hunks.filter(({ executable }) => executable === undefined) ?? [];
  assert.equal(file?.hunks.length ?? 0, hunks.length + (isFlipped ? 1 : 0));
  assert.equal(hunks.length > 0, history.now !== history.before, 'what changed is shown');
  for (const hunk of hunks) {
    assert.ok(file?.review !== undefined && file.place !== undefined && file.hash !== undefined);
    assert.equal(file.review.before?.join('\n'), history.base.join('\n'));
    assertAuthors(history, hunk);
    const reverted = revertHunk(file.review, hunk);
    assert.equal('conflict' in reverted, hunk.by.includes(unreported) && hunk.by.length > 1);
    assertReverted(history, hunk, reverted.text);
    const undo = await changeFile(file.place, file.hash, reverted.text);
    assert.ok(undo !== undefined);
    const [mode] = (before[name] ?? '').split(' ', 1);
    const changed = `${mode ?? ''} ${Buffer.from(reverted.text ?? '').toString('latin1')}`;
    assert.deepEqual(folderState(folder), { ...before, [name]: changed }, 'nothing else changes');
    assert.equal(await undoChange(undo), true);
    assert.deepEqual(folderState(folder), before, 'undo restores every byte');
  }
}

/** A change of permissions is reverted alone, whatever else changed in the file, and undone. */
async function checkMode(
  folder: string,
  name: string,
  file: ReviewedFile | undefined,
  before: Record<string, string>,
): Promise<void> {
  const hunk = file?.hunks.at(-1);
  assert.ok(file?.place !== undefined && hunk?.executable !== undefined);
  assert.deepEqual(hunk.by, [unreported]);
  const undo = await changeMode(file.place, !hunk.executable);
  assert.ok(undo !== undefined);
  const [mode = '', ...bytes] = (before[name] ?? '').split(' ');
  const changed = [flipped(parseInt(mode, 8)).toString(8), ...bytes].join(' ');
  assert.deepEqual(folderState(folder), { ...before, [name]: changed }, 'nothing else changes');
  assert.equal(await undoChange(undo), true);
  assert.deepEqual(folderState(folder), before);
}

/** Line breaks and a byte order mark of a deleted file are not in the record. */
async function checkDeleted(
  folder: string,
  history: FolderFile['history'],
  file: ReviewedFile | undefined,
  before: Record<string, string>,
): Promise<void> {
  assert.ok(file?.review !== undefined && file.place !== undefined);
  assert.equal(file.state, 'missing');
  const [hunk, ...others] = file.hunks;
  assert.ok(hunk !== undefined);
  assert.deepEqual(others, []);
  const reverted = revertHunk(file.review, hunk);
  assert.equal('conflict' in reverted, hunk.by.includes(unreported) && hunk.by.length > 1);
  assert.deepEqual(plainLines(reverted.text?.trimEnd() ?? ''), plainLines(history.base.join('\n').trimEnd()));
  const undo = await changeFile(file.place, null, reverted.text);
  assert.ok(undo !== undefined);
  assert.equal(readFileSync(file.place, 'utf8'), reverted.text);
  assert.equal(await undoChange(undo), true);
  assert.deepEqual(folderState(folder), before, 'undo removes the file, and the folders made for it');
}
