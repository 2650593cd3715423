import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Bench, waitForResult } from '../../support/fakeAgent/engine.ts';

describe('vitrine doctor', () => {
  const bench = new Bench();
  after(() => bench.close());

  it("shows stored sessions, unlisted ones with the reason, and each agent's last failure", async () => {
    const engine = await bench.engine();
    const saved = async (title: string, how: object): Promise<string> => {
      const steps = [{ init: true }, { say: title }, { result: how }];
      const handle = await engine.start({ ...bench.request(steps), title });
      await waitForResult(handle);
      handle.dispose();
      return handle.summary().session_id;
    };
    const failed = await saved('failed', { subtype: 'error_during_execution', is_error: true, errors: ['no tea'] });
    const hidden = await saved('hidden', {});
    const deleted = await saved('deleted', {});
    const moved = await saved('moved', {});
    await engine.setHidden(hidden, true);
    await engine.remove(deleted);
    const missingFolder = path.join(bench.dir, 'gone');
    await engine.relink(moved, missingFolder);
    mkdirSync(path.join(bench.store, 'sessions', 'ses_0000000000ff', 'record.jsonl'), { recursive: true });

    const child = spawn(process.execPath, [path.resolve('dist/cli.js'), 'doctor', '--store', bench.store], {
      cwd: bench.cwd,
      env: { PATH: process.env['PATH'], HOME: bench.dir, CLAUDECODE: 'a-value' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
    assert.match(said, /Sessions +3 found, 2 listed, 0 running, 0 interrupted/);
    assert.match(said, /Not listed +1 hidden, 1 cannot be read, 1 permanently deleted/);
    assert.match(said, new RegExp(`${hidden}: hidden by you`));
    assert.match(said, /ses_0000000000ff: cannot be read: .+/);
    assert.match(said, new RegExp(`${deleted}: permanently deleted`));
    assert.ok(said.includes(`${missingFolder}: 1 session, missing folder`), said);
    assert.match(said, new RegExp(`Last error: .* UTC, ${failed}: .*no tea`));
    assert.match(said, /Variables not passed to it: CLAUDECODE/);
    assert.doesNotMatch(said, /a-value/);
  });
});
