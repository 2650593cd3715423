import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { spendingOf, usageCsv } from '../../../../src/engine/usage/spending.ts';
import type { RunSpending } from '../../../../src/insight/usage/spending.ts';
import type { RecordLine } from '../../../../src/formats/record.ts';
import {
  aResult,
  aRun,
  aSession,
  aSummary,
  appendAll,
  temporaryStore,
  time,
} from '../../../support/sessions/records.ts';

const ids = ['ses_000000000001', 'ses_000000000002', 'ses_000000000003'] as const;
const run = (digit: number): string => `run_${String(digit).padStart(12, '0')}`;

describe('spending', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  beforeEach(async () => {
    temporary = await temporaryStore();
  });
  afterEach(() => temporary.remove());

  async function written(id: string, lines: readonly RecordLine[], session = {}): Promise<void> {
    const writer = await temporary.store.create(aSession({ session_id: id, ...session }));
    await appendAll(writer, lines);
    await writer.close();
  }

  const ended = (id: string, digit: number, at: number): RecordLine[] => {
    const began = aRun({ session_id: id, run_id: run(digit), created_at: time(at), started_at: time(at) });
    const models = [{ model: 'm', input: 10 * digit, usd: digit }];
    return [
      { kind: 'run', run: began },
      { kind: 'result', run_id: run(digit), result: aResult(digit, { models }) },
      { kind: 'run', run: { ...began, status: 'completed', completed_at: time(at + 60) } },
    ];
  };

  it('is read from record ends, by run and model', async () => {
    await written(ids[0], [...ended(ids[0], 1, 0), ...ended(ids[0], 2, 86_400)]);
    const { runSpending, omitted, unreadable } = await spendingOf(temporary.store, []);
    assert.deepEqual(
      runSpending.map(({ runId, at, cost, models }) => [runId, at, cost, models]),
      [
        [run(1), time(60), { provenance: 'reported', usd: 1 }, [{ model: 'm', input: 10, usd: 1 }]],
        [run(2), time(86_460), { provenance: 'reported', usd: 2 }, [{ model: 'm', input: 20, usd: 2 }]],
      ],
    );
    assert.deepEqual([omitted, unreadable], [0, 0]);
  });

  it('excludes recordings and imports, and counts unreadable records and omitted runs', async () => {
    const turn = {
      run_id: run(1),
      first_index: 0,
      status: 'completed',
      steps: 0,
      started_at: time(5),
      duration: null,
    } as const;
    const cost = { provenance: 'reported', usd: 0.25 } as const;
    const summary = aSummary({ session_id: ids[0], runs: 4, total_cost: { provenance: 'reported', usd: 1 } });
    await written(ids[0], [{ kind: 'summary', summary, turns: [{ ...turn, cost }], turns_omitted: 3 }]);
    await written(ids[1], [
      { kind: 'summary', summary: aSummary({ session_id: ids[1], recording: true }), turns: [], turns_omitted: 0 },
    ]);
    await mkdir(temporary.store.path(ids[2]), { recursive: true });
    const { runSpending, omitted, unreadable } = await spendingOf(temporary.store, []);
    assert.deepEqual(
      runSpending.map(({ sessionId, runId, cost: spentCost }) => [sessionId, runId, spentCost]),
      [
        [ids[0], null, { provenance: 'reported', usd: 0.75 }],
        [ids[0], run(1), cost],
      ],
    );
    assert.deepEqual([omitted, unreadable], [3, 1]);
  });

  it("as CSV includes the period's runs of every session", async () => {
    await written(ids[0], [...ended(ids[0], 1, 0), ...ended(ids[0], 2, 86_400)]);
    await written(ids[1], ended(ids[1], 3, 86_400));
    const summaries = await temporary.store.list();
    const opened: string[] = [];
    const open = (id: string) => {
      opened.push(id);
      return temporary.store.openReader(id);
    };
    const observed: RunSpending[] = [];
    const text = async (from: number | null, to: number | null): Promise<string[]> => {
      const chunks: string[] = [];
      for await (const chunk of usageCsv(summaries, observed, { from, to }, open)) chunks.push(chunk);
      return chunks.join('').trimEnd().split('\r\n').slice(1);
    };
    const day = Date.parse(time(86_400));
    const rows = await text(day, null);
    assert.deepEqual(
      rows
        .map((row) => row.split(',').slice(0, 4))
        .map(([session, id, , kind]) => [session, id, kind])
        .sort(),
      [
        [ids[0], run(2), 'model'],
        [ids[0], run(2), 'run'],
        [ids[1], run(3), 'model'],
        [ids[1], run(3), 'run'],
      ],
    );
    assert.equal((await text(null, day)).length, 2);
    assert.equal((await text(null, null)).length, 6);
    observed.push({
      sessionId: ids[2],
      runId: null,
      at: time(86_400),
      agent: 'Codex',
      cost: { provenance: 'reported', usd: 3 },
      models: [
        { model: 'a', input: 1 },
        { model: 'b', input: 2 },
      ],
    });
    const others = (await text(day, null)).filter((row) => row.startsWith(ids[2])).map((row) => row.split(','));
    assert.deepEqual(
      others.map((row) => [row[2], row[3], row[9], row[10], row[17], row[18]]),
      [
        ['Codex', 'day', '', '3', '3', 'reported'],
        ['Codex', 'model', 'a', '1', '', 'unknown'],
        ['Codex', 'model', 'b', '2', '', 'unknown'],
      ],
    );
    observed.length = 0;
    opened.length = 0;
    assert.deepEqual(await text(Date.parse(time(10 * 86_400)), null), []);
    assert.deepEqual(opened, [], 'records that cannot have one are not read');
  });
});
