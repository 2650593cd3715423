import assert from 'node:assert/strict';
import path from 'node:path';
import type { ProcessProbe } from '../../../../../src/engine/sources/live/processes.ts';
import type { LiveState } from '../../../../../src/model/observedState.ts';
import { loadPrices } from '../../../../../src/insight/prices/prices.ts';
import { captureFile, noProcesses, sourcesOf, truthOf } from '../../../../support/stores/homes.ts';

type Snapshot = readonly [capture: string, label: string, state: LiveState['state']];

const snapshots: readonly Snapshot[] = [
  ['claude-code-2.1.330/tty-permission', 'home@waiting-for-approval', 'waiting_for_permission'],
  ['claude-code-2.1.330/tty-permission', 'home@approved-idle', 'idle'],
  ['claude-code-2.1.330/tty-tools', 'home@tool-running', 'running'],
  ['claude-code-2.1.330/tty-tools', 'home@idle-after-turn-1', 'idle'],
  ['claude-code-2.1.330/tty-compact', 'home@compacted', 'idle'],
  ['copilot-1.0.102/tty-permission', 'home@waiting-for-approval', 'waiting_for_permission'],
  ['copilot-1.0.102/tty-permission', 'home@idle-after-turn-1', 'idle'],
  // Codex writes nothing while it waits for a permission.
  ['codex-0.169.0/tty-permission', 'home@waiting-for-approval', 'running'],
  ['codex-0.169.0/tty-tools', 'home@idle-after-turn-1', 'idle'],
  ['codex-0.169.0/tty-tools', 'home@tool-running', 'running'],
];

const alive: ProcessProbe = {
  isAlive: () => Promise.resolve(true),
  lockHolder: (file) => Promise.resolve(path.basename(file).startsWith('.') ? null : 4711),
};

async function stateOf(capture: string, label: string, processes: ProcessProbe): Promise<LiveState> {
  const [row] = await sourcesOf(captureFile(capture, label), processes).list(await loadPrices());
  assert(row !== undefined);
  return row.live;
}

describe('the state of an observed session', () => {
  for (const [capture, label, state] of snapshots) {
    it(`is ${state} in ${capture}/${label}`, async () => {
      const live = await stateOf(capture, label, alive);
      assert.equal(live.state, state);
      assert.notEqual(live.source, 'record');
      assert.notEqual(live.since, null);
    });

    it(`is ended if the process of ${capture}/${label} died`, async () => {
      const { state: now, source } = await stateOf(capture, label, noProcesses);
      assert.deepEqual([now, source], ['ended', 'record']);
    });
  }

  it('depends on the very process, not on a reused pid', async () => {
    const asked: (readonly [number, string | null])[] = [];
    const probe: ProcessProbe = {
      ...alive,
      isAlive: (pid, start) => {
        asked.push([pid, start]);
        return Promise.resolve(start === '225829');
      },
    };
    const { state, pid } = await stateOf('claude-code-2.1.330/tty-permission', 'home@waiting-for-approval', probe);
    assert.deepEqual([state, pid, asked], ['waiting_for_permission', 5119, [[5119, '225829']]]);
  });

  it('is derived from recent records for versions without marks', async () => {
    const name = 'claude-code-2.0.77/tty-permission';
    const { snapshots: taken } = truthOf(name);
    const at = Date.parse(taken.find(({ label }) => label !== 'home')?.at ?? '');
    const [waiting] = await sourcesOf(captureFile(name, 'home'), noProcesses, at + 600_000).list(await loadPrices());
    assert.equal(waiting?.live.state, 'ended');
  });
});
