import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import type { SessionSummary } from '../../../../src/model/session/summary.ts';
import { rowOf } from '../../../../src/vscode/sessions/sessionRow.ts';
import { indexLimit, WorkspaceIndex } from '../../../../src/vscode/window/workspaceIndex.ts';
import { row } from '../sessions/rows.ts';

class Memory implements Memento {
  readonly values = new Map<string, unknown>();
  writes = 0;
  keys(): readonly string[] {
    return [...this.values.keys()];
  }
  get(key: string): never | undefined {
    return this.values.get(key) as never;
  }
  update(key: string, value: unknown): Promise<void> {
    this.writes += 1;
    // As VS Code does: what is kept went through JSON.
    this.values.set(key, JSON.parse(JSON.stringify(value)));
    return Promise.resolve();
  }
}

const summary = (overrides: Partial<SessionSummary>): SessionSummary => ({
  ...row('a'),
  execution_mode: 'sync',
  executor_session_ids: [],
  permission_mode: null,
  entries: 5,
  cost: { provenance: 'reported', usd: 0.5 },
  usage: {},
  total_usage: {},
  api_duration: null,
  context_window: null,
  ...overrides,
});

describe('the index of a workspace', () => {
  it('returns what was saved', async () => {
    const memory = new Memory();
    const rows = [row('b', { hidden: true, parent_session_id: row('a').session_id }), row('a')];
    await new WorkspaceIndex(memory).save(rows);
    assert.deepEqual(new WorkspaceIndex(memory).load(), rows);
  });

  it('is empty at first', () => {
    assert.equal(new WorkspaceIndex(new Memory()).load(), undefined);
  });

  it('keeps the newest, and stays within its limit', async () => {
    const memory = new Memory();
    const rows = Array.from({ length: 1000 }, (_, n) =>
      row(n.toString(16), { prompt: 'é'.repeat(120), updated_at: new Date(1.79e12 + n * 60_000).toISOString() }),
    );
    await new WorkspaceIndex(memory).save(rows);
    const bytes = Buffer.byteLength(JSON.stringify(Object.fromEntries(memory.values)));
    assert.ok(bytes <= indexLimit, `${bytes} bytes`);
    const saved = new WorkspaceIndex(memory).load() ?? [];
    assert.ok(saved.length > 80, `${saved.length} rows`);
    assert.deepEqual(saved, rows.reverse().slice(0, saved.length));
  });

  it('does not rewrite unchanged data', async () => {
    const memory = new Memory();
    const index = new WorkspaceIndex(memory);
    await index.save([row('a')]);
    await index.save([row('a')]);
    assert.equal(memory.writes, 1);
  });

  it('skips data of other versions', () => {
    for (const saved of [null, 7, [], { version: 2, sessions: [] }, { version: 1, sessions: {} }]) {
      const memory = new Memory();
      memory.values.set('sessions', saved);
      assert.equal(new WorkspaceIndex(memory).load(), undefined);
    }
    const memory = new Memory();
    memory.values.set('sessions', { version: 1, sessions: [null, {}, { ...row('b'), status: 7 }, row('a')] });
    assert.deepEqual(new WorkspaceIndex(memory).load(), [row('a')]);
  });

  it('saves few and short fields of a session', () => {
    const long = 'x'.repeat(200);
    const short = rowOf(summary({ title: long, prompt: long, reason: long, executor_session_ids: [long] }));
    assert.equal(short.title?.length, 120);
    assert.equal(short.prompt, '');
    assert.equal(short.reason?.length, 120);
    assert.ok(JSON.stringify(short).length < 800);
  });
});
