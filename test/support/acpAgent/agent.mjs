#!/usr/bin/env node
// @ts-check
/**
 * An agent that speaks the Agent Client Protocol: each prompt is a JSON list of steps, done one after the other. How it
 * behaves before there is a prompt its arguments say: `--greeting=never|version|late`, `--opening=never|login|error`,
 * `--list=pages|endless|error|exit|none` (what it says of its sessions), `--fork` (offers to fork them), `--stay` (lives on without input), `--deaf` (takes no notice of a cancelled turn).
 * Plain JavaScript, because it is started as a program.
 */
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const args = process.argv.slice(2);
const option = (/** @type {string} */ name) =>
  args.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';
const never = new Promise(() => undefined);
const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'plan', name: 'Plan' },
  ],
};

/** @type {Map<number, (answer: any) => void>} */
const waiting = new Map();
let ids = 0;
let sessionId = 'none';
let given = '';
let cancelled = () => undefined;
let whenCancelled = never;

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** @param {object} update */
const update = (update) => send({ method: 'session/update', params: { sessionId, update } });

/** @param {string} text */
const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

/** @param {string} method @param {object} params @returns {Promise<any>} */
function request(method, params) {
  ids += 1;
  const id = ids;
  const answered = new Promise((resolve) => waiting.set(id, resolve));
  send({ id, method, params: { sessionId, ...params } });
  return answered;
}

class Failed extends Error {
  /** @param {number} code @param {string} message @param {unknown} [data] */
  constructor(code, message, data) {
    super(message);
    this.error = { code, message, data };
  }
}

/** What `$name` in later steps stands for. @type {Record<string, string>} */
const kept = {};
/** @param {unknown} value @returns {any} */
const filled = (value) => JSON.parse(JSON.stringify(value).replace(/\$(\w+)/g, (all, name) => kept[name] ?? all));

const options = [
  { optionId: 'once', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Yes, always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

/** @type {Record<string, (value: any) => unknown>} */
const steps = {
  say,
  update,
  line: (line) => process.stdout.write(`${line}\n`),
  fail: ({ code, message, data }) => {
    throw new Failed(code, message, data);
  },
  exit: (code) => process.exit(code),
  ask: async ({ call, allowed = [], denied = [] }) => {
    const { result } = await request('session/request_permission', { toolCall: call, options });
    say(`outcome: ${result.outcome.optionId ?? result.outcome.outcome}`);
    await run(/once|always/.test(result.outcome.optionId ?? '') ? allowed : denied);
  },
  /** Says what came back; `keep` names a result's field for later steps. */
  request: async ({ method, params, keep }) => {
    const { result, error } = await request(method, filled(params));
    if (keep !== undefined && result !== undefined) kept[keep] = result[keep];
    say(`${method}: ${JSON.stringify(error === undefined ? result : { code: error.code, message: error.message })}\n`);
  },
  filledUpdate: (value) => update(filled(value)),
  sayPrompt: () => say(`told: ${given}`),
  untilCancelled: () => whenCancelled,
  never: () => never,
};

/** @param {Record<string, unknown>[]} list */
async function run(list) {
  for (const step of list) {
    for (const [name, value] of Object.entries(step)) await steps[name]?.(value);
  }
}

/** @type {Record<string, (params: any) => unknown>} */
const methods = {
  initialize: async () => {
    if (option('greeting') === 'never') return never;
    if (option('greeting') === 'late') await delay(300);
    return {
      protocolVersion: option('greeting') === 'version' ? 7 : 1,
      agentInfo: { name: 'fake-acp', title: 'Fake', version: '1.2.3' },
      agentCapabilities: {
        sessionCapabilities: {
          resume: {},
          ...(option('list') !== '' && { list: {} }),
          ...(args.includes('--fork') && { fork: {} }),
        },
      },
      authMethods: [{ id: 'a', name: 'Account', description: 'Run `fake login`' }],
    };
  },
  'session/new': ({ cwd }) => {
    if (option('opening') === 'never') return never;
    if (option('opening') === 'login') throw new Failed(-32000, 'Authentication required');
    if (option('opening') === 'error') throw new Failed(-32603, 'Internal error', { details: 'no disk' });
    sessionId = `fake-${process.pid}`;
    kept['cwd'] = cwd;
    return { sessionId, modes };
  },
  'session/resume': (params) => {
    if (!params.sessionId.startsWith('fake-'))
      throw new Failed(-32002, 'Resource not found', { sessionId: params.sessionId });
    sessionId = params.sessionId;
    kept['cwd'] = params.cwd;
    return { modes };
  },
  'session/fork': (params) => {
    if (!args.includes('--fork')) throw new Failed(-32601, 'Method not found: session/fork');
    sessionId = `${params.sessionId}-fork-${process.pid}`;
    kept['cwd'] = params.cwd;
    return { sessionId, modes };
  },
  'session/list': ({ cwd, cursor }) => {
    if (option('list') === 'error') throw new Failed(-32603, 'Internal error', { details: 'no disk' });
    if (option('list') === 'none') return never;
    if (option('list') === 'exit') process.stderr.write('no sessions here\n', () => process.exit(3));
    if (option('list') === 'exit') return never;
    const page = Number(cursor ?? 0);
    const nextCursor = option('list') === 'endless' || page < 2 ? String(page + 1) : null;
    const session = {
      sessionId: `kept-${page}`,
      cwd,
      title: `Page ${page}\u001b[2J`,
      updatedAt: '2026-01-02T03:04:05Z',
    };
    return { sessions: [session, { sessionId: 7 }, 'no session'], nextCursor };
  },
  'session/set_mode': ({ modeId }) => {
    update({ sessionUpdate: 'current_mode_update', currentModeId: modeId });
    return {};
  },
  'session/prompt': async ({ prompt }) => {
    let stop = false;
    whenCancelled = new Promise((resolve) => {
      cancelled = () => void ((stop = true), resolve(undefined));
    });
    given = prompt.map((/** @type {{ text: string }} */ { text }) => text).join('');
    // What Vitrine adds comes before it.
    await run(JSON.parse(given.slice(given.lastIndexOf('\n') + 1)));
    return {
      stopReason: stop ? 'cancelled' : 'end_turn',
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    };
  },
};

/** @param {any} message */
async function take(message) {
  if (message.method === undefined) return waiting.get(message.id)?.(message);
  if (message.method === 'session/cancel') return args.includes('--deaf') ? undefined : cancelled();
  if (message.id === undefined) return undefined;
  try {
    const method = methods[message.method];
    if (method === undefined) throw new Failed(-32601, `Method not found: ${message.method}`);
    send({ id: message.id, result: await method(message.params) });
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    send({ id: message.id, error: error.error });
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => void take(JSON.parse(line)))
  .on('close', () => {
    if (!args.includes('--stay')) process.exit(0);
  });
if (args.includes('--stay')) setInterval(() => undefined, 60_000);
