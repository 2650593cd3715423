import { clineStore, rooCodeStore } from '../../../src/agents/cline/store.ts';
import type { StoreFormat, StoreRecord } from '../../../src/agents/stores/storeFormat.ts';
import { vscodeChatStore } from '../../../src/agents/vscode-chat/store.ts';
import { document, id, lines, main, ms, type Sample } from './sample.ts';

export const vscodeRequest = {
  requestId: 'request_1',
  timestamp: ms(1),
  message: { text: 'Fix it', parts: [] },
  modelId: 'copilot/gpt-5',
  response: [
    { value: 'I look at ' },
    { kind: 'inlineReference', name: 'parse.js', inlineReference: { path: '/home/dev/project/parse.js' } },
    { kind: 'thinking', value: ['Hm', 'm'] },
    {
      kind: 'toolInvocationSerialized',
      toolId: 'run_in_terminal',
      toolCallId: 'call1',
      isComplete: true,
      isConfirmed: { type: 1 },
      invocationMessage: { value: 'Running' },
      toolSpecificData: {
        kind: 'terminal',
        commandLine: { original: 'npm test' },
        terminalCommandState: { exitCode: 1 },
        terminalCommandOutput: { text: 'failed' },
      },
    },
    {
      kind: 'toolInvocationSerialized',
      toolId: 'fetch',
      toolCallId: 'call2',
      isComplete: true,
      isConfirmed: { type: 0 },
    },
    {
      kind: 'textEditGroup',
      uri: { path: '/home/dev/project/parse.js' },
      edits: [[{ text: 'new', range: {} }]],
      done: true,
    },
    { kind: 'undoStop', id: 'x' },
    { value: 'Done.' },
    { kind: 'novelty' },
  ],
  result: { errorDetails: { message: 'Stopped by a limit', code: 'limit' } },
  usage: { promptTokens: 120, completionTokens: 30 },
  modelState: { value: 1, completedAt: ms(9) },
};

export const vscodeState = {
  version: 3,
  sessionId: id,
  creationDate: ms(0),
  customTitle: 'Fixing',
  initialLocation: 'panel',
  responderUsername: 'GitHub Copilot',
  requests: [vscodeRequest],
};

const vscodePath = '/h/.config/Code/User/workspaceStorage/w1/chatSessions/s.jsonl';

/** The same chat as a log: starts empty, with a retracted part. */
export const vscodeChat: Sample = {
  format: vscodeChatStore,
  session: id,
  notes: new Map([['w1', { key: 'w1', folder: '/home/dev/project' }]]),
  records: lines(main, vscodePath, [
    { kind: 0, v: { ...vscodeState, customTitle: undefined, requests: [] } },
    { kind: 2, k: ['requests'], v: [{ ...vscodeRequest, response: [], modelState: { value: 0 }, result: undefined }] },
    { kind: 2, k: ['requests', 0, 'response'], v: [...vscodeRequest.response.slice(0, 4), { value: 'wrong' }] },
    { kind: 2, k: ['requests', 0, 'response'], v: vscodeRequest.response.slice(4), i: 4 },
    { kind: 1, k: ['requests', 0, 'result'], v: vscodeRequest.result },
    { kind: 1, k: ['requests', 0, 'modelState'], v: vscodeRequest.modelState },
    { kind: 1, k: ['hasPendingEdits'], v: true },
    { kind: 3, k: ['hasPendingEdits'] },
    { kind: 1, k: ['customTitle'], v: 'Fixing' },
  ]),
};

export const vscodeDocument: StoreRecord = document(main, vscodePath.replace('.jsonl', '.json'), vscodeState);

const say = (second: number, kind: string, text: unknown, overrides: object = {}) => ({
  ts: ms(second),
  type: 'say',
  say: kind,
  text: typeof text === 'string' ? text : JSON.stringify(text),
  ...overrides,
});
const ask = (second: number, kind: string, text: unknown) => ({
  ...say(second, kind, text, { ask: kind }),
  type: 'ask',
  say: undefined,
});

const uiMessages = [
  say(0, 'text', 'Fix the parser'),
  say(1, 'api_req_started', {
    apiProtocol: 'anthropic',
    tokensIn: 130,
    tokensOut: 20,
    cacheReads: 80,
    cacheWrites: 30,
    cost: 0.01,
  }),
  say(2, 'reasoning', 'Read first'),
  say(3, 'text', 'I read the file.'),
  say(4, 'tool', { tool: 'readFile', path: 'src/parse.js' }),
  say(5, 'api_req_started', { tokensIn: 50, tokensOut: 5, cost: 0 }),
  ask(6, 'command', 'npm testREQ_APP'),
  say(7, 'command_output', 'failed'),
  say(8, 'user_feedback', 'Try again'),
  say(9, 'error', 'Overloaded'),
  say(10, 'condense_context', '', {
    contextCondense: { cost: 0.002, summary: 'Short', prevContextTokens: 9, newContextTokens: 1 },
  }),
  say(11, 'use_mcp_server', { serverName: 's', type: 'use_mcp_tool', toolName: 't', arguments: '{"a":1}' }),
  say(12, 'mcp_server_response', 'ok'),
  say(13, 'completion_result', 'Fixed.'),
  say(14, 'novelty', 'x'),
  ask(15, 'tool', { tool: 'editedExistingFile', path: 'src/parse.js', diff: '@@' }),
];

const history = [
  {
    role: 'user',
    content: [
      { type: 'text', text: '<task>\nFix the parser\n</task>' },
      {
        type: 'text',
        text: '<environment_details>\n# Current Workspace Directory (/home/dev/project) Files\n<model>m1</model>',
      },
    ],
  },
];

function taskSample(format: StoreFormat): Sample {
  const folder = `/h/User/globalStorage/x/tasks/${id}`;
  return {
    format,
    session: id,
    records: [
      document({ role: 'sidecar', session: id }, `${folder}/task_metadata.json`, {
        files_in_context: [],
        model_usage: [{ ts: ms(0), model_id: 'claude-sonnet-4-5', model_provider_id: 'anthropic', mode: 'act' }],
      }),
      document(main, `${folder}/api_conversation_history.json`, history),
      document(main, `${folder}/ui_messages.json`, uiMessages),
    ],
  };
}

export const cline = taskSample(clineStore);
export const rooCode = taskSample(rooCodeStore);
