import assert from 'node:assert/strict';
import type { ListedRunner } from '../../../../src/model/session/runner.ts';
import type { ListedRun } from '../../../../src/model/session/waiting.ts';
import {
  groupNodes,
  isQueueEmpty,
  isSameGroup,
  maxRows,
  missingTags,
  reasonNodes,
  rowNodes,
  runnerHere,
} from '../../../../src/vscode/queue/queueRows.ts';

const run = (number: number, overrides: Partial<ListedRun> = {}): ListedRun => ({
  run_id: `run_${String(number).padStart(12, '0')}`,
  type: 'start_session',
  session_id: `ses_${String(number).padStart(12, '0')}`,
  prompt: `Task ${number}`,
  execution_mode: 'sync',
  status: 'pending',
  created_at: '2026-11-27T10:00:00.000Z',
  executor_type: 'claude-code',
  ...overrides,
});

const runner = (overrides: Partial<ListedRunner> = {}): ListedRunner => ({
  runner_id: 'lnch_000000000001',
  registered_at: '2026-11-27T10:00:00.000Z',
  last_heartbeat: '2026-11-27T10:00:00.000Z',
  hostname: 'here',
  project_dir: '/work',
  executor_type: 'claude-code',
  tags: [],
  status: 'online',
  seconds_since_heartbeat: 1,
  ...overrides,
});

const idsOf = (nodes: ReturnType<typeof rowNodes>): readonly string[] =>
  nodes.map((node) =>
    node.kind === 'run' ? node.run.run_id : node.kind === 'runner' ? node.runner.runner_id : node.kind,
  );

describe('rows of the queue', () => {
  it('are grouped by what a person can do about them, without ended runs and empty groups', () => {
    const contents = { runs: [run(1), run(2, { status: 'running' }), run(3, { status: 'failed' })], runners: [] };
    assert.deepEqual(groupNodes(contents), [
      { kind: 'group', name: 'waiting', count: 1 },
      { kind: 'group', name: 'running', count: 1 },
    ]);
    assert.deepEqual(idsOf(rowNodes(contents, 'running')), [run(2).run_id]);
    assert.ok(!isQueueEmpty(contents));
    assert.ok(isQueueEmpty({ runs: [run(3, { status: 'completed' })], runners: [] }));
    assert.ok(!isQueueEmpty({ runs: [], runners: [runner()] }));
  });

  it('are in the order in which runners take them', () => {
    const runs = [run(1), run(2, { priority: -1 }), run(3, { priority: 2 }), run(4)];
    const ids = [3, 1, 4, 2].map((number) => run(number).run_id);
    assert.deepEqual(idsOf(rowNodes({ runs, runners: [] }, 'waiting')), ids);
  });

  it('say for what a run waits', () => {
    const blocked = run(1, { waiting: { kind: 'no_runner' } });
    assert.deepEqual(reasonNodes(blocked), [{ kind: 'reason', run: blocked }]);
    assert.deepEqual([run(2), run(3, { status: 'running' })].flatMap(reasonNodes), []);
  });

  it('are the same until one of them says something else', () => {
    const before = { runs: [run(1)], runners: [runner()] };
    const after = { runs: [run(1)], runners: [runner({ seconds_since_heartbeat: 6 })] };
    assert.deepEqual([isSameGroup('waiting', before, after), isSameGroup('runners', before, after)], [true, false]);
  });

  it('end with a count of those that are left out', () => {
    const runs = Array.from({ length: maxRows + 5 }, (_, number) => run(number));
    const rows = rowNodes({ runs, runners: [] }, 'waiting');
    assert.equal(rows.length, maxRows + 1);
    assert.deepEqual(rows.at(-1), { kind: 'more', name: 'waiting', count: 5 });
  });
});

describe('the runner of this window', () => {
  const here = { hostname: 'here', folders: ['/work'] };
  const found = (...runners: ListedRunner[]) => runnerHere({ runs: [], runners }, run(1), here)?.runner_id;

  it('is online, offers the executor, and is neither of another machine, folder nor member', () => {
    assert.equal(found(runner()), 'lnch_000000000001');
    const others = [
      { hostname: 'there' },
      { project_dir: '/elsewhere' },
      { executor_type: 'codex' },
      { status: 'stale' as const },
      { owner: 'alice' },
    ];
    assert.deepEqual(
      others.map((other) => found(runner(other))),
      Array(others.length).fill(undefined),
    );
  });

  it('may lack tags that the run demands', () => {
    const demands = { tags: ['gpu', 'web'] };
    assert.deepEqual(missingTags({ demands }, { tags: ['web'] }), ['gpu']);
    assert.deepEqual(missingTags({}, { tags: [] }), []);
  });
});
