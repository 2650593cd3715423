import assert from 'node:assert/strict';
import { reportMarkdown } from '../../../../src/formats/pages/reportMarkdown.ts';
import type { ComparedLane, Comparison } from '../../../../src/model/race/comparison.ts';
import type { CommandResult, Lane, Race } from '../../../../src/model/race/race.ts';
import { englishNumbers } from '../../../../src/text/numberFormat.ts';
import { raceReport, type RaceAction, type TextFormat } from '../../../../src/vscode/races/raceReport.ts';

const words: TextFormat = {
  t: (message, ...values) => message.replaceAll(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)])),
  figures: englishNumbers,
};

const ended = (exit: number, output = ''): CommandResult => ({
  exit_code: exit,
  signal: null,
  duration_ms: 10,
  timed_out: false,
  output,
});

const lane = (name: string, overrides: Partial<Lane> = {}): Lane => ({
  name,
  agent: 'claude-code',
  worktree: `/worktrees/${name}`,
  folder: `/worktrees/${name}`,
  branch: `vitrine/race-1-${name}`,
  port: 4000,
  state: 'done',
  started: true,
  session_id: `ses_${name === 'a' ? '00000000000a' : '00000000000b'}`,
  ...overrides,
});

const result = (name: string, overrides: Partial<ComparedLane> = {}): ComparedLane => ({
  name,
  label: 'Claude Code',
  agent: 'claude-code',
  model: null,
  session_id: `ses_${name === 'a' ? '00000000000a' : '00000000000b'}`,
  title: null,
  outcome: 'completed',
  reason: null,
  check: null,
  setup: null,
  files: [{ path: 'story.txt', change: 'changed', added: 2, removed: 1 }],
  ms: 2000,
  cost: { provenance: 'reported', usd: 0.5 },
  tokens: 100,
  unsupported: 1,
  worktree: `/worktrees/${name}`,
  branch: `vitrine/race-1-${name}`,
  ...overrides,
});

const race = (overrides: Partial<Race> = {}): Race => ({
  race_id: 'race_000000000001',
  prompt: 'Fix the test\nand explain.',
  created_at: '2026-11-27T05:00:00.000Z',
  state: 'finished',
  folder: '/work',
  repository: '/work',
  base: '0123456789abcdef0123',
  includes_changes: false,
  check: 'npm test',
  lanes: [lane('a'), lane('b')],
  applied: [],
  owner: { pid: 1, startTime: null, hostname: 'here' },
  ...overrides,
});

const comparison = (results: ComparedLane[], overrides: Partial<Comparison> = {}): Comparison => ({
  race_id: 'race_000000000001',
  prompt: 'Fix the test\nand explain.',
  check: 'npm test',
  folder: '/work',
  results,
  overlaps: [{ a: 'a', b: 'b', files: ['story.txt'], lines: 3, same: [] }],
  ...overrides,
});

function report(compared: Comparison, of: Race | null, waiting: readonly string[] = []) {
  const acts: { label: string; act: RaceAction }[] = [];
  const built = raceReport({
    comparison: compared,
    race: of,
    waiting: new Set(waiting),
    words,
    button: (act, label) => ({ id: String(acts.push({ label, act })), label }),
  });
  const table = built.sections[0]?.tables?.[0];
  return { built, acts, rows: table?.rows.map((cells) => cells.map(({ text }) => text)), table };
}

describe('the comparison page of a race', () => {
  it('has a row for each result: outcome, check, changes, time, cost, and what is unknown', () => {
    const { built, rows, table } = report(
      comparison([
        result('a', {
          check: ended(0),
          cost: { provenance: 'estimated', usd: 0.25, priceTable: { name: 'list', date: '2026-11-01' } },
        }),
        result('b', {
          outcome: 'failed',
          check: ended(3, 'one\ntwo'),
          files: null,
          ms: null,
          cost: { provenance: 'unknown', reason: 'no price' },
          unsupported: null,
        }),
      ]),
      race(),
    );
    assert.equal(built.title, 'Race: Fix the test');
    assert.deepEqual(rows, [
      ['a · Claude Code', 'completed', 'passed', '1', '2', '1', '2 s', '≈ $0.25 (estimated)', '1'],
      [
        ...['b · Claude Code', 'failed', 'failed (exit code 3)', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown'],
        'unknown',
      ],
    ]);
    const sorts = table?.rows.map((cells) => [cells[2]?.sort, cells[7]?.sort]);
    assert.deepEqual(sorts, [
      [0, 0.25],
      [3, null],
    ]);
    const text = reportMarkdown(built);
    assert.match(text, /Output of the check command: .*two/);
    assert.match(text, /\| a +\| b +\| 3? *1 +\| 3 +\| 0 /);
    assert.match(text, /commit 0123456789ab\n/);
  });

  it('says what each agent is doing while the race runs, and whether one waits for the user', () => {
    const lanes = [lane('a', { state: 'running' }), lane('b', { state: 'preparing', started: false })];
    const running = comparison([
      result('a', { outcome: 'running' }),
      result('b', { outcome: null, session_id: null, files: null }),
    ]);
    const before = report(running, race({ state: 'running', lanes }));
    assert.deepEqual(
      before.rows?.map((cells) => cells.slice(1, 3)),
      [
        ['running', 'not run'],
        ['preparing the worktree', 'not run'],
      ],
    );
    assert.deepEqual(
      before.acts.map(({ label }) => label),
      ['Stop Race', 'Open Session', 'Stop', 'Show Changes'],
    );
    const asked = report(running, race({ state: 'running', lanes }), ['ses_00000000000a']);
    assert.equal(asked.rows?.[0]?.[1], 'waiting for you');
  });

  it('offers to take a result after the race, and to undo the newest one that was taken', () => {
    const results = [result('a'), result('b', { files: [] })];
    const { acts } = report(comparison(results), race());
    assert.deepEqual(acts, [
      { label: 'Clean Up…', act: { kind: 'clean' } },
      { label: 'Open Session', act: { kind: 'open', session: 'ses_00000000000a' } },
      { label: 'Show Changes', act: { kind: 'changes', lane: 'a' } },
      { label: 'Apply', act: { kind: 'apply', lane: 'a' } },
      { label: 'Create Branch', act: { kind: 'branch', lane: 'a' } },
      { label: 'Open Session', act: { kind: 'open', session: 'ses_00000000000b' } },
    ]);
    const patch = { lane: 'a', at: '', how: 'patch' as const, tree: '', files: ['story.txt'] };
    const taken = report(comparison(results), race({ applied: [patch] }));
    assert.deepEqual(taken.acts[0], { label: 'Undo “a”', act: { kind: 'undo' } });
    const undone = report(comparison(results), race({ applied: [{ ...patch, undone: true }] }));
    assert.ok(undone.acts.every(({ act }) => act.kind !== 'undo'));
  });

  it('compares sessions without a race, which have nothing to take', () => {
    const own = { check: null, worktree: null, branch: null };
    const { built, acts, rows } = report(
      comparison([result('a', { ...own, title: 'First try' }), result('b', { ...own, title: 'Second try' })], {
        ...{ race_id: null, prompt: null, check: null, folder: null },
        overlaps: [{ a: 'a', b: 'b', files: ['story.txt'], lines: null, same: null }],
      }),
      null,
    );
    assert.equal(built.title, 'Compare Sessions');
    assert.deepEqual(
      rows?.map(([name, , check]) => [name, check]),
      [
        ['First try · Claude Code', 'none'],
        ['Second try · Claude Code', 'none'],
      ],
    );
    assert.deepEqual([...new Set(acts.map(({ act }) => act.kind))], ['open', 'review']);
    const common = built.sections.at(-1)?.tables?.[0]?.rows[0]?.map(({ text }) => text);
    assert.deepEqual(common, ['First try', 'Second try', '1', 'unknown', 'unknown', 'story.txt']);
  });
});
