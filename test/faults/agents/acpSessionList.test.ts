import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { acp } from '../../../src/agents/acp/adapter.ts';
import { claudeCode } from '../../../src/agents/claude-code/adapter.ts';
import type { AgentSession } from '../../../src/agents/acp/sessionList.ts';
import type { FailureCode } from '../../../src/engine/failures/failureCodes.ts';
import { EngineFailure } from '../../../src/engine/failures/failures.ts';
import { Bench } from '../../support/fakeAgent/engine.ts';

const program = path.resolve('test/support/acpAgent/agent.mjs');

describe('sessions in the store of an ACP agent', function () {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(async () => {
    // Nothing that was started is left behind, nor the trace of it.
    const leases = readdirSync(path.join(bench.store, 'leases'));
    await bench.close();
    assert.deepEqual(leases, []);
  });

  const listed = async (args: readonly string[], signal?: AbortSignal): Promise<readonly AgentSession[]> => {
    const engine = await bench.engine({
      adapters: [acp, claudeCode],
      settings: () => ({ acp: [{ id: 'fake', label: 'Fake', program, args }] }),
    });
    const request = { agent: 'acp', profile: 'fake', cwd: bench.cwd } as const;
    const found = await engine.agentSessions({ ...request, ...(signal !== undefined && { signal }) });
    assert.deepEqual(await engine.list(), []);
    return found;
  };
  const fails = (args: readonly string[], code: FailureCode, pattern: RegExp, signal?: AbortSignal): Promise<void> =>
    assert.rejects(listed(args, signal), (error) => {
      assert.ok(EngineFailure.is(error, code), String(error));
      assert.match(error.message, pattern);
      return true;
    });

  it('are listed page by page, without invalid ones', async () => {
    const found = await listed(['--list=pages', '--stay']);
    assert.deepEqual(
      found.map(({ id, cwd, updatedAt }) => [id, cwd, updatedAt]),
      ['kept-0', 'kept-1', 'kept-2'].map((id) => [id, bench.cwd, '2026-01-02T03:04:05Z']),
    );
  });

  it('are limited, however many pages there are', async () => {
    assert.equal((await listed(['--list=endless'])).length, 50);
  });

  it('cannot be listed by some agents, which are named', async () => {
    await fails([], 'list_not_offered', /^Fake does not list its sessions/);
  });

  it('report errors of the agent', async () => {
    await fails(['--list=error'], 'agent_failed', /^Could not list Fake sessions: .*no disk/);
    await fails(['--list=pages', '--greeting=version'], 'agent_failed', /uses version 7/);
    await fails(['--list=exit'], 'exited_at_once', /^Fake exited immediately \(exit code 3\): no sessions here/);
  });

  it('are not awaited after cancellation', async () => {
    const stopped = new AbortController();
    const failed = fails(['--list=none', '--stay'], 'agent_failed', /it was stopped/, stopped.signal);
    stopped.abort();
    await failed;
  });
});
