import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { comparisonSchema } from '../../../src/model/race/comparison.ts';
import { appliedSchema, raceSchema, type Race } from '../../../src/model/race/race.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { fakeAgent, prompt, type Step } from '../../support/fakeAgent/engine.ts';
import { noLeftovers, UserRepository } from '../../support/race/repository.ts';
import { until } from '../../support/until.ts';

const three = ['--agents', 'claude,claude:sonnet,claude:opus', '--program', `claude=${fakeAgent}`];

/** Each agent writes its own line, and a file of its own. */
const edits: Step[] = [
  { init: true },
  { shell: 'sed -i "s/two/$VITRINE_LANE/" story.txt; echo "$VITRINE_PORT" > "$VITRINE_LANE.port"' },
  { say: 'I changed story.txt. All tests pass.' },
  { result: { usd: 0.01 } },
];

describe('a race', function () {
  let place: DaemonBench;
  let user: UserRepository;

  beforeEach(() => {
    place = new DaemonBench();
    user = new UserRepository(place.bench.cwd);
  });
  afterEach(() => place.close());

  async function race(...args: string[]) {
    const ended = await place.vitrine('race', ...args).ended;
    return { ...ended, json: () => JSON.parse(ended.stdout) as unknown };
  }

  async function races(): Promise<Race[]> {
    const { stdout, code, stderr } = await race('list', '--json');
    assert.equal(code, 0, stderr);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => raceSchema.parse(JSON.parse(line)));
  }

  it('with --ask waits for an answer to each of its agents', async () => {
    const asking = prompt([{ init: true }, { ask: { id: 'req-1', input: { command: 'true' } } }, { result: {} }]);
    const running = place.vitrine('race', ...three, '--ask', '--json', asking);
    const connection = await place.connect();
    const waiting = await until('a request of each agent', async () => {
      const sessions = await connection.call('running', {});
      return sessions.length === 3 && sessions.every(({ requests }) => requests.length === 1) ? sessions : undefined;
    });
    const { stdout: listed } = await place.vitrine('sessions', '--json').ended;
    const pending = z.object({ pending_requests: z.array(z.object({ id: z.string() })) });
    const sessions = listed.trimEnd().split('\n');
    assert.equal(sessions.filter((line) => pending.parse(JSON.parse(line)).pending_requests.length === 1).length, 3);
    for (const { session_id, requests } of waiting)
      for (const { id: request_id } of requests) {
        const answer = { kind: 'allow', scope: 'once' } as const;
        assert.ok((await connection.call('answer', { session_id, request_id, answer })).accepted);
      }
    const { code, stdout, stderr } = await running.ended;
    assert.equal(code, 0, stderr);
    const { results } = comparisonSchema.parse(JSON.parse(stdout));
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['completed', 'completed', 'completed'],
    );
  });

  it('of three agents ends in a comparison; one is applied, undone and applied again, and everything is removed', async () => {
    const before = user.state();
    const check = 'grep -q claude-code-2 story.txt && echo good';
    const ran = await race(
      ...three,
      '--check',
      check,
      '--setup',
      'echo $VITRINE_PORT > set-up',
      '--json',
      prompt(edits),
    );
    assert.equal(ran.code, 0, ran.stderr);
    const { race_id: id, results, overlaps } = comparisonSchema.parse(ran.json());
    assert.ok(id);
    assert.deepEqual(user.state(), before, 'a race leaves the work of the user alone');
    const names = ['claude-code', 'claude-code-2', 'claude-code-3'];
    assert.deepEqual(
      results.map(({ name, outcome, check: checked, cost, unsupported }) => [
        ...[name, outcome, checked?.exit_code, cost.provenance, unsupported],
      ]),
      names.map((name) => [name, 'completed', name === 'claude-code-2' ? 0 : 1, 'reported', 1]),
    );
    assert.equal(results[1]?.label, 'Claude Code (sonnet)');
    assert.equal(results[1].check?.output, 'good\n');
    assert.deepEqual(
      results[1].files?.map(({ path: file, added, removed }) => [file, added, removed]),
      [
        ['claude-code-2.port', 1, 0],
        ['set-up', 1, 0],
        ['story.txt', 1, 1],
      ],
    );
    assert.ok(results.every(({ ms }) => ms !== null && ms > 0));
    assert.deepEqual(overlaps[0], {
      ...{ a: 'claude-code', b: 'claude-code-2', files: ['set-up', 'story.txt'], lines: 2, same: [] },
    });
    const ports = new Set((await races())[0]?.lanes.map(({ port }) => port));
    assert.equal(ports.size, 3);

    const applied = await race('apply', id, 'claude-code-2', '--json');
    assert.equal(applied.code, 0, applied.stderr);
    assert.deepEqual(appliedSchema.parse(applied.json()).files, ['claude-code-2.port', 'set-up', 'story.txt']);
    const merged = 'one\nclaude-code-2\nthree\nfour\nfive\nmine\n';
    assert.equal(user.read('story.txt'), merged, 'the change of the user stays');
    assert.ok(ports.has(Number(user.read('claude-code-2.port'))));
    const conflict = await race('apply', id, 'claude-code-3');
    assert.equal(conflict.code, 2);
    assert.match(conflict.stderr, /conflicts with your files\. Nothing was changed\. set-up\nstory\.txt/);
    assert.equal(user.read('story.txt'), merged);
    user.write('story.txt', `${merged}later\n`);
    const undone = await race('undo', id);
    assert.equal(undone.code, 0, undone.stderr);
    assert.equal(user.read('story.txt'), 'one\ntwo\nthree\nfour\nfive\nmine\nlater\n', 'the later edit stays');
    user.write('story.txt', 'one\ntwo\nthree\nfour\nfive\nmine\n');
    assert.deepEqual(user.state(), before);
    assert.equal((await race('undo', id)).code, 2);

    const refused = await race('clean', id);
    assert.equal(refused.code, 1);
    for (const name of names) assert.match(refused.stderr, new RegExp(`${name}: 3 changed files in `));
    assert.equal((user.leftovers() as { worktrees: number }).worktrees, 3);
    const branched = await race('apply', id, 'claude-code', '--branch', '--json');
    const { branch = '' } = appliedSchema.parse(branched.json());
    assert.equal(user.git('show', `${branch}:story.txt`), 'one\nclaude-code\nthree\nfour\nfive\n');
    const cleaned = await race('clean', id, '--force', '--json');
    const { losses } = cleaned.json() as { losses: { lane: string }[] };
    assert.deepEqual(
      losses.map(({ lane }) => lane),
      ['claude-code-2', 'claude-code-3'],
      'a branch keeps the work of the other',
    );
    user.git('branch', '-q', '-D', branch);
    assert.deepEqual(user.leftovers(), noLeftovers);
    assert.deepEqual(user.state(), before);
    assert.deepEqual(await races(), []);
    assert.deepEqual(readdirSync(path.join(place.store, 'races')), []);

    const [a = '', b = ''] = results.map(({ session_id }) => session_id ?? '');
    const compared = await place.vitrine('compare', a, b, '--json').ended;
    assert.equal(compared.code, 0, compared.stderr);
    const plain = comparisonSchema.parse(JSON.parse(compared.stdout));
    assert.deepEqual(plain.overlaps[0]?.files, ['story.txt']);
    assert.equal(plain.overlaps[0].lines, null, 'records do not show which lines');
    assert.equal(plain.results[0]?.cost.provenance, 'reported');
  });

  it('starts with uncommitted work and copied dependencies if requested', async () => {
    mkdirSync(path.join(user.folder, 'node_modules/left'), { recursive: true });
    writeFileSync(path.join(user.folder, 'node_modules/left/index.js'), 'left');
    const before = user.state();
    const check = 'cat story.txt notes.txt staged.txt node_modules/left/index.js';
    const extra = ['--copy', 'node_modules', '--with-changes', '--check', check, '--json'];
    const ran = await race('--agents', 'claude', '--program', `claude=${fakeAgent}`, ...extra, prompt(edits));
    assert.equal(ran.code, 0, ran.stderr);
    const [only] = comparisonSchema.parse(ran.json()).results;
    assert.equal(only?.check?.output, 'one\nclaude-code\nthree\nfour\nfive\nmine\nuntracked\nstaged\nleft');
    assert.equal(only.files?.length, 2, 'only what the agent did');
    assert.deepEqual(user.state(), before);
    const outside = await race('--agents', 'claude', '--copy', '../other', 'prompt');
    assert.equal(outside.code, 2);
    assert.match(outside.stderr, /Not a path inside the repository/);
  });

  it('stops all agents when they have used its budget together', async () => {
    // Each uses 75 tokens, which is less than the budget, and then waits for something that never comes.
    const words = Array.from({ length: 5 }, () => ({ say: 'word' }));
    const steps = prompt([{ init: true }, ...words, { until: path.join(place.bench.dir, 'never') }]);
    const ran = await race(...three, '--max-tokens', '200', '--json', steps);
    assert.equal(ran.code, 0, ran.stderr);
    const { results } = comparisonSchema.parse(ran.json());
    for (const { name, reason, outcome, tokens } of results) {
      assert.equal(outcome, 'stopped', name);
      assert.match(reason ?? '', /^The budget for this race is used up: 225 of 200 tokens/, name);
      assert.equal(tokens, 75, name);
    }
  });

  it('is stopped by Ctrl-C, with everything that its agents and commands started', async () => {
    const go = path.join(place.bench.dir, 'go');
    const command = place.vitrine(
      ...[
        'race',
        ...three,
        '--json',
        '--check',
        `touch ${go}; exec sleep 600`,
        prompt([{ init: true }, { result: {} }]),
      ],
    );
    await until('the check command to run', () => existsSync(go));
    command.process.kill('SIGINT');
    const { code, stdout, stderr } = await command.ended;
    assert.equal(code, 0, stderr);
    const { race_id: id, results } = comparisonSchema.parse(JSON.parse(stdout));
    assert.ok(results.some(({ check }) => check !== null && check.exit_code !== 0));
    assert.equal((await races())[0]?.state, 'stopped');
    const cleaned = await race('clean', id ?? '');
    assert.equal(cleaned.code, 0, cleaned.stderr);
    assert.deepEqual(user.leftovers(), noLeftovers);
  });

  it('is refused outside of a repository, and without a known agent', async () => {
    const outside = await race('--agents', 'demo', '--cwd', place.bench.dir, 'prompt');
    assert.equal(outside.code, 2);
    assert.match(outside.stderr, /Not a git repository/);
    const unknown = await race('--agents', 'nobody', 'prompt');
    assert.match(unknown.stderr, /Unknown agent: "nobody"/);
    assert.deepEqual(user.leftovers(), noLeftovers);
    const connection = await place.connect();
    const untrusted = { folder: user.folder, trusted: false, environment: place.environment, settings: {} };
    const request = { prompt: 'x', cwd: user.folder, agents: [{ agent: 'claude-code' as const }] };
    await assert.rejects(connection.call('startRace', { context: untrusted, request }), { code: 'folder_untrusted' });
  });
});
