import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { geminiStore } from '../../../../src/agents/gemini/store.ts';
import { openCodeStore } from '../../../../src/agents/opencode/store.ts';
import { qwenStore } from '../../../../src/agents/qwen/store.ts';
import { isObject } from '../../../../src/model/text/json.ts';
import { readHome, totalUsage, type ReadSession } from '../../../support/stores/readHome.ts';

const root = path.resolve('test/fixtures/stores');
const formats = [geminiStore, qwenStore, openCodeStore];

/** Sums of what the model's server sent. The agents tell of reasoning beside the output, or in it. */
interface Sums {
  readonly requests?: number;
  readonly inputInclCached?: number;
  readonly cacheRead?: number;
  readonly output?: number;
  readonly outputInclReasoning?: number;
  readonly reasoning?: number;
}

interface Expected {
  readonly id?: string;
  readonly userTurns: number;
  readonly toolCalls?: number;
  readonly finished?: boolean;
}

interface Truth {
  readonly truth: { readonly turns: Sums; readonly onDisk?: Sums };
  readonly expected: { readonly sessions: readonly Expected[] };
}

/** What the store does not have: a killed process writes nothing of an answer; Gemini CLI 0.30 merges requests. */
const onDisk: Readonly<Record<string, Sums>> = {
  'gemini-0.61.0/killed-while-streaming': {},
  'gemini-0.30.1/prompt-tools': { requests: 2, inputInclCached: 10500, cacheRead: 1200, output: 105, reasoning: 25 },
};

/** Cost in US dollars as the agent has it, where it has one. */
const costs: Readonly<Record<string, number>> = {
  'opencode-1.18.33/run-tools': 0.06201,
  'opencode-1.18.33/run-resume-fork': 0.045855,
};

const incomplete = new Set([
  'gemini-0.30.1/prompt-tools',
  'gemini-0.61.0/tty-permission',
  'qwen-0.24.4/tty-permission',
]);

function casesOf(agent: string): string[] {
  return readdirSync(root)
    .filter((name) => name.startsWith(`${agent}-`))
    .flatMap((version) => readdirSync(path.join(root, version)).map((name) => `${version}/${name}`));
}

function truthOf(name: string): Truth {
  const value: unknown = JSON.parse(readFileSync(path.join(root, name, 'truth.json'), 'utf8'));
  assert(isObject(value));
  return value as unknown as Truth;
}

function textsOf(sessions: readonly ReadSession[], kind: string): string[] {
  return sessions
    .flatMap(({ entries }) => entries)
    .flatMap(({ type, content }) => (type.kind === kind ? [content] : []));
}

for (const format of formats) {
  describe(`the store of ${format.label}`, () => {
    for (const name of casesOf(format.agent)) {
      describe(name, () => {
        const { truth, expected } = truthOf(name);
        let sessions: readonly ReadSession[] = [];

        before(async () => {
          sessions = await readHome(format, path.join(root, name, 'home'));
        });

        it('has every session, with its prompts and calls', () => {
          const ids = expected.sessions.flatMap(({ id }) => id ?? []);
          if (ids.length > 0) assert.deepEqual(sessions.map(({ session }) => session).sort(), [...ids].sort());
          const prompts = new Set(sessions.flatMap(({ facts }) => facts.prompts.map(({ key }) => key)));
          const turns = expected.sessions.reduce((sum, { userTurns }) => sum + userTurns, 0);
          assert.equal(prompts.size, turns);
          const calls = new Set(sessions.flatMap(({ facts }) => facts.toolCalls.map(({ key }) => key)));
          assert.equal(
            calls.size,
            expected.sessions.reduce((sum, { toolCalls = 0 }) => sum + toolCalls, 0),
          );
          assert.equal(sessions[0]!.facts.folders.at(-1), '/home/dev/project');
        });

        it('counts each request once', () => {
          const sums = onDisk[name] ?? truth.onDisk ?? truth.turns;
          const { usage, requests } = totalUsage(sessions);
          assert.equal(requests, sums.requests ?? 0);
          assert.equal((usage.input ?? 0) + (usage.cacheRead ?? 0), sums.inputInclCached ?? 0);
          assert.equal(usage.cacheRead ?? 0, sums.cacheRead ?? 0);
          assert.equal(usage.output ?? 0, sums.outputInclReasoning ?? (sums.output ?? 0) + (sums.reasoning ?? 0));
          assert.equal(usage.reasoning ?? 0, sums.reasoning ?? 0);
        });

        it('has the cost that the agent states, and says where requests are missing', () => {
          const requests = new Map(
            sessions.flatMap(({ facts }) => facts.requests.map((request) => [request.key, request.usd])),
          );
          const usd = [...requests.values()].reduce<number>((sum, request) => sum + (request ?? 0), 0);
          assert.ok(Math.abs(usd - (costs[name] ?? 0)) < 1e-9, `${usd}`);
          const isIncomplete = sessions.some(({ facts }) => facts.missing.length > 0);
          assert.equal(isIncomplete, incomplete.has(name) || format.agent === 'opencode');
        });

        it('knows every record, and leaves no call open', () => {
          for (const { facts, entries } of sessions) {
            assert.deepEqual({ ...facts.records, total: 0 }, { total: 0, unknown: 0, malformed: 0 });
            for (const [index, entry] of entries.entries()) {
              assert.equal(entry.index, index);
              assert.ok(entry.type.kind !== 'tool_use' || entry.type.tool.status !== 'running');
              assert.ok(!entry.timestamp.startsWith('1970'), entry.content);
            }
          }
          const prompts = textsOf(sessions, 'user_message').filter((text) => text.includes('[['));
          assert.ok(prompts.length > 0);
        });
      });
    }
  });
}
