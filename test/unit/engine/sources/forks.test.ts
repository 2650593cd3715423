import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { SharedKeys } from '../../../../src/insight/observed/sharedKeys.ts';
import type { ObservedSummary } from '../../../../src/insight/observed/summary.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { totalTokens } from '../../../../src/model/usage/usage.ts';
import { fuzzOptions } from '../../../support/hostile/fuzz.ts';
import { turn, uuidOf, writeSession } from '../../../support/stores/claudeStore.ts';
import { sourcesOf } from '../../../support/stores/homes.ts';

/** How a session came about: from which earlier one, after which part of its turns, and what happened then. */
const history = fc.array(
  fc.record({
    parent: fc.option(fc.nat(20), { freq: 5 }),
    after: fc.double({ min: 0, max: 1, noNaN: true }),
    turns: fc.integer({ min: 1, max: 3 }),
    /** The session that it was forked from is resumed afterwards. */
    isParentResumed: fc.boolean(),
    hasSubagent: fc.boolean(),
    isCompacted: fc.boolean(),
    /** In the middle of a line. */
    isKilled: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);
type Step = typeof history extends fc.Arbitrary<readonly (infer T)[]> ? T : never;

interface Turn {
  readonly n: number;
  readonly owner: number;
}

interface Session {
  readonly turns: Turn[];
  readonly step: Step;
}

/** Sessions with their turns, and how many there are. */
function played(steps: readonly Step[]): { readonly sessions: readonly Session[]; readonly turns: number } {
  const sessions: Session[] = [];
  let count = 0;
  for (const [at, step] of steps.entries()) {
    const parent = step.parent === null || at === 0 ? undefined : sessions[step.parent % at];
    const copiedTurns = parent?.turns.slice(0, Math.ceil(parent.turns.length * step.after)) ?? [];
    const add = (owner: number): Turn => ({ n: (count += 1), owner });
    sessions.push({ step, turns: [...copiedTurns, ...Array.from({ length: step.turns }, () => add(at))] });
    if (parent !== undefined && step.isParentResumed) parent.turns.push(add(sessions.indexOf(parent)));
  }
  return { sessions, turns: count };
}

const input = 1000;

function sum(rows: readonly ObservedSummary[]): number {
  return rows.reduce((total, { total_usage: usage }) => total + totalTokens(usage), 0);
}

describe('forks of forks', () => {
  let home = '';
  beforeEach(() => (home = mkdtempSync(path.join(tmpdir(), 'vitrine-forks-'))));
  afterEach(() => rmSync(home, { recursive: true }));

  async function listed(): Promise<ObservedSummary[]> {
    return sourcesOf(home).list(await loadPrices());
  }

  function writeClaude(at: number, { turns, step }: Session, areNamed: boolean): string {
    const id = uuidOf(at);
    const lines = turns.flatMap(({ n, owner }) =>
      turn(id, n, { id: `msg_${n}`, input, output: n, ...(areNamed && owner !== at && { from: uuidOf(owner) }) }),
    );
    if (step.isCompacted) {
      const about = {
        sessionId: id,
        isSidechain: false,
        timestamp: '2026-11-01T11:00:00.000Z',
        cwd: '/home/dev/project',
      };
      lines.push({ type: 'system', subtype: 'compact_boundary', uuid: `${id}-boundary`, ...about });
      lines.push({
        type: 'user',
        isCompactSummary: true,
        uuid: `${id}-summary`,
        message: { role: 'user', content: 'So far' },
        ...about,
      });
    }
    const file = writeSession(home, id, lines);
    if (step.isKilled) appendFileSync(file, '{"type":"assistant","message":{"id":"msg_half","us');
    if (step.hasSubagent) {
      const folder = path.join(path.dirname(file), id, 'subagents');
      mkdirSync(folder, { recursive: true });
      const records = turn(id, 1000 + at, { id: `msg_sub_${at}`, input, output: 500 + at });
      const text = records.map((record) => `${JSON.stringify({ ...record, isSidechain: true, agentId: `a${at}` })}\n`);
      writeFileSync(path.join(folder, `agent-a${at}.jsonl`), text.join(''));
    }
    return file;
  }

  it('of Claude Code are counted once, whatever was resumed, compacted or killed in between', async () => {
    const prices = await loadPrices();
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), async (steps, areNamed) => {
        rmSync(path.join(home, '.claude'), { recursive: true, force: true });
        const { sessions, turns } = played(steps);
        const truth =
          Array.from({ length: turns }, (_, n) => input + n + 1).reduce((a, b) => a + b, 0) +
          sessions.reduce((total, { step }, at) => total + (step.hasSubagent ? input + 500 + at : 0), 0);
        // One source sees them at once, the other as they appear, the newest first.
        const growing = sourcesOf(home);
        await growing.list(prices);
        for (const [at, session] of [...sessions.entries()].reverse()) {
          const file = writeClaude(at, session, areNamed);
          await growing.refresh(new Set([file, path.dirname(file), path.join(path.dirname(file), uuidOf(at))]), prices);
        }
        const rows = await listed();
        assert.equal(rows.length, sessions.length);
        assert.equal(sum(rows), truth);
        const seen = await Promise.all(rows.map(({ session_id: id }) => growing.findFollowed(id)));
        for (const [at, row] of rows.entries()) {
          const requests = seen[at]?.share.requests ?? [];
          assert.equal(
            requests.reduce((total, { usage }) => total + totalTokens(usage), 0),
            totalTokens(row.total_usage),
          );
        }
        if (!areNamed) return;
        for (const [at, { turns, step }] of sessions.entries()) {
          const own = turns.filter(({ owner }) => owner === at).reduce((total, { n }) => total + input + n, 0);
          const row = rows.find(({ executor_session_ids: ids }) => ids.includes(uuidOf(at)));
          assert.equal(totalTokens(row?.total_usage ?? {}), own + (step.hasSubagent ? input + 500 + at : 0));
        }
      }),
      fuzzOptions(40),
    );
  });

  /** Files of Codex: since 0.169 a fork refers to its history, before it repeated it with the totals. */
  function writeCodex(at: number, sessions: readonly Session[], repeats: boolean): void {
    const session = sessions[at]!;
    const id = uuidOf(at);
    const parent = session.turns.findLast(({ owner }) => owner !== at)?.owner;
    const copiedTurns = session.turns.filter(({ owner }) => owner !== at);
    const record = (type: string, payload: object, n = 0): string =>
      `${JSON.stringify({ timestamp: new Date(Date.UTC(2026, 10, 2, at, 0, n)).toISOString(), type, payload })}\n`;
    const meta = (of: number, from: number | undefined): string =>
      record('session_meta', {
        id: uuidOf(of),
        session_id: uuidOf(of),
        cwd: '/home/dev/project',
        cli_version: repeats ? '0.77.0' : '0.169.0',
        source: 'cli',
        ...(from !== undefined && { forked_from_id: uuidOf(from) }),
        ...(!repeats && {
          history_mode: 'paginated',
          ...(from !== undefined && { history_base: { id: uuidOf(from) } }),
        }),
      });
    let total = { input_tokens: 0, output_tokens: 0 };
    const texts = [meta(at, parent)];
    if (repeats) {
      const owners = [...new Set(copiedTurns.map(({ owner }) => owner))].reverse();
      for (const [place, owner] of owners.entries()) texts.push(meta(owner, owners[place + 1]));
    }
    texts.push(record('turn_context', { model: 'gpt-5.5', cwd: '/home/dev/project' }));
    for (const { n, owner } of repeats ? session.turns : session.turns.filter((own) => own.owner === at)) {
      const usage = { input_tokens: input, cached_input_tokens: 0, output_tokens: n };
      total = { input_tokens: total.input_tokens + input, output_tokens: total.output_tokens + n };
      texts.push(
        record(
          'event_msg',
          repeats
            ? { type: 'user_message', message: `Question ${n}` }
            : {
                type: 'item_completed',
                item: { type: 'UserMessage', id: `item_${n}`, content: [{ type: 'text', text: `Question ${n}` }] },
              },
          n,
        ),
      );
      if (!repeats)
        texts.push(
          record(
            'token_usage_record',
            { response_id: `resp_${n}`, session_id: uuidOf(owner), thread_id: uuidOf(owner), usage },
            n,
          ),
        );
      texts.push(
        record('event_msg', { type: 'token_count', info: { total_token_usage: total, last_token_usage: usage } }, n),
      );
      // Often repeated unchanged.
      texts.push(
        record('event_msg', { type: 'token_count', info: { total_token_usage: total, last_token_usage: usage } }, n),
      );
    }
    const folder = path.join(home, '.codex/sessions/2026/11/02');
    mkdirSync(folder, { recursive: true });
    const text = texts.join('');
    writeFileSync(
      path.join(folder, `rollout-2026-11-02T10-00-00-${id}.jsonl`),
      session.step.isKilled ? `${text}{"timestamp":"20` : text,
    );
  }

  for (const repeats of [false, true]) {
    it(`of Codex are counted once where a fork ${repeats ? 'repeats' : 'refers to'} its history`, async () => {
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          rmSync(path.join(home, '.codex'), { recursive: true, force: true });
          // A fork whose history starts with another one's: each is forked from the last owner of its history.
          const { sessions, turns } = played(steps);
          for (const at of sessions.keys()) writeCodex(at, sessions, repeats);
          const rows = await listed();
          assert.equal(rows.length, sessions.length);
          assert.equal(
            sum(rows),
            Array.from({ length: turns }, (_, n) => input + n + 1).reduce((a, b) => a + b, 0),
          );
        }),
        fuzzOptions(40),
      );
    });
  }
});

describe('shared keys', () => {
  it('group the same sessions whether they come at once or one by one', () => {
    const sessions = fc.array(fc.uniqueArray(fc.nat(30), { maxLength: 4 }), { minLength: 1, maxLength: 12 });
    const linked = (keys: SharedKeys, count: number): string[] =>
      Array.from({ length: count }, (_, at) => keys.group(String(at)).sort().join(' '));
    fc.assert(
      fc.property(sessions, fc.nat(11), (all, gone) => {
        const of = (keys: readonly number[]): Float64Array => Float64Array.from(keys).sort();
        const atOnce = new SharedKeys();
        atOnce.reset(new Map(all.map((keys, at) => [String(at), of(keys)])));
        const oneByOne = new SharedKeys();
        for (const [at, keys] of all.entries()) {
          oneByOne.set(String(at), of(keys.slice(0, 1)));
          const affected = oneByOne.set(String(at), of(keys));
          assert(oneByOne.group(String(at)).every((id) => affected.has(id)));
        }
        assert.deepEqual(linked(oneByOne, all.length), linked(atOnce, all.length));
        oneByOne.delete(String(gone));
        const without = new SharedKeys();
        without.reset(new Map(all.flatMap((keys, at) => (at === gone ? [] : [[String(at), of(keys)] as const]))));
        for (const at of all.keys()) {
          if (at === gone) continue;
          const group = new Set(oneByOne.group(String(at)));
          assert(!group.has(String(gone)));
          assert(without.group(String(at)).every((id) => group.has(id)));
        }
      }),
      fuzzOptions(200),
    );
  });
});
