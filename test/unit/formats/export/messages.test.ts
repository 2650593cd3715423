import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import {
  type StoredMessage,
  coerceMessageLikeToMessage,
  AIMessage,
  ToolMessage,
  mapStoredMessagesToChatMessages,
} from '@langchain/core/messages';
import * as z from 'zod';
import { utf16Offsets } from '../../../../src/model/text/codePoints.ts';
import { eventSchema } from '../../../../src/model/transcript/event.ts';
import { runResultSchema } from '../../../../src/model/session/result.ts';
import { toolStatusSchema } from '../../../../src/model/transcript/tool.ts';
import {
  exportText,
  exportJson,
  linesIn,
  richEntries,
  richSource,
  sourceOf,
} from '../../../support/sessions/exported.ts';
import { anEntry, sessionId, time } from '../../../support/sessions/records.ts';

// Its ES module does not load in Node 24.
const acpModels: unknown = createRequire(import.meta.url)('acp-sdk');
const { Message } = z
  .object({
    Message: z.custom<{ parse(value: unknown): unknown }>(
      (value) => typeof value === 'object' || typeof value === 'function',
    ),
  })
  .parse(acpModels);

const partSchema = z.looseObject({
  content: z.string().optional(),
  metadata: z
    .looseObject({
      kind: z.enum(['citation', 'trajectory']),
      start_index: z.number().optional(),
      end_index: z.number().optional(),
      url: z.string().optional(),
      title: z.string().optional(),
      tool_name: z.string().nullish(),
      tool_input: z.record(z.string(), z.unknown()).optional(),
      tool_output: z.record(z.string(), z.unknown()).optional(),
      message: z.string().nullish(),
    })
    .optional(),
});
const messagesSchema = z.array(z.looseObject({ role: z.string(), parts: z.array(partSchema) }));

describe('exports: ACP messages', () => {
  const read = async () => messagesSchema.parse(await exportJson('acp', richSource));

  it('are accepted by the models of acp-sdk without loss', async () => {
    const json = z.array(z.unknown()).parse(await exportJson('acp', richSource));
    assert.equal(json.length, richEntries.length);
    for (const message of json) assert.deepEqual(Message.parse(message), message);
  });

  it('contain exactly the original text in their parts', async () => {
    const messages = await read();
    for (const [index, entry] of richEntries.entries()) {
      if (entry.type.kind !== 'assistant_message' && entry.type.kind !== 'user_message') continue;
      assert.equal(messages[index]?.parts.map(({ content = '' }) => content).join(''), entry.content);
      assert.equal(messages[index].role, entry.type.kind === 'user_message' ? 'user' : 'agent/claude-code');
    }
  });

  it('keep each range exact, by code points, with one metadata object per part', async () => {
    const { parts } = (await read())[7] ?? { parts: [] };
    const cited = new Map<string, string>();
    let said = '';
    for (const { content = '', metadata } of parts) {
      const text = content === '' ? said : content;
      const [start = 0, end = 0] = utf16Offsets(text, [metadata?.start_index ?? 0, metadata?.end_index ?? 0]);
      if (metadata?.kind === 'citation') cited.set(metadata.url ?? metadata.title ?? '', text.slice(start, end));
      said += content;
    }
    assert.deepEqual(Object.fromEntries(cited), {
      'https://world.test/a?b=1': 'world',
      'https://answer.test/': 'the answer is 42.',
      Overlaps: 'rld: the a',
    });
    assert.equal(parts.filter(({ metadata }) => metadata?.kind === 'trajectory').length, 1);
  });

  it('represent calls as trajectories, with their results', async () => {
    const [call, failed] = (await read()).slice(3, 5).map(({ parts }) => parts[0]?.metadata);
    assert.equal(call?.tool_name, 'Bash');
    assert.deepEqual(call.tool_input, { command: 'ls' });
    assert.deepEqual(call.tool_output, { status: 'success', text: 'a.txt\n' });
    assert.deepEqual(failed?.tool_input, { input: 'raw' });
    assert.equal(failed.tool_output?.['isError'], true);
  });

  it('include the state of calls that did not succeed', async () => {
    const statuses = toolStatusSchema.options;
    const entries = statuses.map((status, index) => {
      const tool = { toolName: 't', callId: `c${index}`, action: { kind: 'tool' } as const, status };
      return { ...anEntry(index), type: { kind: 'tool_use', tool } } as const;
    });
    const messages = messagesSchema.parse(await exportJson('acp', sourceOf(entries)));
    const outputs = messages.map(({ parts }) => parts[0]?.metadata?.tool_output);
    const reported = statuses.map((status) => (status === 'success' ? undefined : { status }));
    assert.deepEqual(outputs, reported);
  });
});

describe('exports: LangChain messages', () => {
  const stored = async (): Promise<StoredMessage[]> => {
    const isStored = z.custom<StoredMessage>((value) => typeof value === 'object' && value !== null && 'data' in value);
    return z.array(isStored).parse(await exportJson('langchain', richSource));
  };

  it('are loaded by @langchain/core, with calls and results', async () => {
    const loaded = mapStoredMessagesToChatMessages(await stored());
    const calls = loaded
      .filter((message) => AIMessage.isInstance(message))
      .flatMap(({ tool_calls = [] }) => tool_calls);
    const results = loaded.filter((message) => ToolMessage.isInstance(message));
    assert.deepEqual(
      calls.map(({ id, name }) => [id, name]),
      [
        ['call_3', 'Bash'],
        ['call_4', 'Bash'],
        ['call_5', 'Task'],
        ['call_6', 'Bash'],
      ],
    );
    assert.deepEqual(calls[0]?.args, { command: 'ls' });
    assert.deepEqual(
      results.map(({ tool_call_id, status, text }) => [tool_call_id, status, text]),
      [
        ['call_3', 'success', 'a.txt\n'],
        ['call_4', 'error', 'no such file'],
        ['call_5', 'success', 'a.txt\n'],
        ['call_6', 'error', 'cancelled'],
      ],
    );
    const written = loaded.map((message) => message.toDict());
    assert.deepEqual(
      written.map(({ data }) => data.id),
      (await stored()).map(({ data }) => data.id),
    );
  });

  it('have synthetic metadata in additional_kwargs, if there is any', async () => {
    const humans = mapStoredMessagesToChatMessages(await stored()).filter((message) => message.type === 'human');
    const [real, trigger] = humans.map(({ additional_kwargs }) => additional_kwargs);
    assert.equal(real?.['synthetic'], undefined);
    assert.equal(trigger?.['synthetic'], true);
    assert.equal(trigger['trigger_type'], 'task_incomplete');
    assert.equal(trigger['trigger_reason'], 'no activity for 30 seconds');
  });

  it('form a checkpoint whose messages load, too', async () => {
    const message = z.looseObject({ type: z.string(), content: z.unknown(), additional_kwargs: z.object({}) });
    const checkpoint = z
      .object({
        v: z.literal(1),
        ts: z.iso.datetime(),
        id: z.uuid(),
        channel_values: z.object({
          messages: z.array(message),
          userId: z.null(),
          agentId: z.string(),
          summary: z.null(),
        }),
        channel_versions: z.record(z.string(), z.number()),
        versions_seen: z.object({}),
      })
      .parse(await exportJson('langchain-checkpoint', richSource));
    const { messages } = checkpoint.channel_values;
    assert.equal(messages.length, (await stored()).length);
    for (const line of messages) {
      const loaded = coerceMessageLikeToMessage({ ...line, type: line.type } as never);
      assert.equal(loaded.type, line.type);
    }
  });
});

describe('exports: events and results', () => {
  it('contain the recorded events unchanged', async () => {
    const events = [
      { event_type: 'session_start' as const, session_id: sessionId, timestamp: time(0) },
      {
        event_type: 'session_stop' as const,
        session_id: sessionId,
        timestamp: time(9),
        exit_code: 0,
        reason: 'completed',
      },
    ];
    assert.deepEqual(linesIn(await exportText('events', sourceOf([anEntry(0)], { events }))), events);
  });

  it('derive events from entries if the record has none', async () => {
    const events = linesIn(await exportText('events', richSource)).map((line) => eventSchema.parse(line));
    const kinds = events.map(({ event_type }) => event_type);
    assert.equal(kinds[0], 'session_start');
    assert.equal(kinds.at(-1), 'session_stop');
    assert.deepEqual(
      ['pre_tool', 'post_tool', 'message'].map((kind) => kinds.filter((other) => other === kind).length),
      [4, 4, 4],
    );
  });

  it('have one result per run, with only its events', async () => {
    const lines = linesIn(await exportText('result', richSource));
    const [first, second, ...rest] = lines.map((line) => runResultSchema.parse(line));
    assert.deepEqual(rest, []);
    assert.ok(first && second);
    assert.deepEqual([first.success, second.success], [true, false]);
    assert.equal(second.error, 'It failed.');
    assert.equal(first.data, richEntries[7]?.content);
    assert.equal(second.data, richEntries[9]?.content);
    assert.equal(first.metadata?.cost, 0.25);
    assert.equal(second.metadata?.cost, null);
    assert.deepEqual([first.events?.length, second.events?.length], [8, 1]);
  });
});
