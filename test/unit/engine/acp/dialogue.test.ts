import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SessionHandle, Timing } from '../../../../src/engine/api.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { waitForRequest, requests, talk } from '../../../support/agents/talk.ts';
import { Bench, readEntries, waitForResult, waitForEntry, type Step } from '../../../support/fakeAgent/engine.ts';
import { until } from '../../../support/until.ts';

describe('a run with a dialogue', function () {
  let bench: Bench;
  let engine: Engine;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  const start = async (steps: readonly Step[], timing: Timing = {}): Promise<SessionHandle> => {
    engine = await bench.engine({ interactive: true, timing: { politeGraceMs: 500, termGraceMs: 500, ...timing } });
    return engine.start(bench.request([{ init: true }, ...steps]));
  };
  /** The agent waits for `go`. */
  const gate = (): Step => ({ until: path.join(bench.dir, 'go') });
  const go = (): Promise<void> => writeFile(path.join(bench.dir, 'go'), '');
  const said = async (handle: SessionHandle): Promise<string[]> =>
    (await readEntries(handle)).flatMap(({ type, content }) => (type.kind === 'assistant_message' ? [content] : []));
  const notes = async (handle: SessionHandle, subtype: string): Promise<string[]> =>
    (await readEntries(handle)).flatMap(({ type, content }) =>
      type.kind === 'system_message' && type.subtype === subtype ? [content] : [],
    );

  it('matches answers to requests in any order', async () => {
    const handle = await start([
      { ask: { id: 'one', input: { command: 'echo 1' }, wait: false } },
      { ask: { id: 'two', input: { command: 'echo 2' } } },
      // The same question once more has the same answer.
      { ask: { id: 'one', input: { command: 'echo 1' }, wait: false } },
      { say: 'asked again' },
      gate(),
      { result: {} },
    ]);
    await until('both', () => talk(handle).pendingRequests().length === 2);
    assert.equal(handle.summary().needs_you?.count, 2);
    assert.equal(talk(handle).answer('two', { kind: 'deny', reason: 'no' }), true);
    assert.equal(talk(handle).answer('three', { kind: 'deny' }), false);
    await waitForEntry(handle, 'The user does not allow this, and says: no');
    await waitForEntry(handle, 'asked again');
    assert.equal(handle.summary().needs_you?.title, 'Run echo 1');
    assert.equal(talk(handle).answer('one', { kind: 'allow', scope: 'session' }), true);
    await go();
    const result = await waitForResult(handle);
    assert.equal(result.success, true, result.error);
    assert.deepEqual(
      (await requests(handle)).map(({ request, decision }) => [request.id, decision?.answer]),
      [
        // What the agent does not offer for a session is allowed once.
        ['one', { kind: 'allow', scope: 'once' }],
        ['two', { kind: 'deny', reason: 'no' }],
      ],
    );
  });

  it('accepts withdrawn requests, and does not answer them', async () => {
    const handle = await start([{ ask: { id: 'one', wait: false } }, gate(), { cancel: 'one' }, { result: {} }]);
    await waitForRequest(handle);
    await go();
    assert.equal((await waitForResult(handle)).success, true);
    const [shown] = await requests(handle);
    assert.equal(shown?.decision?.by, 'withdrawn');
    assert.match(shown.entry.content, /^Withdrawn by the agent: Run `true`/);
  });

  it('denies unanswered requests after a timeout', async () => {
    const handle = await start([{ ask: { id: 'one' } }, { result: {} }], { requestMs: 50 });
    assert.equal((await waitForResult(handle)).success, true);
    const [shown] = await requests(handle);
    assert.equal(shown?.decision?.by, 'timeout');
    assert.equal(Date.parse(shown.request.expires_at ?? '') - Date.parse(shown.request.asked_at), 50);
    assert.match((await said(handle))[0] ?? '', /"behavior":"deny"/);
  });

  it('changes settings during the run, and notes who did it', async () => {
    const handle = await start([{ say: 'running' }, gate(), { result: { text: '' } }]);
    await waitForEntry(handle, 'running');
    assert.deepEqual(talk(handle).changeOptions({ model: '', permissionMode: 'plan' }), ['model', 'permissionMode']);
    assert.deepEqual(talk(handle).changeOptions({}), []);
    await go();
    assert.equal((await waitForResult(handle)).success, true);
    assert.deepEqual(await notes(handle, 'options'), [
      "The user selected the agent's own model.",
      'The user selected the permission mode `plan`.',
    ]);
  });

  it('sends queued messages one per turn, and then closes the input', async () => {
    const handle = await start([
      { say: 'running' },
      gate(),
      { result: { text: '' } },
      { hear: true },
      { result: { text: '' } },
      { hear: true },
      { result: { text: '' } },
      { hear: true },
    ]);
    await waitForEntry(handle, 'running');
    talk(handle).sendMessage('first', 'queue');
    talk(handle).sendMessage('second', 'queue');
    assert.deepEqual(
      talk(handle)
        .queuedMessages()
        .map(({ text }) => text),
      ['first', 'second'],
    );
    await go();
    assert.equal((await waitForResult(handle)).success, true);
    const talked = (await readEntries(handle)).slice(1).filter(({ type }) => type.kind.endsWith('_message'));
    assert.deepEqual(
      talked.filter(({ type }) => type.kind !== 'system_message').map(({ content }) => content),
      ['running', 'first', 'heard first', 'second', 'heard second', 'heard nothing more'],
    );
  });

  it('interrupts for an urgent message, which precedes queued ones', async () => {
    const handle = await start([
      { say: 'running' },
      { hear: true },
      { result: { text: '' } },
      { hear: true },
      { result: { text: '' } },
    ]);
    await waitForEntry(handle, 'running');
    talk(handle).sendMessage('later', 'queue');
    talk(handle).sendMessage('now', 'interrupt');
    await waitForResult(handle);
    assert.deepEqual(await said(handle), ['running', 'heard now', 'heard later']);
  });

  it('keeps unsent messages', async () => {
    const handle = await start([{ say: 'running' }, gate(), { exit: 3 }]);
    await waitForEntry(handle, 'running');
    talk(handle).sendMessage('one\ntwo', 'queue');
    await go();
    assert.equal((await waitForResult(handle)).success, false);
    assert.deepEqual(await notes(handle, 'unsaid'), [
      'The run ended before this message was sent to the agent:\n\n> one\n> two',
    ]);
    assert.equal(handle.conversation(), null);
  });

  it('accepts no message after the input is closed, and not too many before', async () => {
    const handle = await start([{ say: 'running' }, gate(), { result: {} }, { say: 'closing' }, { forever: true }], {
      closeMs: 1000,
    });
    await waitForEntry(handle, 'running');
    const conversation = talk(handle);
    for (let count = 0; count < 100; count++) conversation.sendMessage(`message ${count}`, 'queue');
    assert.throws(() => conversation.sendMessage('one more', 'queue'), { code: 'takes_no_message' });
    for (const { id } of conversation.queuedMessages()) conversation.unsend(id);
    await go();
    await until('the end of the turn', () => !conversation.takesMessages);
    assert.throws(() => conversation.sendMessage('late', 'queue'), { code: 'takes_no_message' });
    await waitForResult(handle);
  });

  it('ends an agent that does not exit, and counts that as its normal end', async () => {
    const handle = await start([{ result: { text: 'all done' } }, { forever: true }], { closeMs: 100 });
    const result = await waitForResult(handle);
    assert.equal(result.success, true, result.error);
    assert.equal(result.data, 'all done');
    assert.deepEqual(await notes(handle, 'ended'), [
      'Claude Code did not exit after the conversation, so Vitrine ended it.',
    ]);
  });

  it('waits for background work of the agent only', async () => {
    const tasks = (...running: string[]): Step => ({
      event: { type: 'system', subtype: 'background_tasks_changed', tasks: running.map((task_id) => ({ task_id })) },
    });
    const handle = await start([
      tasks('one'),
      { result: {} },
      { say: 'in the background' },
      gate(),
      tasks(),
      { hear: true },
    ]);
    await waitForEntry(handle, 'in the background');
    assert.equal(talk(handle).takesMessages, true);
    await go();
    assert.equal((await waitForResult(handle)).success, true);
    assert.equal((await said(handle)).at(-1), 'heard nothing more');
  });

  it('rejects unknown requests, and continues after invalid lines', async () => {
    const handle = await start([
      { control: { subtype: 'mystery' } },
      { print: 'garbage\n{"type":"control_request"}\n{"type":"control_request","request_id":"x","request":7}\n' },
      { print: '{"type":"control_cancel_request","request_id":"never"}\n' },
      { ask: { id: 'odd', input: 'no object' } },
      { result: {} },
    ]);
    assert.equal((await waitForResult(handle)).success, true);
    assert.match((await said(handle))[0] ?? '', /"subtype":"error".*Unsupported control request subtype: can_use_tool/);
    assert.match((await notes(handle, 'unsupported_request')).join('\n'), /mystery/);
    assert.deepEqual(await requests(handle), []);
  });

  it('rejects an oversized request', async () => {
    const handle = await start([{ ask: { id: 'long', input: { command: 'x'.repeat(9 << 20) } } }, { result: {} }]);
    assert.equal((await waitForResult(handle)).success, true);
    assert.match((await said(handle))[0] ?? '', /"subtype":"error".*too long/);
  });

  it('settles pending requests when the agent dies', async () => {
    const handle = await start([{ ask: { id: 'one', wait: false } }, gate(), { exit: 1 }]);
    await waitForRequest(handle);
    await go();
    await waitForResult(handle);
    assert.equal(handle.summary().needs_you, undefined);
    assert.deepEqual(handle.openIndexes(), []);
    const [shown] = await requests(handle);
    assert.equal(shown?.decision?.by, 'run_over');
  });

  it("recreates the same entries from the raw logs, including Vitrine's messages and decisions", async () => {
    const handle = await start([
      { ask: { id: 'one' } },
      { printErr: 'a warning\n' },
      { ask: { id: 'two' } },
      { result: {} },
      { hear: true },
      { result: { usd: 0.5 } },
    ]);
    await waitForRequest(handle);
    talk(handle).sendMessage('and then', 'queue');
    talk(handle).answer('one', { kind: 'allow', scope: 'once' });
    await until('the second', () => talk(handle).pendingRequests()[0]?.id === 'two');
    talk(handle).answer('two', { kind: 'deny', reason: 'enough' });
    await waitForResult(handle);
    const whole = await readEntries(handle);
    const { id } = handle;
    handle.dispose();
    await engine.dispose();
    const file = engine.recordPath(id);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const cut = lines.findIndex((line) => line.includes('can_use_tool') || line.includes('Asks for permission'));
    assert.notEqual(cut, -1);
    const order = lines.slice(cut + 1).filter((line) => line.includes('"output_order"'));
    await writeFile(file, [...lines.slice(0, cut + 1), ...order, ''].join('\n'));
    const next = await bench.engine();
    const opened = await next.open(id);
    assert.equal(opened.summary().outcome, 'interrupted');
    const content = ({ index, type, content, metadata }: (typeof whole)[number]): unknown => [
      index,
      type.kind,
      content,
      metadata?.['decision'],
    ];
    assert.deepEqual((await readEntries(opened)).slice(0, whole.length).map(content), whole.map(content));
  });
});
