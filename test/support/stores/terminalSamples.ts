import { cursorStore } from '../../../src/agents/cursor/store.ts';
import { geminiStore } from '../../../src/agents/gemini/store.ts';
import { openCodeStore } from '../../../src/agents/opencode/store.ts';
import { piStore } from '../../../src/agents/pi/store.ts';
import { qwenStore } from '../../../src/agents/qwen/store.ts';
import type { StoreRecord } from '../../../src/agents/stores/storeFormat.ts';
import { at, document, id, lines, main, ms, type Sample } from './sample.ts';

const geminiTokens = (input: number, cached: number) => ({ input, output: 10, cached, thoughts: 5, tool: 0, total: 0 });

/** Two models, a subagent, an API error, a denied call, a rewind, and a resume in a folder with another spelling. */
export const gemini: Sample = {
  format: geminiStore,
  session: id,
  notes: new Map([['project', { key: 'project', folder: '/home/dev/project' }]]),
  records: [
    ...lines(main, '/h/.gemini/tmp/project/chats/session-1.jsonl', [
      { sessionId: id, projectHash: 'x', startTime: at(0), lastUpdated: at(0), kind: 'main' },
      { $set: { messages: [{ id: 'c1', timestamp: at(0), type: 'user', content: [{ text: '<session_context>' }] }] } },
      { id: 'u1', timestamp: at(1), type: 'user', content: [{ text: 'Look into it' }] },
      {
        id: 'g1',
        timestamp: at(2),
        type: 'gemini',
        content: 'I ask another.',
        thoughts: [{ subject: 'Plan', description: 'Ask.', timestamp: at(2) }],
        tokens: geminiTokens(100, 40),
        model: 'gemini-2.5-pro',
        toolCalls: [
          {
            id: 'call1',
            name: 'codebase_investigator',
            args: { objective: 'Find it' },
            status: 'success',
            timestamp: at(4),
            agentId: 'sub1',
            result: [{ functionResponse: { id: 'call1', response: { output: 'Found' } } }],
            resultDisplay: 'Found',
          },
          { id: 'call2', name: 'run_shell_command', args: { command: 'rm x' }, status: 'cancelled', timestamp: at(5) },
        ],
      },
      { id: 'e1', timestamp: at(6), type: 'error', content: '[API Error: 429 quota]' },
      { id: 'u2', timestamp: at(7), type: 'user', content: 'Go on' },
      {
        id: 'g2',
        timestamp: at(8),
        type: 'gemini',
        content: 'Done',
        tokens: geminiTokens(200, 0),
        model: 'gemini-2.5-flash',
      },
      { $rewindTo: 'u2' },
      { sessionId: id, projectHash: 'x', startTime: at(20), lastUpdated: at(20), kind: 'main' },
      { $set: { messages: [{ id: 'c2', timestamp: at(20), type: 'user', content: '<session_context> other' }] } },
      {
        $set: {
          messages: [
            { id: 'c2', type: 'user', content: 'x' },
            { id: 'u1', type: 'user', content: 'Look into it' },
          ],
        },
      },
      { id: 'u3', timestamp: at(21), type: 'user', content: 'Once more' },
      {
        id: 'g3',
        timestamp: at(22),
        type: 'gemini',
        content: 'Yes',
        tokens: geminiTokens(300, 100),
        model: 'gemini-2.5-pro',
      },
      { $novel: 'something new' },
    ]),
    ...lines({ role: 'subagent', session: id, agent: 'sub1' }, `/h/.gemini/tmp/project/chats/${id}/sub1.jsonl`, [
      { sessionId: 'sub1', projectHash: 'x', startTime: at(2), kind: 'subagent' },
      { id: 'su1', timestamp: at(2), type: 'user', content: 'Find it' },
      {
        id: 'sg1',
        timestamp: at(3),
        type: 'gemini',
        content: 'Found',
        tokens: geminiTokens(50, 0),
        model: 'gemini-2.5-flash',
      },
    ]),
  ],
};

const qwenBase = { sessionId: id, cwd: '/home/dev/project', version: '0.24.4', gitBranch: 'main' };
const qwenUsage = (response: string, second: number) => ({
  ...qwenBase,
  uuid: `t${second}`,
  timestamp: at(second),
  type: 'system',
  subtype: 'ui_telemetry',
  systemPayload: {
    uiEvent: {
      'event.name': 'qwen-code.api_response',
      'event.timestamp': at(second),
      response_id: response,
      model: 'qwen3-coder-plus',
      input_token_count: 100,
      output_token_count: 20,
      cached_content_token_count: 30,
      thoughts_token_count: 5,
    },
  },
});
const qwenAnswer = (uuid: string, second: number, parts: readonly unknown[]) => ({
  ...qwenBase,
  uuid,
  timestamp: at(second),
  type: 'assistant',
  model: 'qwen3-coder-plus',
  message: { role: 'model', parts },
  usageMetadata: {
    promptTokenCount: 100,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 5,
    cachedContentTokenCount: 30,
  },
});

/** A fork with copied history, an API error, a title, and an answer without telemetry. */
export const qwen: Sample = {
  format: qwenStore,
  session: id,
  records: lines(main, `/h/.qwen/projects/p/chats/${id}.jsonl`, [
    {
      ...qwenBase,
      uuid: 'n1',
      timestamp: at(1),
      type: 'user',
      provenance: 'real_user',
      message: { role: 'user', parts: [{ text: 'First' }] },
      forkedFrom: { sessionId: 'parent', messageUuid: 'o1' },
    },
    { ...qwenUsage('r1', 2), forkedFrom: { sessionId: 'parent', messageUuid: 't2' } },
    { ...qwenAnswer('n2', 3, [{ text: 'Answer' }]), forkedFrom: { sessionId: 'parent', messageUuid: 'o2' } },
    { ...qwenBase, uuid: 'n3', timestamp: at(4), type: 'user', message: { role: 'user', parts: [{ text: 'Second' }] } },
    qwenAnswer('n4', 5, [{ functionCall: { id: 'call1', name: 'edit', args: { file_path: 'a', old_string: 'x' } } }]),
    {
      ...qwenBase,
      uuid: 'n5',
      timestamp: at(6),
      type: 'tool_result',
      message: { role: 'user', parts: [{ functionResponse: { id: 'call1', response: { output: 'ok' } } }] },
      toolCallResult: { callId: 'call1', status: 'success', resultDisplay: { fileDiff: '@@' } },
    },
    {
      ...qwenBase,
      uuid: 'n6',
      timestamp: at(7),
      type: 'system',
      subtype: 'ui_telemetry',
      systemPayload: { uiEvent: { 'event.name': 'qwen-code.api_error', error: 'Quota exceeded', status_code: 429 } },
    },
    {
      ...qwenBase,
      uuid: 'n7',
      timestamp: at(8),
      type: 'system',
      subtype: 'custom_title',
      systemPayload: { customTitle: 'A title' },
    },
    { ...qwenBase, uuid: 'n8', timestamp: at(9), type: 'novelty' },
  ]),
};

const row = (table: string, value: Record<string, unknown>): StoreRecord => {
  return { kind: 'row', part: { role: 'main', session: 'ses_1' }, path: '/h/opencode.db', table, row: value };
};
const tokens = (input: number, output: number) => ({ input, output, reasoning: 3, cache: { read: 20, write: 5 } });
const message = (key: string, session: string, second: number, data: Record<string, unknown>) =>
  row('message', {
    id: key,
    session_id: session,
    time_created: ms(second),
    data: JSON.stringify({ time: { created: ms(second), completed: ms(second + 1) }, ...data }),
  });
const part = (key: string, of: string, session: string, data: Record<string, unknown>) =>
  row('part', { id: key, message_id: of, session_id: session, time_created: ms(5), data: JSON.stringify(data) });

/** A subagent, an API error, a message with two requests, a compaction, and a model without a price. */
export const openCode: Sample = {
  format: openCodeStore,
  session: 'ses_1',
  records: [
    row('session', {
      id: 'ses_1',
      directory: '/home/dev/project',
      title: 'Find it',
      version: '1.2.0',
      time_created: ms(0),
    }),
    row('session', {
      id: 'ses_2',
      parent_id: 'ses_1',
      directory: '/home/dev/project',
      title: 'Child',
      time_created: ms(2),
    }),
    message('m1', 'ses_1', 1, { role: 'user' }),
    message('m2', 'ses_1', 2, { role: 'assistant', modelID: 'a', cost: 0.3, tokens: tokens(200, 20), finish: 'stop' }),
    message('m3', 'ses_2', 3, { role: 'user' }),
    message('m4', 'ses_2', 4, { role: 'assistant', modelID: 'b', cost: 0, tokens: tokens(50, 5), finish: 'stop' }),
    message('m5', 'ses_1', 9, {
      role: 'assistant',
      modelID: 'a',
      tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      error: { name: 'APIError', data: { message: 'Overloaded' } },
    }),
    part('p01', 'm1', 'ses_1', { type: 'text', text: 'Find it' }),
    part('p02', 'm1', 'ses_1', { type: 'text', text: 'Reminder', synthetic: true }),
    part('p03', 'm2', 'ses_1', { type: 'step-start' }),
    part('p04', 'm2', 'ses_1', {
      type: 'tool',
      tool: 'task',
      callID: 'call1',
      state: {
        status: 'completed',
        input: { description: 'Look', prompt: 'Look into it', subagent_type: 'explore' },
        output: 'Found',
        metadata: { sessionId: 'ses_2' },
        time: { start: ms(3), end: ms(5) },
      },
    }),
    part('p05', 'm2', 'ses_1', { type: 'step-finish', tokens: tokens(100, 10), cost: 0.1 }),
    part('p06', 'm3', 'ses_2', { type: 'text', text: 'Look into it' }),
    part('p07', 'm4', 'ses_2', { type: 'text', text: 'Found' }),
    part('p08', 'm2', 'ses_1', { type: 'step-finish', tokens: tokens(200, 20), cost: 0.2 }),
    part('p09', 'm2', 'ses_1', { type: 'text', text: 'Done' }),
    part('p10', 'm2', 'ses_1', { type: 'compaction', auto: true }),
    part('p11', 'm2', 'ses_1', { type: 'novelty' }),
  ],
};

const piUsage = { input: 10, output: 5, cacheRead: 100, cacheWrite: 20, totalTokens: 135, cost: { total: 0.02 } };

/** A fork, a failed call, an interrupted turn and a compaction. */
export const pi: Sample = {
  format: piStore,
  session: id,
  records: lines(main, '/h/.pi/agent/sessions/--p--/1_x.jsonl', [
    { type: 'session', version: 3, id, timestamp: at(0), cwd: '/home/dev/project', parentSession: '/h/1_parent.jsonl' },
    {
      type: 'message',
      id: 'a',
      parentId: null,
      timestamp: at(1),
      message: { role: 'user', content: 'Go', timestamp: ms(1) },
    },
    {
      type: 'message',
      id: 'b',
      parentId: 'a',
      timestamp: at(2),
      message: {
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        usage: piUsage,
        stopReason: 'toolUse',
        timestamp: ms(2),
        content: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'text', text: 'I run it.' },
          { type: 'toolCall', id: 'call1', name: 'bash', arguments: { command: 'false' } },
        ],
      },
    },
    {
      type: 'message',
      id: 'c',
      timestamp: at(3),
      message: { role: 'toolResult', toolCallId: 'call1', content: [{ type: 'text', text: 'exit 1' }], isError: true },
    },
    { type: 'compaction', id: 'd', timestamp: at(4), summary: 'Short', tokensBefore: 500 },
    { type: 'message', id: 'e', timestamp: at(5), message: { role: 'assistant', content: [], stopReason: 'aborted' } },
    { type: 'session_info', id: 'f', timestamp: at(6), name: 'A name' },
    { type: 'novelty', id: 'g', timestamp: at(7) },
  ]),
};

export const cursor: Sample = {
  format: cursorStore,
  session: id,
  records: [
    document({ role: 'sidecar', session: id }, `/h/.cursor/chats/x/${id}/meta.json`, {
      title: 'A title',
      createdAtMs: ms(0),
    }),
    ...lines(main, `/h/.cursor/projects/p/agent-transcripts/${id}/${id}.jsonl`, [
      { role: 'user', message: { content: [{ type: 'text', text: '<user_query>\nGo\n</user_query>' }] } },
      {
        role: 'assistant',
        message: {
          content: [
            { type: 'text', text: 'Yes' },
            { type: 'tool_use', name: 'Shell', input: {} },
          ],
        },
      },
      { role: 'assistant', message: { content: [{ type: 'text', text: 'Done' }] } },
      { role: 'novelty' },
    ]),
  ],
};
