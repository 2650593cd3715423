import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Notice, ResumeRequest, SessionHandle } from '../../../../../src/engine/api.ts';
import { CallbackStore } from '../../../../../src/engine/children/callbacks/callbackStore.ts';
import { stopSessionTree } from '../../../../../src/engine/children/stopSessionTree.ts';
import type { CallbackEngine } from '../../../../../src/engine/children/engine.ts';
import {
  CallbackSender,
  type CallbackSenderDeps,
} from '../../../../../src/engine/children/callbacks/callbackSender.ts';
import type { Engine } from '../../../../../src/engine/engine.ts';
import { failures, type EngineFailure } from '../../../../../src/engine/failures/failures.ts';
import { Bench, readEntries, waitForResult, prompt } from '../../../../support/fakeAgent/engine.ts';
import { Leads } from '../../../../support/fakeAgent/lead.ts';
import { silentLog } from '../../../../support/silentLog.ts';
import { until } from '../../../../support/until.ts';

const says = (words: string): string => prompt([{ init: true }, { say: words }, { result: { text: words } }]);
const minutes = 60_000;
interface FailedDelivery {
  readonly type: string;
  readonly reason: string;
  readonly child_session_ids: readonly string[];
}

describe('a parent that waits for the results of its children', () => {
  let bench: Bench;
  let engine: Engine;
  let callbacks: CallbackStore;
  let parent: SessionHandle;
  let child: SessionHandle;
  let requests: ResumeRequest[];
  let decisions: unknown[];
  let notices: Notice[];
  let shown: string[];
  let senders: CallbackSender[];
  beforeEach(async () => {
    bench = new Bench();
    // No one else tells of anything: agents of this engine cannot start others.
    engine = await bench.engine();
    callbacks = new CallbackStore(bench.store, silentLog);
    parent = await engine.start({ agent: 'claude-code', cwd: bench.cwd, prompt: says('lead') });
    await waitForResult(parent);
    child = await engine.start({ agent: 'claude-code', cwd: bench.cwd, prompt: says('helped'), parent: parent.id });
    await waitForResult(child);
    [requests, decisions, notices, shown, senders] = [[], [], [], [], []];
  });
  afterEach(async () => {
    for (const sender of senders) sender.close();
    await bench.close();
  });

  interface SenderOptions {
    /** Before each attempt to resume, by its number from 1. */
    readonly fails?: (attempt: number, sender: CallbackSender) => EngineFailure | undefined | Promise<EngineFailure>;
    readonly retryMs?: number;
    readonly chosen?: CallbackSenderDeps['chosen'];
  }
  /** One that expects the child. */
  async function senderOf({ fails, retryMs = 20, chosen }: SenderOptions = {}): Promise<CallbackSender> {
    const around: CallbackEngine = {
      children: undefined,
      list: () => engine.list(),
      open: (id) => engine.open(id),
      recordPath: (id) => engine.recordPath(id),
      resume: async (id, request) => {
        requests.push(request);
        const failure = await fails?.(requests.length, sender);
        if (failure !== undefined) throw failure;
        return engine.resume(id, request);
      },
    };
    const sender: CallbackSender = new CallbackSender(around, {
      callbacks,
      retryMs,
      log: silentLog,
      clock: Date.now,
      blueprints: () => Promise.resolve([]),
      use: { options: () => ({ model: 'set' }), environment: {}, input: () => Promise.resolve(undefined) },
      decide: (id, decision, notice) => {
        decisions.push([id, decision]);
        if (notice !== undefined) notices.push(notice);
        return Promise.resolve();
      },
      onUndeliveredCallbacks: ({ session_id: id }, { code }) => shown.push(`${id} ${code}`),
      ...(chosen && { chosen }),
    });
    senders.push(sender);
    await sender.expect({ parent: parent.id, child: child.id });
    return sender;
  }
  const reported = () => until('the result to be sent', async () => (await callbacks.pending()).length === 0);
  const waits = async () => (await callbacks.readWaiting()).length === 1;
  /** Or is just being told again, in vain. */
  const isPending = async () => (await callbacks.pending()).length === 1;

  it('is retried after a failure, which is recorded and reported once', async () => {
    const sender = await senderOf({ fails: (at) => (at < 4 ? failures.blueprintInactive('lead', 'a') : undefined) });
    await sender.sendDue(parent.id);
    assert.ok(await isPending());
    await reported();
    assert.equal(requests.length, 4);
    const [[id, decision] = []] = decisions as [string, FailedDelivery][];
    assert.equal(decisions.length, 1);
    assert.deepEqual(shown, [`${parent.id} blueprint_unusable`]);
    assert.equal(id, parent.id);
    assert.equal(decision?.type, 'callback_undelivered');
    assert.deepEqual([decision.reason, decision.child_session_ids], ['blueprint_unusable', [child.id]]);
    assert.deepEqual(
      notices.map(({ severity, failure }) => [severity, failure.code, failure.message]),
      [
        [
          'warning',
          'blueprint_unusable',
          'Could not report the results of child sessions to this session: The agent "lead" is inactive.',
        ],
      ],
    );
  });

  it('is given up after a few times, until the end of another run of its own', async () => {
    let broken = true;
    const sender = await senderOf({ fails: () => (broken ? failures.internal('x') : undefined) });
    await sender.sendDue(parent.id);
    await until('all attempts', () => requests.length === 4);
    await sender.sendDue(parent.id);
    assert.equal(requests.length, 4);
    broken = false;
    const again = await engine.resume(parent.id, { prompt: says('on') });
    await waitForResult(again);
    again.dispose();
    await sender.sendDue(parent.id);
    await reported();
    assert.deepEqual([requests.length, decisions.length], [5, 1]);
  });

  for (const [code, failure] of [
    ['child_refused', failures.childRefused({ template: 'changed', values: [] })],
    ['session_busy', failures.sessionBusy('ses_000000000000')],
  ] as const) {
    it(`reports ${code} ${code === 'session_busy' ? 'never' : 'at once'}, and is not retried for it`, async () => {
      const sender = await senderOf({ fails: () => failure, retryMs: minutes });
      await sender.sendDue(parent.id);
      await sender.sendDue(parent.id);
      assert.ok(await waits());
      const reasons = (decisions as [string, FailedDelivery][]).map(([, { reason }]) => reason);
      assert.deepEqual(reasons, code === 'session_busy' ? [] : [code]);
    });
  }

  it('is not retried because the failed run has ended', async () => {
    const afterRun = async (sender: CallbackSender): Promise<EngineFailure> => {
      const run = await engine.resume(parent.id, { prompt: says('began') });
      await waitForResult(run);
      run.dispose();
      void sender.sendDue(parent.id);
      return failures.internal('it did not begin');
    };
    const sender = await senderOf({ fails: (_, own) => afterRun(own), retryMs: minutes });
    await sender.sendDue(parent.id);
    await sender.sendDue(parent.id);
    assert.deepEqual([requests.length, parent.summary().runs], [1, 2]);
    assert.ok(await waits());
  });

  it("gets the results when the child's record is readable again", async () => {
    const sender = await senderOf();
    const { id } = child;
    const file = engine.recordPath(id);
    child.dispose();
    renameSync(file, `${file}.away`);
    mkdirSync(file);
    await sender.sendDue(parent.id);
    assert.ok(await waits(), 'it is not deleted');
    rmSync(file, { recursive: true });
    renameSync(`${file}.away`, file);
    await reported();
    assert.equal(requests.length, 1);
  });

  it('resumes what a person chose for the session, over what is set', async () => {
    const chosen: CallbackSenderDeps['chosen'] = ({ session_id: id }, { options, ...request }) => ({
      ...request,
      options: { ...options, permissionMode: `of ${id}` },
      origin: 'human',
    });
    await (await senderOf({ chosen })).sendDue(parent.id);
    assert.deepEqual(requests[0]?.options, { model: 'set', permissionMode: `of ${parent.id}` });
    assert.equal(requests[0].origin, 'callback');
  });

  it('is not woken by a file that someone else wrote', async () => {
    const other = await engine.start({ agent: 'claude-code', cwd: bench.cwd, prompt: says('FORGED') });
    await waitForResult(other);
    const sender = await senderOf();
    await sender.sendDue(parent.id);
    writeFileSync(
      path.join(bench.store, 'callbacks', other.id),
      JSON.stringify({ parent: parent.id, child: other.id }),
    );
    await sender.sendDue(parent.id);
    await reported();
    assert.equal(requests.length, 1);
  });
});

describe('callbacks of agents from files', () => {
  let bench: Bench;
  let leads: Leads;
  let engine: Engine;
  let note: string;
  let go: string;
  beforeEach(async () => {
    bench = new Bench();
    leads = new Leads(bench);
    engine = await leads.engine();
    leads.write('lead', 'limits: { max_children: 5, max_depth: 3 }\n');
    leads.write('middle', 'limits: { max_children: 5, max_depth: 3 }\n');
    leads.write('helper', 'description: Helps\n');
    note = path.join(bench.dir, 'given.json');
    go = path.join(bench.dir, 'go');
  });
  afterEach(() => bench.close());

  const named = async (name: string) => (await engine.list()).filter(({ agent_name }) => agent_name === name);
  const start = (agent_name: string, words: string) => ({
    agent_name,
    prompt: words,
    execution_mode: 'async_callback',
  });

  it('leave a session stopped that a person stopped, and arrive with its next run', async () => {
    const lead = await leads.start(engine, 'lead', [{ given: note }, { forever: true }]);
    const call = await leads.tools(note);
    await call('start_session', start('helper', says('helped')));
    await until('its end', async () => (await named('helper')).every(({ status }) => status === 'finished'));
    await stopSessionTree(engine, lead.id);
    await engine.children?.recover(() => true);
    assert.deepEqual([lead.summary().runs, lead.summary().outcome], [1, 'stopped']);
    assert.equal(leads.callbacks().length, 1);
    const on = await engine.resume(lead.id, { prompt: says('on') });
    await waitForResult(on);
    await until('the callback', async () => (await readEntries(lead)).some(({ origin }) => origin === 'callback'));
    await until('all callbacks to be sent', () => leads.callbacks().length === 0);
  });

  it('reach a session whose window was closed while it was running, from the next one on', async () => {
    const lead = await leads.start(engine, 'lead', [{ given: note }, { forever: true }]);
    const call = await leads.tools(note);
    await call('start_session', start('helper', says('helped')));
    await until('its end', async () => (await named('helper')).every(({ status }) => status === 'finished'));
    await call('start_session', start('middle', prompt([{ init: true }, { forever: true }])));
    await engine.dispose();
    assert.deepEqual([lead.summary().runs, lead.summary().outcome], [1, 'stopped']);
    assert.equal(leads.callbacks().length, 2);
    engine = await leads.engine();
    await engine.sweep();
    await engine.children?.recover(() => true);
    await until('all callbacks to be sent', () => leads.callbacks().length === 0);
    const reported = (await readEntries(await engine.open(lead.id))).filter(({ origin }) => origin === 'callback');
    assert.equal(reported.length, 1);
    for (const part of ['"result": "helped"', '"outcome": "stopped"'])
      assert.ok(reported[0]?.content.includes(part), part);
  });

  it('leave a session stopped that a person stopped after its window had been closed once', async () => {
    const lead = await leads.start(engine, 'lead', [{ given: note }, { forever: true }]);
    const call = await leads.tools(note);
    await call('start_session', start('helper', says('helped')));
    await until('its end', async () => (await named('helper')).every(({ status }) => status === 'finished'));
    await engine.dispose();
    engine = await leads.engine();
    await engine.sweep();
    const on = await engine.resume(lead.id, { prompt: prompt([{ init: true }, { forever: true }]) });
    await engine.stop(lead.id);
    await engine.children?.recover(() => true);
    assert.deepEqual([on.summary().runs, on.summary().outcome, leads.callbacks().length], [2, 'stopped', 1]);
  });

  it("report a child once it has its own children's results", async () => {
    const helper = prompt([{ init: true }, { until: go }, { result: { text: 'the real result' } }]);
    const middle = prompt([
      { init: true },
      { mcp: { tool: 'start_session', args: start('helper', helper) } },
      { result: { text: 'interim' } },
    ]);
    const lead = await leads.start(engine, 'lead', [{ mcp: { tool: 'start_session', args: start('middle', middle) } }]);
    await waitForResult(lead);
    await until('what waits', async () => {
      const [found] = await named('middle');
      return leads.callbacks().length === 2 && found?.status === 'finished';
    });
    writeFileSync(go, '');
    const reported = () => readEntries(lead).then((all) => all.filter(({ origin }) => origin === 'callback'));
    await until('the callback', async () => (await reported()).length > 0);
    await until('all callbacks to be sent', () => leads.callbacks().length === 0);
    const [only, ...others] = await reported();
    assert.equal(others.length, 0);
    assert.match(only?.content ?? '', /heard A session that you started has ended[^]*the real result/);
    assert.equal((await named('middle'))[0]?.runs, 2);
  });

  it("that cannot be delivered are noted in the parent's record", async () => {
    const lead = await leads.start(engine, 'lead', [{ given: note }, { until: go }]);
    const notices: string[] = [];
    lead.onNotice(({ failure }) => notices.push(failure.message));
    const call = await leads.tools(note);
    await call('start_session', start('helper', says('helped')));
    await until('its end', async () => (await named('helper')).every(({ status }) => status === 'finished'));
    leads.write('lead', 'status: inactive\n');
    writeFileSync(go, '');
    await waitForResult(lead);
    await until('the note', () => readFileSync(engine.recordPath(lead.id), 'utf8').includes('callback_undelivered'));
    assert.match(notices.join('\n'), /^Could not report the results of child sessions to this session/m);
    assert.equal(leads.callbacks().length, 1);
  });
});
