import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import { runResultSchema } from '../../../src/model/session/result.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { fakeAgent, prompt } from '../../support/fakeAgent/engine.ts';

const answer = (text: string) => [{ init: true }, { say: text }, { result: {} }];
/** The agent repeats all that it was sent. */
const echo = prompt([{ init: true }, { sayPrompt: {} }, { result: {} }]);
const transcript =
  /^told: Note written by Vitrine, not by the user[^]*> Assistant: The first answer\.[^]*user now says:/;

describe('forks at a prompt', function () {
  let place: DaemonBench;
  let client: DaemonConnection;
  let session_id: string;
  /** Indexes of its prompts. */
  let first: number;
  let second: number;

  const entriesOf = async (id: string): Promise<NormalizedEntry[]> =>
    (await client.call('read', { session_id: id, from: 0, to: 1000 })).entries;
  /** The fake agent's results say "done". */
  const answersOf = async (id: string): Promise<string[]> =>
    (await entriesOf(id)).flatMap(({ type, content }) =>
      type.kind === 'assistant_message' && content !== 'done' ? [content] : [],
    );
  const sessions = async (): Promise<string[]> => (await readdir(path.join(place.store, 'sessions'))).sort();

  beforeEach(async () => {
    place = new DaemonBench();
    client = await place.connect();
    const { context, request } = place.startParams(answer('The first answer.'));
    ({ session_id } = await client.call('start', { context, request }));
    await place.stateOf(session_id, ({ live }) => !live);
    const later = { prompt: prompt(answer('The second answer.')) };
    await client.call('resume', { context, session_id, request: later });
    await place.stateOf(session_id, ({ live, summary }) => !live && summary.runs === 2);
    [first = -1, second = -1] = (await entriesOf(session_id)).flatMap(({ type, index }) =>
      type.kind === 'user_message' ? [index] : [],
    );
  });
  afterEach(() => place.close());

  it('start a session with what came before, and leave the other one unchanged', async () => {
    const before = await entriesOf(session_id);
    const planned = await client.call('planFork', { session_id, at: second });
    assert.deepEqual(planned, { way: 'transcript', prompt: prompt(answer('The second answer.')) });
    assert.equal((await client.call('planFork', { session_id, at: first })).way, 'nothing');
    const { context } = place.startParams([]);
    const forked = await client.call('fork', { context, session_id, request: { prompt: echo }, at: second });
    const { summary } = await place.stateOf(forked.session_id, ({ live }) => !live);
    assert.equal(summary.outcome, 'completed');
    assert.deepEqual(summary.forked_from, { session_id, last: null });
    assert.deepEqual(summary.total_usage, summary.usage);
    const [copied, conversation = '', ...others] = await answersOf(forked.session_id);
    assert.equal(copied, 'The first answer.');
    assert.match(conversation, transcript);
    assert.doesNotMatch(conversation, /The second answer/);
    assert.deepEqual(others, []);
    assert.deepEqual(await entriesOf(session_id), before);
  });

  it('leave nothing behind if they cannot start', async () => {
    const before = await sessions();
    const { context } = place.startParams([]);
    const fork = (change: object, at: number) =>
      client.call('fork', { context: { ...context, ...change }, session_id, request: { prompt: echo }, at });
    const missing = { settings: { agents: { 'claude-code': { program: path.join(place.store, 'none') } } } };
    await assert.rejects(fork(missing, second), /cannot be run/);
    await assert.rejects(fork({ trusted: false }, second), { code: 'folder_untrusted' });
    await assert.rejects(fork({}, first + 1), /Entry \d+ is not a prompt/);
    assert.deepEqual(await sessions(), before);
  });

  it('start on the command line, which says what the agent will know', async () => {
    const vitrine = (...args: string[]) => place.vitrine('fork', session_id, '--program', fakeAgent, ...args).ended;
    const here = await vitrine('--at', String(second), echo);
    assert.equal(here.code, 0, here.stderr);
    assert.match(here.stderr, /^vitrine: The agent cannot continue its conversation from here\. .* as text\.$/m);
    const id = /^vitrine: The fork is (ses_\w+)\.$/m.exec(here.stderr)?.[1] ?? '';
    const lines = here.stdout.trimEnd().split('\n');
    assert.equal(runResultSchema.parse(JSON.parse(lines.at(-1) ?? '')).success, true);
    const printed = lines.slice(0, -1).map((line) => JSON.parse(line) as NormalizedEntry);
    assert.ok(!printed.some(({ content }) => content === 'The first answer.'), 'only the new run is printed');
    assert.ok(printed.some(({ content }) => transcript.test(content)));
    assert.deepEqual((await answersOf(id)).length, 2);

    const detached = await vitrine('--at', String(first), '--detach', '--json', echo);
    assert.equal(detached.code, 0, detached.stderr);
    assert.match(detached.stderr, /^vitrine: This is the first prompt/m);
    const started = JSON.parse(detached.stdout) as { session_id: string };
    await place.stateOf(started.session_id, ({ live }) => !live);
    assert.deepEqual(await answersOf(started.session_id), [`told: ${echo}`]);

    const atEnd = await vitrine('--detach', '--json', echo);
    assert.match(atEnd.stderr, /^vitrine: The agent cannot fork its own conversation\. .* as text\.$/m);
    const whole = JSON.parse(atEnd.stdout) as { session_id: string };
    await place.stateOf(whole.session_id, ({ live }) => !live);
    const [copied, again, conversation = ''] = await answersOf(whole.session_id);
    assert.deepEqual([copied, again], ['The first answer.', 'The second answer.']);
    assert.match(conversation, /^told: Note written by Vitrine[^]*> Assistant: The second answer\.[^]*user now says:/);

    const wrong = await vitrine('--at', String(first + 1), echo);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /Entry \d+ is not a prompt\.\n.*only at a message to the agent/);
  });
});
