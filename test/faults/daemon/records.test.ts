import assert from 'node:assert/strict';
import { chmod, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { News } from '../../../src/protocol/daemon/calls.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';

const asking = [{ init: true }, { say: 'before' }, { ask: { id: 'req-1' } }, { say: 'after' }, { result: {} }];
const allow = { kind: 'allow', scope: 'once' } as const;

describe('commands for records with a daemon', function () {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  const exported = (id: string, ...args: string[]) => place.vitrine('export', '--format', 'acp', id, ...args).ended;
  const exportsIn = async (id: string): Promise<number> => {
    const record = await readFile(path.join(place.store, 'sessions', id, 'record.jsonl'), 'utf8');
    return record.split('\n').filter((line) => line.includes('"decision":{"type":"export"')).length;
  };

  it('export a running session, and import the export, visible to other clients', async () => {
    const reported: string[] = [];
    const onNews = ({ summaries }: News): Promise<void> => {
      reported.push(...summaries.map(({ session_id }) => session_id));
      return Promise.resolve();
    };
    const connection = await place.connect({ onNews });
    await connection.call('watch', { events: false });
    const { session_id } = await connection.call('start', place.startParams(asking));
    await place.stateOf(session_id, ({ requests }) => requests.length === 1);
    const file = path.join(place.bench.dir, 'messages.json');
    const { code, stderr } = await exported(session_id, '--out', file);
    assert.deepEqual([code, stderr], [0, 'vitrine: No secrets were found.\n']);
    assert.match(await readFile(file, 'utf8'), /before/);
    assert.equal(await exportsIn(session_id), 1, 'the daemon noted it in the record that it writes');

    const imported = await place.vitrine('import', file).ended;
    assert.equal(imported.code, 0, imported.stderr);
    const id = imported.stdout.trim();
    await until('news of it', () => reported.includes(id));

    await connection.call('answer', { session_id, request_id: 'req-1', answer: allow });
    await place.stateOf(session_id, ({ live }) => !live);
    for (const name of [session_id, id]) assert.equal((await place.vitrine('verify', name).ended).code, 0);
    assert.match((await place.vitrine('show', session_id).ended).stdout, /before[\s\S]*after/);
  });

  it('read to the end while the client stops following the session', async () => {
    const connection = await place.connect();
    const flood = { kind: 'text', bytes: 4e6, piece: 20_000 };
    const { session_id } = await connection.call(
      'start',
      place.startParams([{ init: true }, { flood }, { result: {} }]),
    );
    await place.stateOf(session_id, ({ live }) => !live);
    for (let round = 0; round < 10; round += 1) {
      const { subscription, state } = await connection.follow(session_id, () => Promise.resolve());
      // Read from the file, page by page.
      const [page] = await Promise.all([
        connection.call('read', { session_id, from: 0, to: state.total }),
        connection.unfollow(subscription),
      ]);
      assert.ok(page.entries.length > 100, `${page.entries.length} entries`);
    }
  });

  it('start a daemon for writing if none is running', async () => {
    const connection = await place.connect();
    const { session_id } = await connection.call('start', place.startParams([{ init: true }, { result: {} }]));
    await place.stateOf(session_id, ({ live }) => !live);
    await connection.call('retire', { when: 'now' });
    await connection.closed;
    assert.equal((await exported(session_id)).code, 0);
    assert.equal(await exportsIn(session_id), 1);
    assert.notEqual(await place.connectRunning(), null);
  });

  it('export what cannot be noted in the record, with a warning', async function () {
    if (process.platform === 'win32') skip(this, 'modes of files are those of POSIX');
    const connection = await place.connect();
    const { session_id } = await connection.call('start', place.startParams([{ init: true }, { result: {} }]));
    await place.stateOf(session_id, ({ live }) => !live);
    await connection.call('retire', { when: 'now' });
    await connection.closed;
    const closed = [path.join(place.store, 'daemon'), place.folder];
    await until('the daemon to leave its folder', async () => (await place.connectRunning()) === null);
    for (const folder of closed) await chmod(folder, 0o500);
    const { code, stdout, stderr } = await place.vitrineByModes('export', '--format', 'acp', session_id).ended;
    for (const folder of closed) await chmod(folder, 0o700);
    assert.equal(code, 0, stderr);
    assert.ok(stdout.startsWith('['), stdout);
    assert.match(stderr, new RegExp(`The record of ${session_id} does not include the export: `));
    assert.equal(await exportsIn(session_id), 0);
  });
});
