import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Catalogue } from '../../../../src/engine/catalogue/catalogue.ts';
import { adapters } from '../../../../src/agents/registry.ts';
import { Engine } from '../../../../src/engine/engine.ts';
import { checkSignature, signHead } from '../../../../src/engine/audit/signature.ts';
import { verdictDetails, verdictWording } from '../../../../src/engine/audit/verdictWording.ts';
import { toEnglish } from '../../../../src/engine/failures/wording.ts';
import { verify } from '../../../../src/engine/audit/verify.ts';
import { randomHex } from '../../../../src/engine/ids.ts';
import { auditText } from '../../../../src/formats/audit/formats.ts';
import { auditRows, type AuditRow, type AuditSource } from '../../../../src/formats/audit/rows.ts';
import { aTool, richSource, sourceOf } from '../../../support/sessions/exported.ts';
import {
  aSession,
  appendAll,
  entryLine,
  sessionId,
  temporaryStore,
  time,
  wholeSession,
} from '../../../support/sessions/records.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { skip } from '../../../support/skip.ts';
import { until } from '../../../support/until.ts';

const environment = { PATH: process.env['PATH'] };
const hasKeygen = spawnSync('ssh-keygen', ['-?'], { env: { PATH: environment.PATH ?? '' } }).error === undefined;

describe('the signature of a record', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  let file = '';
  let key = '';
  before(async function () {
    if (!hasKeygen) skip(this, 'there is no ssh-keygen');
    place = await temporaryStore();
    file = place.store.path(sessionId);
    key = path.join(place.dir, 'key');
    const options = { env: { PATH: environment.PATH ?? '' } };
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'nobody', '-f', key], options);
    const writer = await place.store.create(aSession());
    await appendAll(writer, wholeSession(6).slice(2));
    await writer.close();
  });
  after(() => place.remove());

  it('is missing before signing', async () => {
    assert.equal(await checkSignature(path.dirname(file), environment), null);
    assert.ok(
      verdictDetails(await verify(file, environment))
        .map(toEnglish)
        .includes('not signed'),
    );
  });

  it('names its key, and stays valid while the record grows', async () => {
    await signHead(path.dirname(file), key, environment);
    const writer = await place.store.openWriter(sessionId);
    await writer.append(entryLine(6));
    await writer.close();
    const { verdict, signature } = await verify(file, environment);
    assert.equal(verdict, 'intact');
    assert.ok(signature?.state === 'good');
    const own = execFileSync('ssh-keygen', ['-lf', `${key}.pub`], {
      env: { PATH: environment.PATH ?? '' },
      encoding: 'utf8',
    });
    assert.ok(own.includes(signature.key.split(' ').at(-1) ?? '?'), `${signature.key} in ${own}`);
  });

  it('reveals a recreated record', async () => {
    const whole = await readFile(file);
    const { folder, head } = {
      folder: path.dirname(file),
      head: await readFile(path.join(path.dirname(file), 'record.head')),
    };
    const other = await temporaryStore();
    const writer = await other.store.create(aSession());
    await appendAll(writer, wholeSession(3).slice(2));
    await writer.close();
    await writeFile(file, await readFile(other.store.path(sessionId)));
    await writeFile(
      path.join(folder, 'record.head'),
      await readFile(path.join(path.dirname(other.store.path(sessionId)), 'record.head')),
    );
    await other.remove();
    const forged = await verify(file, environment);
    assert.equal(forged.verdict, 'truncated');
    assert.match(toEnglish(verdictWording(forged)), /^truncated after line \d+$/);
    await writeFile(file, whole);
    await writeFile(path.join(folder, 'record.head'), head);
    assert.equal((await verify(file, environment)).verdict, 'intact');
  });

  it('is invalid if the signed file or the signature was changed', async () => {
    const signed = path.join(path.dirname(file), 'record.signed');
    const before = await readFile(signed, 'utf8');
    await writeFile(signed, before.replace('20', '21'));
    assert.equal((await checkSignature(path.dirname(file), environment))?.state, 'bad');
    await writeFile(signed, 'nonsense');
    assert.equal((await checkSignature(path.dirname(file), environment))?.state, 'bad');
    await writeFile(signed, before);
    assert.equal((await checkSignature(path.dirname(file), environment))?.state, 'good');
    assert.equal((await checkSignature(path.dirname(file), { PATH: '/nowhere' }))?.state, 'unchecked');
  });

  it('is created at the end of a run', async () => {
    const quiet = (): void => undefined;
    const loud = (message: string): never => {
      throw new Error(message);
    };
    const engine = new Engine({
      storeDir: place.dir,
      clock: Date.now,
      randomHex,
      environment,
      settings: () => ({ signingKey: key, replaySpeed: 0 }),
      log: { debug: quiet, info: quiet, warn: loud, error: loud },
      demoDir: path.resolve('media/demo'),
      adapters,
    });
    const handle = await engine.start({ agent: 'replay', prompt: '', cwd: place.dir });
    await handle.done;
    const { id } = handle;
    handle.dispose();
    const state = await until('the signature', async () => (await engine.archive.verify(id)).signature?.state);
    assert.equal(state, 'good');
    assert.equal((await engine.archive.verify(id)).verdict, 'intact');
    await engine.dispose();
  });

  it('reports why signing failed', async () => {
    await assert.rejects(signHead(path.dirname(file), `${key}.none`, environment), /key\.none|No such file/);
  });
});

describe('the GPG signature of a record', function () {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  let home = '';
  let folder = '';
  let key = '';
  let own: Record<string, string> = {};
  before(async function () {
    const there = spawnSync('gpg', ['--version'], { env: { PATH: environment.PATH ?? '' } }).error === undefined;
    if (!there) skip(this, 'there is no gpg');
    place = await temporaryStore();
    // The agent's socket is below it, and its path has to be short.
    home = await mkdtemp(path.join(tmpdir(), 'vg-'));
    own = { PATH: environment.PATH ?? '', GNUPGHOME: home, HOME: home };
    const gpgArgs = ['--batch', '--quiet', '--pinentry-mode', 'loopback', '--passphrase', ''];
    execFileSync('gpg', [...gpgArgs, '--quick-gen-key', 'Nobody <nobody@example.com>', 'ed25519', 'sign', '0'], {
      env: own,
      stdio: 'pipe',
    });
    const listed = execFileSync('gpg', ['--batch', '--with-colons', '--list-keys'], { env: own, encoding: 'utf8' });
    key = /^fpr:+([0-9A-F]{40}):/m.exec(listed)?.[1] ?? '';
    const writer = await place.store.create(aSession());
    await appendAll(writer, wholeSession(6).slice(2));
    await writer.close();
    folder = path.dirname(place.store.path(sessionId));
  });
  after(async () => {
    if (home === '') return;
    spawnSync('gpgconf', ['--kill', 'gpg-agent'], { env: own });
    await place.remove();
    await rm(home, { recursive: true, force: true });
  });

  it('names its key, and is distinguished from a signature of another file', async () => {
    await signHead(folder, key, own);
    const { verdict, signature } = await verify(place.store.path(sessionId), own);
    assert.ok(verdict === 'intact' && signature?.state === 'good');
    assert.equal(signature.key, `Nobody <nobody@example.com> ${key}`);
    const signed = path.join(folder, 'record.signed');
    const before = await readFile(signed, 'utf8');
    await writeFile(signed, before.replace('20', '21'));
    assert.equal((await checkSignature(folder, own))?.state, 'bad');
    await writeFile(signed, before);
    assert.equal((await checkSignature(folder, own))?.state, 'good');
  });

  it('reports an unknown key, and a missing gpg', async () => {
    const other = await mkdtemp(path.join(tmpdir(), 'vg-'));
    const stranger = await checkSignature(folder, { ...own, GNUPGHOME: other });
    assert.match(stranger?.state === 'unchecked' ? stranger.why : '', /not in this user’s keyring/);
    await assert.rejects(signHead(folder, key, { ...own, GNUPGHOME: other }), /No secret key/);
    const without = await checkSignature(folder, { PATH: '/nowhere' });
    assert.match(without?.state === 'unchecked' ? without.why : '', /gpg is not on the PATH/);
    await rm(other, { recursive: true });
  });

  it('rejects ambiguous key names', async () => {
    for (const name of ['nobody', '--output', '0x12', 'deadbeef', 'relative/key']) {
      await assert.rejects(signHead(folder, name, own), /Neither the absolute path/);
    }
  });
});

describe('a permanently deleted session', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  let engine: Engine;
  const open = (): Engine =>
    new Engine({
      storeDir: place.dir,
      clock: Date.now,
      randomHex,
      environment,
      settings: () => ({ replaySpeed: 0 }),
      log: silentLog,
      demoDir: path.resolve('media/demo'),
      adapters,
    });
  beforeEach(async () => {
    place = await temporaryStore();
    engine = open();
    const writer = await place.store.create(aSession());
    await appendAll(writer, wholeSession(6).slice(2));
    await writer.close();
  });
  afterEach(async () => {
    await engine.dispose();
    await place.remove();
  });
  const deletedFile = (): string => path.join(place.dir, 'deleted', 'record.jsonl');
  const account = async (which: Parameters<typeof engine.archive.audit>[0]): Promise<AuditRow[]> => {
    const rows: AuditRow[] = [];
    for await (const row of await engine.archive.audit(which, null)) rows.push(row);
    return rows;
  };

  it('is removed completely, and its deletion appears in audits of the session and the period', async () => {
    await engine.archive.search.search({ query: 'entry' });
    const { head } = await engine.archive.verify(sessionId);
    await engine.remove(sessionId);
    const left = (await readdir(place.dir, { recursive: true })).filter((name) => name.includes(sessionId));
    assert.deepEqual(left, []);
    const catalogue = new Catalogue(place.dir);
    const rows = await catalogue.use((database) => database.all('SELECT id FROM entries'));
    catalogue.close();
    assert.deepEqual(rows, []);
    const from = Date.now() - 60_000;
    for (const which of [sessionId, { from, to: Date.now() + 1000 }]) {
      const [list, row, ...others] = await account(which);
      assert.deepEqual([list?.kind, list?.subject, others], ['record', 'intact', []]);
      assert.deepEqual([row?.kind, row?.session_id, row?.status], ['deletion', sessionId, 'user']);
      const detail: unknown = JSON.parse(row?.detail ?? '');
      assert.equal((detail as { head: string }).head, head);
    }
    assert.deepEqual(await account({ from: 0, to: from }), []);
    const saved = await readFile(deletedFile(), 'utf8');
    for (const said of ['Add a total', 'what was said here', '/project']) assert.equal(saved.includes(said), false);
  });

  it('cannot be removed from the deletion log unnoticed', async () => {
    const other = 'ses_0123456789ac';
    await (await place.store.create(aSession({ session_id: other }))).close();
    await engine.remove(sessionId);
    await engine.remove(other);
    const lines = (await readFile(deletedFile(), 'utf8')).trimEnd().split('\n');
    assert.equal(lines.length, 2);
    await writeFile(deletedFile(), `${lines[1]}\n`);
    const [list] = await account(other);
    assert.match(list?.subject ?? '', /lines before line 1 were removed/);
    await writeFile(deletedFile(), `${lines[0]}\n`);
    assert.match((await account(sessionId))[0]?.subject ?? '', /truncated after line 1/);
  });

  it('stays if the deletion fails, and the audit notes it', async () => {
    const writer = await place.store.openWriter(sessionId);
    await assert.rejects(engine.remove(sessionId), { code: 'session_busy' });
    await writer.close();
    assert.equal((await engine.list()).length, 1);
    assert.equal(
      (await account(sessionId)).some(({ kind }) => kind === 'deletion'),
      false,
    );
  });

  it('is removed even if the deletion was interrupted', async () => {
    const folder = path.dirname(place.store.path(sessionId));
    await rename(folder, `${folder}.deleted`);
    assert.deepEqual(await engine.list(), []);
    await engine.sweep();
    assert.deepEqual(await readdir(path.dirname(folder)), []);
  });

  it('appears in the record or next to it, like hidden and relinked ones', async () => {
    await engine.setHidden(sessionId, true);
    await engine.setHidden(sessionId, false);
    const said = (await account(sessionId)).filter(({ kind }) => kind === 'decision').map(({ subject }) => subject);
    assert.deepEqual(said.slice(-2), ['hide', 'unhide']);
    await engine.relink(sessionId, '/renamed');
    const [listed] = await engine.list();
    assert.equal(listed?.project_dir, '/renamed');
    const last = (await account(sessionId)).findLast(({ kind }) => kind === 'decision');
    assert.deepEqual([last?.subject, last?.detail], ['relink', '{"from":"/project","to":"/renamed","by":"user"}']);
    assert.equal((await engine.archive.verify(sessionId)).verdict, 'intact');
  });
});

describe('the audit of a session', () => {
  const request = {
    id: 'r1',
    kind: 'permission',
    title: 'Run a command',
    action: { kind: 'command_run', command: 'rm -rf build\necho done' },
    asked_at: time(3),
    expires_at: time(600),
  };
  const source: AuditSource = {
    ...sourceOf([
      aTool(1, { action: { kind: 'file_read', path: '/project/a|b.ts' } }),
      aTool(2, { action: { kind: 'command_run', command: 'npm test\nrm x', exitCode: 1 }, status: 'failed' }),
      aTool(3, {
        action: {
          kind: 'file_edit',
          changes: [
            { path: 'c.ts', kind: 'update', added: 2, removed: 1 },
            { path: 'd.ts', kind: 'delete' },
          ],
        },
      }),
      {
        index: 4,
        timestamp: time(4),
        type: { kind: 'system_message', subtype: 'request' },
        content: 'Asked.',
        metadata: { request, decision: { by: 'user', at: time(4), answer: { kind: 'deny' } } },
      },
    ]),
    decisions: async function* () {
      await Promise.resolve();
      yield { type: 'attempt', at: time(1), run_id: 'run_0123456789ab' };
      yield { type: 'export', at: time(9), format: 'html', redacted: true, key: 'of the masks' };
    },
  };

  const rowsOf = async (from: AuditSource): Promise<AuditRow[]> => {
    const rows: AuditRow[] = [];
    for await (const row of auditRows(from)) rows.push(row);
    return rows;
  };
  const textOf = async (format: 'jsonl' | 'csv' | 'markdown'): Promise<string> => {
    let text = '';
    for await (const chunk of auditText(format, auditRows(source))) text += chunk;
    return text;
  };

  it('lists runs, files, whole commands, permissions and decisions', async () => {
    const rows = await rowsOf(source);
    assert.deepEqual(
      rows.map(({ kind, subject, status, detail }) => [kind, subject, status, detail]),
      [
        ['run_start', 'Add a total to the bill.', 'start_session', null],
        ['run_end', 'completed', 'completed', '$0.25 (reported)'],
        ['file_read', '/project/a|b.ts', 'success', null],
        ['command', 'npm test\nrm x', 'failed', 'exit code 1'],
        ['file_edit', 'c.ts', 'success', '+2 -1'],
        ['file_delete', 'd.ts', 'success', null],
        ['permission', 'rm -rf build\necho done', 'deny', 'by user'],
        ['decision', 'export', null, '{"format":"html","redacted":true}'],
      ],
    );
    assert.ok(rows.every(({ session_id, host, agent }) => session_id === sessionId && host === 'box' && agent !== ''));
  });

  it('shows an unknown cost as unknown, not 0', async () => {
    const none = async function* () {
      await Promise.resolve();
      yield* [];
    };
    const rows = await rowsOf({ ...richSource, decisions: none });
    assert.deepEqual(
      rows.filter(({ kind }) => kind === 'run_end').map(({ detail, status }) => [detail, status]),
      [
        ['$0.25 (reported)', 'completed'],
        ['cost unknown', 'failed'],
      ],
    );
  });

  it('can be written as lines, table and document', async () => {
    const lines = (await textOf('jsonl')).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line): unknown => JSON.parse(line)),
      await rowsOf(source),
    );
    const csv = await textOf('csv');
    assert.match(csv, /^at,session_id,run_id,agent,host,kind,subject,status,detail,entry\r\n/);
    assert.match(csv, /,command,"npm test\nrm x",failed,exit code 1,2\r\n/);
    const document = await textOf('markdown');
    assert.match(document, /## ses_0123456789ab: Claude Code 2\.1\.300 on box\n\n\| at \| kind \|/);
    assert.match(document, /\| `file_read` \| `\/project\/a\\\|b\.ts` \|/);
    assert.match(document, /\| `command` \| `npm test rm x` \|/);
  });
});
