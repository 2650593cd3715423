import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { recordVersion } from '../../../../src/formats/record.ts';
import { RecordBusyError } from '../../../../src/engine/record/errors.ts';
import { WriterLease } from '../../../../src/engine/record/write/writerLease.ts';
import { isWindows } from '../../../support/platform.ts';
import { skip } from '../../../support/skip.ts';
import {
  aRun,
  aSession,
  aSummary,
  appendAll,
  runId,
  sessionId,
  temporaryStore,
  time,
  wholeSession,
} from '../../../support/sessions/records.ts';

const otherId = 'ses_ffffffffffff';

describe('store of records', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;

  beforeEach(async () => {
    temporary = await temporaryStore();
  });
  afterEach(() => temporary.remove());

  async function written(id: string, lines = wholeSession(10, id)): Promise<void> {
    const writer = await temporary.store.create(aSession({ session_id: id }));
    await appendAll(writer, lines.slice(2));
    await writer.close();
  }

  it('writes files that only their owner can read', async function () {
    if (isWindows) skip(this, 'files have no modes there');
    const writer = await temporary.store.create(aSession());
    await writer.rawStream(runId, 'stdout').write(Buffer.from('x'));
    await writer.close();
    const folder = path.dirname(temporary.store.path(sessionId));
    const modes = ['.', 'record.jsonl', 'writer.1.json', 'runs', `runs/${runId}.stdout`].map(async (name) => [
      name,
      ((await stat(path.join(folder, name))).mode & 0o777).toString(8),
    ]);
    assert.deepEqual(await Promise.all(modes), [
      ['.', '700'],
      ['record.jsonl', '600'],
      ['writer.1.json', '600'],
      ['runs', '700'],
      [`runs/${runId}.stdout`, '600'],
    ]);
    const [header] = (await readFile(temporary.store.path(sessionId), 'utf8')).split('\n');
    assert.equal(
      header,
      `{"kind":"header","format":"vitrine-record","version":${recordVersion},"session_id":"${sessionId}","created_at":"${time(0)}","prev":"${'0'.repeat(64)}"}`,
    );
  });

  it('lists nothing in an empty store', async () => {
    assert.deepEqual(await temporary.store.list(), []);
  });

  it('lists sessions, newest first', async () => {
    await written(sessionId);
    const lines = wholeSession(3, otherId).slice(0, -1);
    const summary = aSummary({ session_id: otherId, updated_at: time(500), title: 'Newer' });
    await written(otherId, [...lines, { kind: 'summary', summary, turns: [], turns_omitted: 0 }]);
    const listed = await temporary.store.list();
    assert.deepEqual(
      listed.map((item) => [item.session_id, item.entries]),
      [
        [otherId, 3],
        [sessionId, 10],
      ],
    );
  });

  it('sees changes since the last listing', async () => {
    await written(sessionId);
    assert.equal((await temporary.store.list())[0]?.title, undefined);
    const writer = await temporary.store.openWriter(sessionId);
    await writer.append({ kind: 'session', session: aSession({ title: 'Renamed' }) });
    assert.equal((await temporary.store.list())[0]?.title, 'Renamed');
    await writer.close();
    assert.deepEqual(await temporary.store.rebuild(), await temporary.store.list());
  });

  it('distinguishes interrupted and running sessions', async () => {
    const writer = await temporary.store.create(aSession());
    await writer.append({ kind: 'run', run: aRun() });
    assert.deepEqual((await temporary.store.listRecords()).interrupted, []);
    assert.equal((await temporary.store.list())[0]?.outcome, 'none');
    await writer.close();
    const survey = await temporary.store.listRecords();
    assert.deepEqual(survey.interrupted, [sessionId]);
    assert.equal(survey.summaries[0]?.outcome, 'interrupted');
    assert.equal(survey.summaries[0].status, 'stopped');
  });

  it('sees an end that was written while the record was read', async () => {
    const other = await temporaryStore();
    const whole = wholeSession(10);
    const otherWriter = await other.store.create(aSession());
    await appendAll(otherWriter, whole.slice(2));
    await otherWriter.close();
    const text = await readFile(other.store.path(sessionId), 'utf8');
    await other.remove();

    const outcomes: unknown[] = [];
    const files = { record: '', lease: '' };
    let finish = false;
    const busy = await temporaryStore(() => {
      // A lease's age is asked for after the record was read.
      if (finish) {
        finish = false;
        const lease = JSON.parse(readFileSync(files.lease, 'utf8')) as object;
        writeFileSync(files.record, text);
        writeFileSync(files.lease, JSON.stringify({ ...lease, released: true }));
      }
      return Date.now();
    });
    const readings = [
      async () => (await busy.store.listRecords()).summaries[0]?.outcome,
      async () => {
        const reader = await busy.store.openReader(sessionId);
        await reader.close();
        return reader.summary.outcome;
      },
    ];
    for (const reading of readings) {
      const writer = await busy.store.create(aSession());
      await appendAll(writer, whole.slice(2, -3));
      files.record = busy.store.path(sessionId);
      files.lease = path.join(path.dirname(files.record), 'writer.1.json');
      finish = true;
      outcomes.push(await reading());
      await writer.close();
      await rm(path.dirname(files.record), { recursive: true });
    }
    await busy.remove();
    assert.deepEqual(outcomes, ['completed', 'completed']);
  });

  it('reports what it cannot list, and ignores other files', async () => {
    await written(sessionId);
    const emptied = path.join(temporary.dir, 'sessions', otherId);
    await mkdir(emptied);
    await utimes(emptied, 0, 0);
    await mkdir(path.join(temporary.dir, 'sessions', 'notes'));
    const survey = await temporary.store.listRecords();
    assert.equal(survey.summaries.length, 1);
    assert.deepEqual(
      survey.unreadable.map((record) => record.id),
      [otherId],
    );
    assert.match(survey.unreadable[0]?.reason ?? '', /ENOENT.*record\.jsonl'$/);
    assert.equal(temporary.warnings.length, 1);
  });

  it('waits for the first line of a new session', async () => {
    const started = path.join(temporary.dir, 'sessions', otherId);
    const look = async () => {
      const { summaries, unreadable } = await temporary.store.listRecords();
      return [...summaries.map((summary) => summary.session_id), ...unreadable.map((record) => record.id)];
    };
    await mkdir(started, { recursive: true });
    assert.deepEqual(await look(), []);
    const lease = await WriterLease.acquire(started, otherId, Date.now);
    assert.deepEqual(await look(), []);
    await writeFile(path.join(started, 'record.jsonl'), '');
    assert.deepEqual(await look(), []);
    await rm(path.join(started, 'record.jsonl'));
    await lease.release();
    assert.deepEqual(await look(), [otherId]);
    assert.equal(temporary.warnings.length, 1);
  });

  it('gives a record to one writer at a time', async () => {
    const writer = await temporary.store.create(aSession());
    await assert.rejects(temporary.store.openWriter(sessionId), (error) => {
      assert.ok(RecordBusyError.is(error));
      assert.equal(error.holder?.pid, process.pid);
      return true;
    });
    await assert.rejects(temporary.store.create(aSession()), /already has a record/);
    await writer.close();
    await (await temporary.store.openWriter(sessionId)).close();
  });

  it('deletes permanently, but not during writing', async () => {
    const writer = await temporary.store.create(aSession());
    await assert.rejects(temporary.store.remove(sessionId), { name: 'RecordBusyError' });
    await writer.close();
    await temporary.store.remove(sessionId);
    assert.equal(existsSync(path.dirname(temporary.store.path(sessionId))), false);
    await temporary.store.remove(sessionId);
    assert.deepEqual(await temporary.store.list(), []);
  });

  it('can be written and deleted again after a failed deletion', async () => {
    await written(sessionId);
    await assert.rejects(
      temporary.store.remove(sessionId, () => Promise.reject(new Error('not now'))),
      /not now/,
    );
    await (await temporary.store.openWriter(sessionId)).close();
    await temporary.store.remove(sessionId);
    assert.deepEqual((await temporary.store.list()).length, 0);
  });

  it('deletes nothing outside of the store', async () => {
    const outside = await mkdtemp(path.join(tmpdir(), 'vitrine-outside-'));
    try {
      await writeFile(path.join(outside, 'keep.txt'), 'mine');
      await mkdir(path.join(temporary.dir, 'sessions'), { recursive: true });
      await symlink(outside, path.join(temporary.dir, 'sessions', sessionId));
      await temporary.store.remove(sessionId);
      assert.equal(existsSync(path.join(temporary.dir, 'sessions', sessionId)), false);
      await written(otherId);
      await symlink(outside, path.join(temporary.dir, 'sessions', otherId, 'runs'));
      await temporary.store.remove(otherId);
      assert.equal(await readFile(path.join(outside, 'keep.txt'), 'utf8'), 'mine');
      for (const id of ['..', '.', '', `../sessions/${sessionId}`, `${sessionId}/..`, '/']) {
        await assert.rejects(temporary.store.remove(id));
      }
    } finally {
      await rm(outside, { recursive: true });
    }
  });
});
