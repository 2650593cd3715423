import assert from 'node:assert/strict';
import { claudeCode } from '../../../../src/agents/claude-code/adapter.ts';
import { adapters } from '../../../../src/agents/registry.ts';
import { AgentExecutor, type Chunk } from '../../../../src/engine/launch/agentExecutor.ts';
import { EntryStream } from '../../../../src/engine/output/entryStream.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { capturesOf } from '../../../support/captures/agentCaptures.ts';

const entry = (index: number, content: string): NormalizedEntry => ({
  index,
  timestamp: '2026-11-22T12:00:00.000Z',
  type: { kind: 'assistant_message' },
  content,
});

describe('entries as they change', () => {
  it('are emitted when they start, grow, and complete', () => {
    const stream = new EntryStream();
    const contents = (updates: Parameters<EntryStream['apply']>[0]) =>
      stream.apply(updates).map(({ index, content }) => `${index} ${content}`);
    assert.deepEqual(contents([{ op: 'put', entry: entry(0, 'a'), open: true }]), ['0 a']);
    assert.deepEqual(
      contents([
        { op: 'append', index: 0, text: 'b' },
        { op: 'append', index: 0, text: 'c' },
      ]),
      ['0 abc'],
    );
    assert.deepEqual(contents([{ op: 'put', entry: entry(0, 'abcd') }]), ['0 abcd']);
  });

  it('start in index order', () => {
    const stream = new EntryStream();
    assert.deepEqual(stream.apply([{ op: 'put', entry: entry(2, 'c') }]), []);
    assert.deepEqual(stream.apply([{ op: 'put', entry: entry(1, 'b') }]), []);
    const applied = stream.apply([{ op: 'put', entry: entry(0, 'a') }]);
    assert.deepEqual(
      applied.map(({ content }) => content),
      ['a', 'b', 'c'],
    );
    assert.deepEqual(stream.apply([{ op: 'put', entry: entry(5, 'f') }]), []);
    assert.deepEqual(
      stream.end().map(({ index }) => index),
      [5],
    );
  });

  it('equal the settled ones in the end, for every recorded run', async () => {
    for (const adapter of adapters) {
      const executor = new AgentExecutor(adapter);
      for (const { name, stdout, exit } of capturesOf(adapter.type)) {
        // What printed nothing ends now, by the clock.
        if (stdout.length === 0) continue;
        const read = async (settledOnly: boolean) => {
          const last = new Map<number, NormalizedEntry>();
          const first: number[] = [];
          for await (const next of executor.normalizeOutput(chunks(stdout), '/workspace', { exit, settledOnly })) {
            if (!last.has(next.index)) first.push(next.index);
            last.set(next.index, next);
          }
          return { last: [...last].sort(([a], [b]) => a - b), first };
        };
        const all = await read(false);
        assert.deepEqual(all.last, (await read(true)).last, `${adapter.type}/${name}`);
        assert.deepEqual(
          all.first,
          [...all.first].sort((a, b) => a - b),
          `${adapter.type}/${name}`,
        );
      }
    }
  });

  it('are emitted with their own line, not a later one: first text, start and end of a tool', async () => {
    const capture = capturesOf('claude-code').find(({ name }) => name === '2.1.328/tools-partial');
    assert.ok(capture);
    const { stdout, exit } = capture;
    let line = -1;
    const counted = async function* (): AsyncGenerator<Chunk> {
      for await (const chunk of chunks(stdout)) {
        line += 1;
        yield chunk;
      }
    };
    const firsts = new Map<string, number>();
    const see = (what: string): unknown => firsts.has(what) || firsts.set(what, line);
    for await (const { type } of new AgentExecutor(claudeCode).normalizeOutput(counted(), '/workspace', { exit })) {
      if (type.kind === 'assistant_message') see('text');
      if (type.kind === 'tool_use')
        see(['created', 'running'].includes(type.tool.status) ? 'tool started' : 'tool ended');
    }
    const printed = (text: string): number => stdout.findIndex((candidate) => candidate.includes(text));
    assert.deepEqual(
      [firsts.get('text'), firsts.get('tool started'), firsts.get('tool ended')],
      [printed('"text_delta"'), printed('"type":"tool_use"'), printed('"type":"tool_result"')],
    );
  });
});

async function* chunks(lines: readonly string[]): AsyncGenerator<Chunk> {
  await Promise.resolve();
  for (const [at, line] of lines.entries()) {
    yield { type: 'stdout', data: `${line}\n`, timestamp: Date.UTC(2026, 10, 20) + 10 * at };
  }
}
