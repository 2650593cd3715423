import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findAdapter } from '../../src/agents/registry.ts';
import { repository } from '../../test/support/host/install/cache.mjs';
import { chunks } from './claudeOutput.ts';
import { compare, rate, type Row } from '../harness.ts';
import { ingest, parseOnly } from './pipeline.ts';

interface Capture {
  readonly name: string;
  /** Lines at the start and the end that occur once per run. */
  readonly head: number;
  readonly tail: number;
}

/** One capture per normalizer, with texts and tools. */
const captures: Readonly<Record<string, Capture>> = {
  'claude-code': { name: '2.1.328/tools-partial', head: 1, tail: 1 },
  codex: { name: '0.169.0/tools-workspace-write', head: 1, tail: 1 },
  copilot: { name: '1.0.102/resume-tools', head: 3, tail: 1 },
  gemini: { name: '0.61.0/tools-yolo', head: 1, tail: 1 },
  cursor: { name: 'documented/documented-example', head: 1, tail: 1 },
  acp: { name: 'claude-agent-acp-0.100.0/tools-client-fs', head: 3, tail: 1 },
  'acp-http': { name: 'documented/weather', head: 2, tail: 1 },
};

const idKey = /^(?:id|uuid|.*(?:call|tool|tool_?use|message|item|event|interaction|turn|request|run)_?ids?)$/i;
const ofConversation = /session|thread|conversation/i;

/** Renews ids of messages and calls, as in another turn. The conversation id stays. */
function renewed(value: unknown, round: number, key = ''): unknown {
  if (typeof value === 'string') return idKey.test(key) && !ofConversation.test(key) ? `${value}-${round}` : value;
  if (typeof value === 'number') return key === 'id' ? value + round * 1000 : value;
  if (Array.isArray(value)) return value.map((item) => renewed(item, round, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, renewed(item, round, name)]));
}

/** Output of a long run: repeats the capture between its head and its tail. */
function scaled(type: string, { name, head, tail }: Capture, rounds: number): Buffer {
  const file = path.join(repository, 'test/fixtures', type, `${name}.stdout.jsonl`);
  const messages = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
  const lines = (some: readonly unknown[]): string => some.map((message) => `${JSON.stringify(message)}\n`).join('');
  const end = messages.length - tail;
  const body = messages.slice(head, end);
  const repeated = Array.from({ length: rounds }, (_, round) => lines(body.map((message) => renewed(message, round))));
  return Buffer.from(lines(messages.slice(0, head)) + repeated.join('') + lines(messages.slice(end)));
}

/** Each normalizer on its agent's output, compared with parsing the lines as JSON. */
export async function normalizers(megabytes = 6, turns = 9): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [type, capture] of Object.entries(captures)) {
    const adapter = findAdapter(type);
    assert.ok(adapter !== undefined);
    const run = (rounds: number): Buffer[] => chunks(scaled(type, capture, rounds));
    const [two, three] = [ingest(adapter, run(2)), ingest(adapter, run(3))];
    const bytes = scaled(type, capture, 2).length - scaled(type, capture, 1).length;
    const rounds = Math.ceil((megabytes * 1e6) / bytes);
    const pieces = run(rounds);
    const updates = two + (rounds - 2) * (three - two);
    assert.equal(ingest(adapter, pieces), updates, `${type}: the same updates in every round`);
    const { ratio, subject, baseline } = await compare(
      () => ingest(adapter, pieces),
      () => parseOnly(pieces),
      turns,
    );
    const detail = `${rate(pieces, subject)}, bare split and JSON.parse ${rate(pieces, baseline)}`;
    rows.push({ name: `normalize: ${type}`, value: ratio, unit: '×', goal: 4, detail });
  }
  return rows;
}
