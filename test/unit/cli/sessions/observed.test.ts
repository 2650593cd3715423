import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { exportCommand } from '../../../../src/cli/commands/records/export.ts';
import { sessions } from '../../../../src/cli/commands/sessions.ts';
import { show } from '../../../../src/cli/commands/records/show.ts';
import { verifyCommand } from '../../../../src/cli/commands/records/verify.ts';
import { UsageError, type Command } from '../../../../src/cli/command.ts';
import { isObject } from '../../../../src/model/text/json.ts';
import { aSession, sessionId, temporaryStore } from '../../../support/sessions/records.ts';
import { captureFile } from '../../../support/stores/homes.ts';

describe('sessions from other programs on the command line', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  beforeEach(async () => {
    place = await temporaryStore();
  });
  afterEach(() => place.remove());

  const run = async (command: Command, args: readonly string[]): Promise<{ code: number; out: string }> => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    stderr.resume();
    const env = { HOME: captureFile('claude-code-2.1.330/print-fork', 'home') };
    const context = { stdin, stdout, stderr, cwd: place.dir, now: () => 0, env, onInterrupt: () => () => undefined };
    const out = text(stdout);
    const code = await command.run([...args, '--store', place.dir], context).finally(() => stdout.end());
    return { code, out: await out };
  };

  it('are listed with --all only, can be shown, but not verified or exported', async () => {
    assert.equal((await run(sessions, ['--json'])).out, '');
    const listed = (await run(sessions, ['--all', '--json'])).out.trim().split('\n');
    const rows = listed.map((line): unknown => JSON.parse(line));
    assert.equal(rows.length, 2);
    const [row] = rows;
    assert(isObject(row) && isObject(row['source']) && isObject(row['live']));
    assert.equal(row['source']['kind'], 'observed');
    assert.equal(row['live']['state'], 'ended');
    assert.deepEqual(row['pending_requests'], []);
    const id = String(row['session_id']);
    const shown = await run(show, [id, '--json']);
    assert.equal(shown.code, 0);
    assert.match(shown.out, /one line at a time/);
    const verified = await run(verifyCommand, [id]);
    assert.equal(verified.code, 3);
    assert.match(verified.out, /Nothing to verify: .* Vitrine did not record/);
    await assert.rejects(run(exportCommand, [id, '--format', 'markdown']), (error) => UsageError.is(error));
    assert.match((await run(sessions, ['--all'])).out, /ses_[0-9a-f]{12} .*Claude Code/);
  });

  it("appear once, as Vitrine's own, if Vitrine has recorded them", async () => {
    const recorded = '1804cb77-68a7-423d-8f02-b53f738f9e12';
    const writer = await place.store.create(aSession({ executor_session_ids: [recorded], status: 'finished' }));
    await writer.close();
    const listed = (await run(sessions, ['--all', '--json'])).out.trim().split('\n');
    const rows = listed.map((line): unknown => JSON.parse(line)).filter(isObject);
    const kinds = rows.map(({ source }) => (isObject(source) ? source['kind'] : null));
    assert.deepEqual(kinds.sort(), ['observed', 'own']);
    const fork = rows.find(({ parent_session_id: parent }) => parent !== undefined);
    assert.equal(fork?.['parent_session_id'], sessionId);
  });
});
