import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinCoordinator } from '../../../../src/engine/coordinator/join.ts';
import { stopQueued } from '../../../../src/vscode/runner/stopQueued.ts';

describe('stopping what another process runs for the queue', () => {
  const none = (): void => undefined;
  const log = { debug: none, info: none, warn: none, error: none };
  let store: string;
  beforeEach(() => {
    store = mkdtempSync(path.join(tmpdir(), 'vitrine-stop-'));
  });
  afterEach(() => rm(store, { recursive: true, force: true }));

  it('stops the active run in the session, and says whether there was one', async () => {
    let ids = 0;
    const randomHex = (digits: number): string => {
      ids += 1;
      return ids.toString(16).padStart(digits, '0');
    };
    const deps = { clock: Date.now, monotonic: () => performance.now(), randomHex, log };
    const joined = await joinCoordinator(store, deps, { host: true });
    const { link } = joined;
    try {
      const seat = { instance: 'instance-1' };
      const registration = { hostname: 'h', project_dir: '/w', executor_type: 'codex', limit: 2, ...seat };
      const { runner_id } = await link.register(registration);
      const other = await link.createRun({ executor_type: 'codex', prompt: 'Other' });
      const first = await link.createRun({ executor_type: 'codex', prompt: 'First' });
      const states = async (): Promise<string[]> => (await link.runs()).map(({ status }) => status);
      for (const { run_id } of [other, first]) {
        await link.claim({ ...seat, runner_id });
        await link.report({ ...seat, runner_id }, { run_id, status: 'running' });
      }
      await link.report({ ...seat, runner_id }, { run_id: first.run_id, status: 'completed' });
      const { session_id } = first;
      assert.equal(await stopQueued(store, session_id, log), false);
      await link.createRun({ executor_type: 'codex', prompt: 'On', type: 'resume_session', session_id });
      await link.claim({ ...seat, runner_id });
      assert.equal(await stopQueued(store, session_id, log), true);
      assert.equal(await stopQueued(store, 'ses_00000000ffff', log), false);
      assert.deepEqual(await states(), ['running', 'completed', 'stopping']);
    } finally {
      await joined.close();
    }
  });

  it('stops nothing where no one coordinates', async () => {
    assert.equal(await stopQueued(store, 'ses_000000000001', log), false);
  });
});
