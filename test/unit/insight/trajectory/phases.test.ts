import assert from 'node:assert/strict';
import fc from 'fast-check';
import { phasesOf, type PhaseSums } from '../../../../src/insight/trajectory/phases.ts';
import { sessionPhases, RequestWaits } from '../../../../src/insight/trajectory/runTimes.ts';
import { type Span, unionOf, subtractSpans } from '../../../../src/insight/trajectory/spans.ts';
import { Trajectory } from '../../../../src/insight/trajectory/steps.ts';
import { runPhases } from '../../../../src/model/session/phases.ts';
import { recordedSessions } from '../../../support/captures/recordedSession.ts';

const partsOf = (sums: PhaseSums): number => runPhases.reduce((sum, phase) => sum + sums[phase], 0);
const spans = fc.array(
  fc.tuple(fc.integer({ min: -50, max: 150 }), fc.nat(60)).map(([from, long]): Span => [from, from + long]),
  { maxLength: 8 },
);
const has = (all: readonly Span[], at: number): boolean => all.some(([from, to]) => from <= at && at < to);

describe('time of a run', () => {
  it('is split by priority: waiting for the user, tools, the model', () => {
    const { sums, segments } = phasesOf({
      span: [0, 31_400],
      durationMs: null,
      tools: [
        [5000, 15_600],
        [15_000, 15_600],
      ],
      userWaits: [[5000, 15_000]],
      output: [
        { kind: 'thinking', span: [2000, 4000] },
        { kind: 'writing', span: [4000, 5200] },
        { kind: 'writing', span: [20_000, 31_400] },
      ],
    });
    assert.deepEqual(sums, { waiting: 6400, thinking: 2000, writing: 12_400, tools: 600, you: 10_000, total: 31_400 });
    assert.deepEqual(segments.waiting, [
      [0, 2000],
      [15_600, 20_000],
    ]);
  });

  it("is as long as the run reports, without the program's start", () => {
    const times = { span: [0, 10_000] as const, tools: [[2000, 3000] as const], userWaits: [], output: [] };
    assert.deepEqual(phasesOf({ ...times, durationMs: 8000 }).sums.waiting, 7000);
    assert.deepEqual(phasesOf({ ...times, durationMs: 400 }).sums, {
      waiting: 0,
      thinking: 0,
      writing: 0,
      tools: 400,
      you: 0,
      total: 400,
    });
  });

  it('counts every moment once, even if spans overlap', () => {
    const output = fc.array(
      fc.record({
        kind: fc.constantFrom('thinking' as const, 'writing' as const),
        span: spans.map((all) => all[0] ?? ([0, 0] as const)),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(spans, spans, output, (tools, userWaits, outputSpans) => {
        const { segments, sums } = phasesOf({
          span: [0, 100],
          durationMs: null,
          tools,
          userWaits,
          output: outputSpans,
        });
        assert.equal(partsOf(sums), 100);
        for (let at = 0; at < 100; at += 1) {
          const of = runPhases.filter((phase) => has(segments[phase], at));
          assert.equal(of.length, 1, `${at}: ${of.join()}`);
        }
      }),
    );
  });

  it('of all spans adds up', () => {
    fc.assert(
      fc.property(spans, spans, (a, b) => {
        const left = subtractSpans(unionOf(a), unionOf(b));
        for (let at = -60; at < 220; at += 1) assert.equal(has(left, at), has(a, at) && !has(b, at));
      }),
    );
  });

  it('adds up to the duration of every recorded session', async () => {
    let checked = 0;
    for (const { name, entries, turn } of await recordedSessions()) {
      const trajectory = new Trajectory();
      const waits = new RequestWaits();
      for (const entry of entries) {
        trajectory.add(entry, 1);
        waits.add(entry, 1);
      }
      const now = Date.parse(entries.at(-1)?.timestamp ?? turn.startedAt);
      const { sums } = sessionPhases(trajectory.rows(), [turn], waits, now);
      const duration = turn.durationMs ?? sums.total;
      assert.ok(
        Math.abs(partsOf(sums) - duration) <= duration / 100,
        `${name}: ${JSON.stringify(sums)} of ${duration}`,
      );
      for (const phase of runPhases) assert.ok(sums[phase] >= 0, name);
      if (turn.durationMs !== null && turn.durationMs > 0) checked += 1;
    }
    assert.ok(checked >= 50, String(checked));
  });
});
