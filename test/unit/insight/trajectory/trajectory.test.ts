import assert from 'node:assert/strict';
import { allRows, matchesFilter, parseFilter } from '../../../../src/insight/trajectory/filter.ts';
import { Findings } from '../../../../src/insight/trajectory/findings.ts';
import { trajectoryOf } from '../../../../src/insight/trajectory/metadata.ts';
import { longestFirst, mainLane, Trajectory, findTurn } from '../../../../src/insight/trajectory/steps.ts';
import { waterfall } from '../../../../src/insight/trajectory/waterfall.ts';
import { trajectorySchema } from '../../../../src/model/transcript/metadata.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { demoEntries } from '../../../support/evidence/claims.ts';
import { at, call, edits, reads, runs, said, thought, writes } from '../../../support/sessions/madeEntries.ts';

function trajectory(entries: readonly NormalizedEntry[], firstIndexes: readonly number[] = [0]): Trajectory {
  const all = new Trajectory();
  for (const entry of entries) all.add(entry, findTurn(firstIndexes, entry.index));
  return all;
}

const session = [
  said(0, 'Fix it', 'user_message'),
  thought(2, 'I should look.'),
  call(3, reads('/w/a.ts'), { startedAt: at(3), endedAt: at(5) }),
  call(4, reads('/w/b.ts'), { startedAt: at(3), endedAt: at(4) }),
  call(5, { kind: 'task', description: 'Check CI', agentType: 'Explore' }, { startedAt: at(6), endedAt: at(20) }),
  call(6, runs('gh run list'), { parentCallId: 'call_5', startedAt: at(7), endedAt: at(9) }),
  call(7, runs('npm test', 1), { status: 'failed', startedAt: at(21), endedAt: at(31) }),
  said(8, 'Done.'),
  said(9, 'And now?', 'user_message'),
  call(10, runs('git push'), { status: 'running', startedAt: at(600) }),
];

describe('trajectory', () => {
  it('has each call with number, kind, time, lane and the text before it', () => {
    const steps = trajectory(session, [0, 9]).steps();
    assert.deepEqual(
      steps.map(({ number, kind, title, durationMs, lane, level, turn, messageIndex }) => [
        number,
        kind,
        title,
        durationMs,
        lane,
        level,
        turn,
        messageIndex,
      ]),
      [
        ['1', 'read', '/w/a.ts', 2000, mainLane, 0, 1, 2],
        ['2', 'read', '/w/b.ts', 1000, mainLane, 0, 1, 2],
        ['3', 'other', 'Check CI', 14_000, mainLane, 0, 1, 2],
        ['3.1', 'command', 'gh run list', 2000, 'call_5', 1, 1, null],
        ['4', 'command', 'npm test', 10_000, mainLane, 0, 1, 2],
        ['5', 'command', 'git push', null, mainLane, 0, 2, null],
      ],
    );
    assert.deepEqual(
      longestFirst(steps).map(({ number }) => number),
      ['3', '4', '1', '3.1', '2', '5'],
    );
  });

  it('has a lane for every subagent', () => {
    const lanes = trajectory(session).lanes();
    assert.deepEqual(
      lanes.map(({ id, title, agentType, level, number }) => [id, title, agentType, level, number]),
      [
        [mainLane, '', null, 0, null],
        ['call_5', 'Check CI', 'Explore', 1, '3'],
      ],
    );
  });

  it('names a lane when the name of its call arrives, even late', () => {
    const task = (description: string, agentType?: string) =>
      ({ kind: 'task', description, ...(agentType !== undefined && { agentType }) }) as const;
    const early = call(0, runs('ls'), { parentCallId: 'call_1' });
    const all = trajectory([
      early,
      call(1, task(''), { status: 'created' }),
      call(2, runs('ls'), { parentCallId: 'call_1' }),
      call(1, task('Check CI', 'Explore'), { status: 'running' }),
      call(3, task('Deeper'), { parentCallId: 'call_1' }),
      call(4, task('Odd'), { callId: mainLane }),
      call(5, task('Of itself'), { parentCallId: 'call_5' }),
    ]);
    assert.deepEqual(
      all.lanes().map(({ id, title, agentType, level, number }) => [id, title, agentType, level, number]),
      [
        [mainLane, '', null, 0, null],
        ['call_1', 'Check CI', 'Explore', 1, '2'],
        ['call_3', 'Deeper', null, 2, '2.2'],
        ['call_5', '', null, 1, null],
      ],
    );
  });

  it('includes durations of thinking and answers', () => {
    const rows = trajectory(session).rows();
    const moments = rows.filter(({ type }) => type !== 'step');
    assert.deepEqual(
      moments.map(({ type, startedAt, endedAt }) => [type, (endedAt ?? 0) - (startedAt ?? 0)]),
      [
        ['thought', 2000],
        ['answer', 0],
      ],
    );
  });

  it('is unchanged when growing entries are added again', () => {
    const grown = new Trajectory();
    for (const entry of session) {
      if (entry.type.kind === 'tool_use') {
        const running = { ...entry.type.tool, status: 'running' as const };
        delete running.endedAt;
        grown.add({ ...entry, type: { kind: 'tool_use', tool: running } }, 1);
      }
      grown.add(entry, 1);
    }
    const plain = trajectory(session, [0]);
    assert.deepEqual(
      grown.rows().map(({ title }) => title),
      plain.rows().map(({ title }) => title),
    );
    assert.deepEqual(grown.steps(), plain.steps());
  });

  it('lays out bars on an axis without idle time', () => {
    const all = trajectory(session, [0, 9]);
    const { lanes, total, turns, gaps } = waterfall(all.rows(), all.lanes(), Date.parse(at(605)));
    assert.deepEqual(
      lanes.map(({ offset, duration, bars }) => [offset, duration, bars.length]),
      [
        [0, 37_000, 7],
        [7000, 2000, 1],
      ],
    );
    // From second 0 to 31, then a second for the gap, then 5 of what continues.
    assert.equal(total, 37_000);
    assert.deepEqual(gaps, [{ offset: 31_000, idleMs: 569_000 }]);
    assert.deepEqual(
      turns.map(({ turn, offset }) => [turn, offset]),
      [
        [1, 0],
        [2, 32_000],
      ],
    );
    const [first, second, task] = lanes[0]!.bars.filter(({ row }) => row.type === 'step');
    assert.deepEqual(
      [first?.offset, first?.duration, first?.group, second?.group, task?.group],
      [3000, 2000, 3, 3, null],
    );
    assert.deepEqual(
      lanes[0]!.bars.map(({ open }) => open),
      [false, false, false, false, false, false, true],
    );
  });

  it('reads the recorded demo', () => {
    const all = trajectory(demoEntries());
    assert.deepEqual(
      all
        .steps()
        .map(({ kind }) => kind)
        .join(' '),
      'read read command command edit command command other edit other command other command other',
    );
    const layout = waterfall(all.rows(), all.lanes(), 0);
    assert.ok(
      layout.lanes[0]!.bars.every(({ offset, duration }) => offset !== null && offset + duration <= layout.total),
    );
  });

  it('is exported as the metadata of the specification', () => {
    const metadata = trajectoryOf(
      call(1, runs('ls'), { toolName: 'Bash', input: { command: 'ls' }, result: { text: 'a\n', isError: false } }),
      'Let me look.',
    );
    assert.deepEqual(trajectorySchema.parse(metadata), {
      kind: 'trajectory',
      message: 'Let me look.',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_output: { text: 'a\n', is_error: false },
    });
    const annotation = { kind: 'trajectory' as const, tool_name: 'weather_api' };
    assert.deepEqual(trajectoryOf({ ...call(1, runs('ls')), metadata: { annotations: [annotation] } }), annotation);
    assert.equal(trajectoryOf(said(1, 'x')), undefined);
  });
});

describe('filter of steps', () => {
  const rows = trajectory(session).rows();
  const shown = (query: string, extraText?: string) =>
    rows.filter((row) => matchesFilter(row, parseFilter(query), extraText)).map(({ entryIndex }) => entryIndex);

  it('accepts kinds, tools, files, states and texts', () => {
    assert.deepEqual(rows.filter((row) => matchesFilter(row, allRows)).length, rows.length);
    assert.deepEqual(shown('kind:command'), [6, 7, 10]);
    assert.deepEqual(shown('kind:command kind:read state:done'), [3, 4, 6]);
    assert.deepEqual(shown('file:b.ts'), [4]);
    assert.deepEqual(shown('error'), [7]);
    assert.deepEqual(shown('"error"'), []);
    assert.deepEqual(shown('state:running'), [10]);
    assert.deepEqual(shown('"npm test"'), [7]);
    assert.deepEqual(shown('NPM'), [7]);
    assert.deepEqual(shown('tool:made push'), [10]);
    assert.deepEqual(shown('needle', 'a NEEDLE in the output').length, rows.length);
    assert.deepEqual(parseFilter('kind:nonsense').texts, ['kind:nonsense']);
  });
});

describe('findings', () => {
  const found = (entries: readonly NormalizedEntry[]) => {
    const findings = new Findings();
    for (const entry of entries) findings.add(entry);
    return findings.all().map(({ kind, steps, subject }) => [kind, subject, steps]);
  };
  const read = (index: number, text: string, overrides: object = {}, parentCallId?: string) =>
    call(index, reads('/w/a.ts', overrides), { result: { text }, ...(parentCallId !== undefined && { parentCallId }) });
  const fails = (index: number, command: string) => call(index, runs(command, 1), { status: 'failed' });

  it('include reads with the same result', () => {
    assert.deepEqual(found([read(1, 'x'), read(2, 'x'), call(3, runs('ls')), read(4, 'x')]), [
      ['duplicate_read', '/w/a.ts', [1, 2, 4]],
    ]);
  });

  it('exclude reads that were repeated for a reason', () => {
    assert.deepEqual(found([read(1, 'x'), read(2, 'y')]), [], 'other content');
    assert.deepEqual(found([read(1, 'x'), read(2, 'x', { startLine: 2 })]), [], 'other lines');
    assert.deepEqual(
      found([read(1, 'x'), call(2, edits('/w/a.ts', 'x', 'y')), read(3, 'x')]),
      [],
      'changed in between',
    );
    assert.deepEqual(found([read(1, 'x'), read(2, 'x', {}, 'call_9')]), [], 'by a subagent');
    assert.deepEqual(
      found([read(1, 'x'), { ...said(2, 'summary'), origin: 'compaction' as const }, read(3, 'x')]),
      [],
      'after a compaction',
    );
    assert.deepEqual(found([read(1, ''), read(2, '')]), [], 'content not recorded');
  });

  it('include repeated failures with no change in between', () => {
    assert.deepEqual(found([fails(1, 'make'), fails(2, 'make'), call(3, reads('x')), fails(4, 'make')]), [
      ['retry_loop', 'make', [1, 2, 4]],
    ]);
    const edit = (index: number) => call(index, edits('/w/a.ts', 'no such', 'text'), { status: 'failed' });
    assert.deepEqual(found([edit(1), edit(2)]), [['retry_loop', '/w/a.ts', [1, 2]]]);
  });

  it('exclude another attempt after a change', () => {
    assert.deepEqual(found([fails(1, 'make'), call(2, writes('/w/a.ts', 'x')), fails(3, 'make')]), []);
    assert.deepEqual(found([fails(1, 'make'), call(2, runs('make')), fails(3, 'make')]), []);
    assert.deepEqual(found([fails(1, 'make'), fails(2, 'make test')]), []);
  });
});
