import assert from 'node:assert/strict';
import { findAdapter } from '../../../src/agents/registry.ts';
import { TodoTable } from '../../../src/agents/copilot/tools/todos.ts';
import { TaskList } from '../../../src/agents/claude-code/tools/tasks.ts';
import { findUnfinishedWork, type UnfinishedWork } from '../../../src/insight/followUps/conversation.ts';
import { TodoLedger } from '../../../src/insight/followUps/todos.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { ToolAction } from '../../../src/model/transcript/tool.ts';
import { capturesOf, readBy } from '../../support/captures/agentCaptures.ts';

/** What stands open after runs of which each is read on its own, as after a resume. */
function after(type: string, ...runs: readonly (readonly string[])[]): UnfinishedWork['todos'] {
  const adapter = findAdapter(type);
  assert.ok(adapter !== undefined);
  const entries: NormalizedEntry[] = [];
  for (const run of runs) {
    const lines = run.map((text) => ({ stream: 'stdout', text }) as const);
    entries.push(...readBy(adapter, lines, undefined, { firstIndex: entries.length }).entries);
  }
  return findUnfinishedWork(entries).todos;
}

function linesOf(type: string, name: string): readonly string[] {
  return capturesOf(type).find((capture) => capture.name === name)?.stdout ?? [];
}

type TodoAction = Extract<ToolAction, { kind: 'todo' }>;
const empty: TodoAction = { kind: 'todo', todos: [] };

describe('todos of an agent over its runs', () => {
  it('are those of Claude Code, even if a later run names only one', () => {
    const [init = '', create = '', created = '', , , , , done = '', isDone = '', ...rest] = linesOf(
      'claude-code',
      '2.1.328/tasks',
    );
    const end = rest.slice(-2);
    const numbered = (line: string, number: number): string =>
      line
        .replaceAll(/(toolu|msg)_mock(\d+)/g, `$1_${number}_$2`)
        .replaceAll('ask #1', `ask #${number}`)
        .replaceAll('"id":"1"', `"id":"${number}"`)
        .replaceAll('"taskId":"1"', `"taskId":"${number}"`);
    const creations = [1, 2, 3].flatMap((number) => [numbered(create, number), numbered(created, number)]);
    const first = [init, ...creations, ...end];
    assert.deepEqual(after('claude-code', first), { open: 3, all: 3 });
    assert.deepEqual(after('claude-code', first, [init, done, isDone, ...end]), { open: 2, all: 3 });
  });

  describe('of Claude Code', () => {
    let tasks: TaskList;
    beforeEach(() => (tasks = new TaskList()));

    it('are complete when listed', () => {
      const task = { id: '2', subject: 'Second', status: 'pending' };
      tasks.completedAction('TaskCreate', empty, {}, { task: { id: '1', subject: 'First' } });
      assert.deepEqual(tasks.completedAction('TaskList', empty, {}, { tasks: [task] }), {
        kind: 'todo',
        todos: [{ id: '2', text: 'Second', status: 'pending' }],
        others: 'cancelled',
      });
      assert.deepEqual(tasks.completedAction('TaskList', empty, {}, { tasks: [] }), { ...empty, others: 'cancelled' });
    });

    it('omit what the run did not report', () => {
      assert.deepEqual(tasks.completedAction('TaskList', empty, {}, undefined), empty);
      assert.deepEqual(tasks.completedAction('TaskUpdate', empty, { taskId: '1', subject: 'New' }, {}), empty);
      const failed = { success: false, error: 'Task not found' };
      assert.deepEqual(tasks.completedAction('TaskUpdate', empty, { taskId: '1', status: 'completed' }, failed), empty);
    });
  });

  it('are those of Copilot, even if a later run changes all of them', () => {
    const lines = linesOf('copilot', '1.0.102/todo');
    const making = lines.filter((line) => !line.includes('toolu_mock0018'));
    const finishing = lines.filter((line) => !line.includes('toolu_mock0017'));
    assert.deepEqual(after('copilot', making), { open: 2, all: 2 });
    assert.deepEqual(after('copilot', making, finishing), { open: 0, all: 2 });
  });

  describe('of Copilot', () => {
    const insert = "INSERT INTO todos (id, title, status) VALUES ('a', 'A', 'pending'), ('b', 'B', 'in_progress')";
    for (const [query, open, all] of [
      ["UPDATE todos SET status = 'done' WHERE id = 'a'", 1, 2],
      ["UPDATE todos SET status = 'done' WHERE id IN ('a', 'b')", 0, 2],
      ["UPDATE todos SET status = 'done'", 0, 2],
      // Which rows that is about, this run does not know.
      ["UPDATE todos SET status = 'done' WHERE status = 'pending'", 2, 2],
      ["UPDATE todos SET title = 'C' WHERE id = 'a'", 2, 2],
      ["DELETE FROM todos WHERE id = 'a'", 1, 2],
      ['DELETE FROM todos', 0, 2],
      ["DELETE FROM todos; INSERT INTO todos (id, title) VALUES ('b', 'B')", 1, 2],
      ["DELETE FROM todos WHERE id = 'b'; INSERT INTO todos (id, title) VALUES ('b', 'B')", 2, 2],
      ["INSERT INTO todos (id, title) VALUES ('c', 'C')", 3, 3],
      ['SELECT * FROM todos', 2, 2],
    ] as const) {
      it(`are correct after a later run's ${query}`, () => {
        const ledger = new TodoLedger();
        for (const statement of [insert, query]) {
          const action = new TodoTable().apply(statement);
          if (action !== undefined) ledger.apply(action, undefined);
        }
        assert.deepEqual(ledger.count(), { open, all });
      });

      it(`are correct after ${query} in the same run`, () => {
        const table = new TodoTable();
        const ledger = new TodoLedger();
        for (const statement of [insert, query]) {
          const action = table.apply(statement);
          if (action !== undefined) ledger.apply(action, undefined);
        }
        const known = query.includes("status = 'pending'") ? { open: 1, all: 2 } : { open, all };
        assert.deepEqual(ledger.count(), known);
      });
    }
  });

  it('are shown by Copilot once each, without those of an earlier list', () => {
    const shown = (query: string): unknown => {
      const table = new TodoTable();
      table.apply("INSERT INTO todos (id, title) VALUES ('a', 'A'), ('b', 'B')");
      return table.apply(query)?.todos.map(({ id, status }) => [id, status]);
    };
    const insert = "INSERT INTO todos (id, title, status) VALUES ('a', 'A', 'in_progress')";
    assert.deepEqual(shown(`DELETE FROM todos; ${insert}`), [['a', 'in_progress']]);
    assert.deepEqual(shown('DELETE FROM todos'), [
      ['a', 'cancelled'],
      ['b', 'cancelled'],
    ]);
    assert.deepEqual(shown(`DELETE FROM todos WHERE id IN ('a', 'b'); ${insert}`), [
      ['b', 'cancelled'],
      ['a', 'in_progress'],
    ]);
  });

  it('are empty if the agent withdrew its plan', () => {
    const update = (sessionUpdate: string, fields: object) =>
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'session/update',
        params: { sessionId: 's', update: { sessionUpdate, ...fields } },
      });
    const started = [
      { jsonrpc: '2.0', id: 0, result: { protocolVersion: 1 } },
      { jsonrpc: '2.0', id: 1, result: { sessionId: 's' } },
    ].map((message) => JSON.stringify(message));
    const entries = [
      { content: 'Look', status: 'completed' },
      { content: 'Leap', status: 'pending' },
    ];
    const plan = update('plan_update', { plan: { type: 'items', planId: 'p', entries } });
    const promptResult = JSON.stringify({ jsonrpc: '2.0', id: 2, result: { stopReason: 'end_turn' } });
    assert.deepEqual(after('acp', [...started, plan, promptResult]), { open: 1, all: 2 });
    const removed = update('plan_removed', { planId: 'p' });
    assert.deepEqual(after('acp', [...started, plan, removed, promptResult]), { open: 0, all: 2 });
  });
});
