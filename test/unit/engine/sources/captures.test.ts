import assert from 'node:assert/strict';
import type { ObservedSummary } from '../../../../src/insight/observed/summary.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { addUsage, type TokenUsage } from '../../../../src/model/usage/usage.ts';
import { captureFile, capturesOf, sourcesOf, truthOf } from '../../../support/stores/homes.ts';

/** US dollars that the agent itself states for what each session has used alone, in the order of the sessions' start. */
const stated: Readonly<Record<string, readonly number[]>> = {
  'claude-code-2.1.330/print-resume-other-folder': [0.0100665],
  'claude-code-2.1.330/print-resume-twice': [0.0384255],
  'claude-code-2.1.330/print-slow-blocks': [0.0253815],
  'claude-code-2.1.330/print-subagent': [0.0303075],
  'claude-code-2.1.330/print-tools': [0.022875],
  'claude-code-2.1.330/tty-compact': [0.022875],
  'claude-code-2.1.330/tty-permission': [0.016128],
  'claude-code-2.1.330/tty-title': [0.0181845],
  'claude-code-2.1.330/tty-tools': [0.0384255],
};

/** The store is known to lack requests that were billed. */
const incomplete = new Set([
  'claude-code-2.0.77/print-slow-blocks',
  'claude-code-2.0.77/print-tools-resume',
  'claude-code-2.0.77/tty-permission',
  'claude-code-2.1.330/killed-while-streaming',
  'claude-code-2.1.330/tty-compact',
  'claude-code-2.1.330/tty-title',
  'codex-0.169.0/killed-while-streaming',
  'codex-0.169.0/tty-compact',
  'codex-0.169.0/tty-daemon',
  'codex-0.169.0/tty-permission',
  'codex-0.169.0/tty-tools',
  'copilot-1.0.102/killed-while-streaming',
]);

describe('sessions that agents have stored themselves', () => {
  for (const name of ['claude-code', 'codex', 'copilot'].flatMap(capturesOf)) {
    describe(name, () => {
      const { truth, expected } = truthOf(name);
      let rows: readonly ObservedSummary[] = [];

      before(async () => {
        const listed = await sourcesOf(captureFile(name, 'home')).list(await loadPrices());
        rows = [...listed].sort((a, b) => a.created_at.localeCompare(b.created_at));
      });

      it("are listed once, with the user's prompts and the agent's actions", () => {
        assert.equal(rows.length, expected.sessions.length);
        for (const [at, session] of expected.sessions.entries()) {
          const row = rows[at]!;
          if (session.id !== undefined) assert.deepEqual(row.executor_session_ids, [session.id]);
          assert.equal(row.prompts, session.userTurns);
          if (session.toolCalls !== undefined && session.subagentToolCalls !== undefined)
            assert.equal(row.tool_calls, session.toolCalls + session.subagentToolCalls);
          if (session.title !== undefined) assert.equal(row.title, session.title);
          const parent = rows.find(({ executor_session_ids: ids }) => ids[0] === session.parent);
          assert.equal(row.parent_session_id, parent?.session_id);
          assert.equal(row.problem, null);
          assert.equal(row.live.state, 'ended');
          assert.equal(row.project_dir, name.endsWith('other-folder') ? '/home/dev/other' : '/home/dev/project');
          assert.equal(row.branch === 'main' || name.endsWith('other-folder'), true);
          assert.equal(row.source.kind, 'observed');
          assert.equal(row.malformed_lines, 0);
        }
      });

      it('count every request once', () => {
        const sent = truth.onDisk ?? truth.turns;
        const sum = rows.reduce<TokenUsage>((all, row) => addUsage(all, row.total_usage), {});
        const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = sum;
        assert.deepEqual(
          { input, output, cacheRead, cacheWrite },
          {
            input: sent.input ?? (sent.inputInclCached ?? 0) - (sent.cacheRead ?? 0),
            output: sent.output ?? sent.outputInclReasoning ?? 0,
            cacheRead: sent.cacheRead ?? 0,
            cacheWrite: sent.cacheWrite ?? 0,
          },
        );
      });

      it('have their cost, or a reason why it is unknown', () => {
        for (const [at, usd] of (stated[name] ?? []).entries()) {
          const { total_cost: cost } = rows[at]!;
          assert.ok(cost.provenance === 'reported' && Math.abs(cost.usd - usd) < 1e-9, JSON.stringify(cost));
        }
        for (const { total_cost: cost, total_usage: usage } of rows) {
          assert.ok(cost.provenance === 'unknown' || cost.usd > 0 || (usage.output ?? 0) === 0);
        }
        assert.equal(
          rows.some(({ usage_reason: reason }) => reason?.startsWith('At least') === true),
          incomplete.has(name),
        );
      });
    });
  }

  it('include usage of a killed process in the next one', async () => {
    const home = captureFile('claude-code-2.1.330/killed-in-tool', 'home');
    const [row] = await sourcesOf(home).list(await loadPrices());
    assert.equal(row?.agent_cost_usd, 0.005376);
    assert.ok(row.total_cost.provenance === 'estimated' && Math.abs(row.total_cost.usd - 0.0100665) < 1e-9);
    assert.match(row.total_cost.reason ?? '', /does not include/);
  });

  it('show a command whose turn was interrupted as cancelled', async () => {
    const home = captureFile('codex-0.169.0/tty-permission', 'home');
    const sources = sourcesOf(home);
    const [row] = await sources.list(await loadPrices());
    const entries = (await sources.read(row?.session_id ?? ''))?.entries ?? [];
    const statuses = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool.status] : []));
    assert.deepEqual(statuses, ['success', 'cancelled']);
  });

  it("attribute a fork's history to the original session", async () => {
    const home = captureFile('claude-code-2.1.330/print-fork', 'home');
    const costs = (await sourcesOf(home).list(await loadPrices())).map(({ total_cost: cost }) => cost);
    const sum = costs.reduce((usd, cost) => usd + (cost.provenance === 'unknown' ? 0 : cost.usd), 0);
    assert.ok(Math.abs(sum - (0.0046905 + 0.005376 + 0.0060615)) < 1e-9, `${sum}`);
  });
});
