#!/usr/bin/env node
// @ts-check
/**
 * Stands in for Claude Code, or for the program whose version FAKE_AGENT_VERSION says: its prompt (stdin) is a JSON list
 * of steps, each started when the previous one has ended. In the two-way mode the first message of the user is that prompt.
 * Plain JavaScript, because it is started as a program.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  createReadStream,
  existsSync,
  fstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const args = process.argv.slice(2);
const option = (/** @type {string} */ name) => args[args.indexOf(name) + 1];
/** Of `--name=value`. */
const valueOf = (/** @type {string} */ name) =>
  args.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
let sessionId = args.includes('--resume')
  ? option('--resume')
  : args.includes('--session-id')
    ? option('--session-id')
    : 'none';
const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 };
let model = 'claude-sonnet-4-5-20250929';
let messages = 0;

/** @param {unknown} value */
function line(value) {
  return write(`${JSON.stringify(value)}\n`);
}

/** Of all output so far. */
const printed = { stdout: createHash('sha256'), stderr: createHash('sha256') };

/** @param {string | Buffer} data */
function write(data) {
  printed.stdout.update(data);
  return new Promise((resolve) => process.stdout.write(data, resolve));
}

/** @param {unknown[]} content */
function assistant(content) {
  messages += 1;
  const message = { id: `msg_${process.pid}_${messages}`, type: 'message', role: 'assistant', model, content, usage };
  return line({ type: 'assistant', message, parent_tool_use_id: null, session_id: sessionId });
}

/** What `$name` stands for in later steps. @type {Record<string, string>} */
const kept = {};

/** What was said in the two-way mode, and who waits for it. */
const heard = {
  /** @type {string[]} */ messages: [],
  /** @type {Map<string, unknown>} */ answers: new Map(),
  ended: false,
};
const news = new EventTarget();

/** @param {() => boolean} test */
async function untilHeard(test) {
  while (!test()) await once(news, 'line');
}

function listen() {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (text) => {
    const message = JSON.parse(text);
    const { type, request_id: id, request, response } = message;
    if (type === 'user') heard.messages.push(message.message.content[0].text);
    else if (type === 'control_response') heard.answers.set(response.request_id, response);
    else {
      void line({ type: 'control_response', response: { subtype: 'success', request_id: id, response: {} } });
      if (request.subtype === 'interrupt')
        void steps['result']?.({ subtype: 'error_during_execution', result: undefined });
    }
    news.dispatchEvent(new Event('line'));
  });
  lines.once('close', () => {
    heard.ended = true;
    news.dispatchEvent(new Event('line'));
  });
}

/** A process that lives until it is killed. */
const sleeper = `
  for (const signal of JSON.parse(process.argv[1])) process.on(signal, () => undefined);
  process.stdout.write('ready');
  setInterval(() => undefined, 60_000);
`;

/** @type {Record<string, (value: any) => unknown>} */
const steps = {
  init: () =>
    line({
      type: 'system',
      subtype: 'init',
      session_id: sessionId,
      cwd: process.cwd(),
      tools: ['Bash'],
      model,
      permissionMode: 'default',
      mcp_servers: [],
    }),
  /** From here on it calls the conversation this. */
  session: (id) => {
    sessionId = id;
  },
  /** From here on it says that it uses this one. */
  model: (name) => {
    model = name;
  },
  say: (words) => assistant([{ type: 'text', text: words }]),
  tool: ({ id, command }) => assistant([{ type: 'tool_use', id, name: 'Bash', input: { command } }]),
  toolResult: ({ id, text: output }) =>
    line({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
      parent_tool_use_id: null,
      session_id: sessionId,
    }),
  result: ({ usd = 0.01, text: words = 'done', ...rest }) =>
    line({
      type: 'result',
      subtype: 'success',
      is_error: false,
      duration_ms: 5,
      duration_api_ms: 4,
      num_turns: 1,
      result: words,
      session_id: sessionId,
      total_cost_usd: usd,
      usage,
      ...rest,
    }),
  /** Asks for a permission, and waits for the answer unless `wait` is false. */
  ask: async ({ id, name = 'Bash', input = { command: 'true' }, wait = true, ...rest }) => {
    const request = { subtype: 'can_use_tool', tool_name: name, input, ...rest };
    await line({ type: 'control_request', request_id: id, request });
    if (!wait) return;
    await untilHeard(() => heard.answers.has(id) || heard.ended);
    await assistant([{ type: 'text', text: `answered ${JSON.stringify(heard.answers.get(id) ?? null)}` }]);
  },
  /** Does not want an answer any more. */
  cancel: (id) => line({ type: 'control_cancel_request', request_id: id }),
  control: (request) => line({ type: 'control_request', request_id: 'other', request }),
  /** Says back the next message of the user. */
  hear: async () => {
    await untilHeard(() => heard.messages.length > 0 || heard.ended);
    await assistant([{ type: 'text', text: `heard ${heard.messages.shift() ?? 'nothing more'}` }]);
  },
  print: (words) => write(words),
  printErr: (words) => {
    printed.stderr.update(words);
    return new Promise((resolve) => process.stderr.write(words, resolve));
  },
  /** Notes the hashes of all output so far, in hex. */
  noteHashes: (file) =>
    writeFileSync(file, JSON.stringify({ stdout: printed.stdout.digest('hex'), stderr: printed.stderr.digest('hex') })),
  /** The environment, as far as its names go. */
  printNames: () => line({ type: 'names', names: Object.keys(process.env).sort() }),
  args: () => line({ type: 'args', args }),
  huge: async (bytes) => {
    await write('{"type":"assistant","text":"');
    for (let left = bytes; left > 0; left -= 1 << 20) await write('x'.repeat(Math.min(left, 1 << 20)));
    await write('"}\n');
  },
  /** Prints this many bytes of texts, of a tool's results or of stderr, in pieces of `piece` bytes. */
  flood: async ({ kind, bytes, piece = 1 << 16 }) => {
    for (let [at, left] = [0, bytes]; left > 0; [at, left] = [at + 1, left - piece]) {
      const words = `${at} lorem ipsum dolor sit amet `.repeat(Math.ceil(piece / 24)).slice(0, Math.min(left, piece));
      if (kind === 'stderr') await steps['printErr']?.(`${words}\n`);
      else if (kind === 'text') await steps['say']?.(words);
      else {
        await steps['tool']?.({ id: `call-${at}`, command: 'cat log' });
        await steps['toolResult']?.({ id: `call-${at}`, text: words });
      }
    }
  },
  file: async ({ path, everyMs = 0, bytes = 1 << 16 }) => {
    for await (const chunk of createReadStream(path, { highWaterMark: bytes })) {
      await write(chunk);
      if (everyMs > 0) await delay(everyMs);
    }
  },
  wait: (ms) => delay(ms),
  /** Says, `perSecond` times a second, when it says it: nanoseconds of the clock that all processes of a machine share. */
  stamps: async ({ count, perSecond }) => {
    const begun = performance.now();
    for (let said = 0; said < count; said += 1) {
      const due = begun + (said * 1000) / perSecond - performance.now();
      if (due > 1) await delay(due);
      await assistant([{ type: 'text', text: `stamp ${process.hrtime.bigint()}` }]);
    }
  },
  /** Adds to a file in `--log-dir`; PID in its name is the own one. */
  log: ({ name, text: words }) => {
    const folder = valueOf('--log-dir');
    mkdirSync(folder, { recursive: true });
    appendFileSync(path.join(folder, name.replace('PID', process.pid)), words);
  },
  /** Writes the file of `--usage-output-file`. */
  usage: (value) => writeFileSync(valueOf('--usage-output-file'), JSON.stringify(value)),
  /** One line of JSON; SESSION in it is the value of `--session-id=`. */
  event: (value) => write(`${JSON.stringify(value).replace('SESSION', valueOf('--session-id'))}\n`),
  /** Until this file is there. */
  until: async (path) => {
    while (!existsSync(path)) await delay(20);
  },
  ignore: (signals) => {
    for (const signal of signals) process.on(signal, () => undefined);
  },
  /** Ends well when it is asked to. */
  leave: (signals) => {
    for (const signal of signals) process.on(signal, () => process.exit(0));
  },
  /** Runs a command as a tool would, up to the end of its shell. */
  shell: (command) => spawnSync('/bin/sh', ['-c', command], { stdio: 'ignore' }),
  /** Starts a sleeper and notes its pid in `note`. */
  child: ({ ignore = [], setsid = false, inherit = false, note }) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, ['-e', sleeper, JSON.stringify(ignore)], {
        stdio: ['ignore', 'pipe', inherit ? process.stdout : 'ignore'],
        detached: setsid,
      });
      child.once('error', reject);
      child.stdout?.once('data', () => {
        appendFileSync(note, `${child.pid}\n`);
        resolve(undefined);
      });
    }),
  /** Notes what it was given: arguments, and the file of `--mcp-config` with its permissions. */
  given: (note) => {
    const file = valueOf('--mcp-config');
    const config = file === '' ? null : JSON.parse(readFileSync(file, 'utf8'));
    const mode = file === '' ? null : (statSync(file).mode & 0o777).toString(8);
    writeFileSync(note, JSON.stringify({ args, file, config, mode }));
  },
  /** Calls a tool of the server `vitrine` that it was given, and says what it answered. `$name` is what `keep` kept. */
  mcp: async ({ tool, args: given = {}, keep, as = 'session_id' }) => {
    const { url, headers } = JSON.parse(readFileSync(valueOf('--mcp-config'), 'utf8')).mcpServers.vitrine;
    const filled = JSON.parse(JSON.stringify(given).replace(/\$(\w+)/g, (all, name) => kept[name] ?? all));
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: filled } }),
    });
    const body = await response.text();
    const data = body.split('\n').find((each) => each.startsWith('data: {'));
    const { result, error } = JSON.parse(data?.slice('data: '.length) ?? body);
    const answer = error?.message ?? result.content[0].text;
    if (keep !== undefined) kept[keep] = JSON.parse(answer)[as];
    await assistant([{ type: 'text', text: `${tool}: ${answer}` }]);
  },
  /** Notes the own pid. */
  note: (file) => appendFileSync(file, `${process.pid}\n`),
  unknownSession: () => {
    process.stderr.write(`No conversation found with session ID: ${sessionId}\n`);
    process.exit(1);
  },
  /** The whole of what it was given. */
  sayPrompt: () => steps['say']?.(`told: ${given}`),
  /** Only where it is asked for by this id. */
  unknownUnless: (id) => {
    if (sessionId !== id) steps['unknownSession']?.(null);
  },
  exit: (code) => process.exit(code),
  forever: () => new Promise(() => setInterval(() => undefined, 60_000)),
};

let given = '';

async function prompt() {
  if (!args.includes('--input-format')) return fstatSync(0).isCharacterDevice() ? '' : await text(process.stdin);
  listen();
  await untilHeard(() => heard.messages.length > 0);
  return heard.messages.shift() ?? '[]';
}

if (args.includes('--version')) {
  const gate = process.env['FAKE_AGENT_VERSION_GATE'];
  if (gate !== undefined) {
    writeFileSync(`${gate}.asked`, '');
    await steps['until']?.(gate);
  }
  console.log(process.env['FAKE_AGENT_VERSION'] ?? '2.1.197 (Claude Code)');
} else if (option('--model') === 'deaf') {
  process.exit(1);
} else {
  const input = await prompt();
  given = input;
  // Another text may stand before the steps.
  const script = input.slice(input.lastIndexOf('\n[{') + 1);
  // Words alone are answered with them.
  const plain = [{ init: true }, { say: `heard ${script}` }, { result: { text: `heard ${script}` } }];
  for (const step of script.startsWith('[') ? JSON.parse(script) : plain) {
    for (const [name, value] of Object.entries(step)) await steps[name]?.(value);
  }
  process.exit(0);
}
