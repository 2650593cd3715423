import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { OpenCalls } from '../../../../src/agents/acp/tools/openCalls.ts';
import {
  outcomeOf,
  permissionOptions,
  permissionRequest,
  type PermissionOutcome,
} from '../../../../src/agents/acp/tools/permission.ts';
import { field, nonEmpty } from '../../../../src/agents/shared/guards.ts';
import { isObject, type JsonObject } from '../../../../src/model/text/json.ts';
import type { Answer, Decision } from '../../../../src/model/agent/request.ts';

const fixtures = path.resolve('test/fixtures/acp');
const workDir = '/workspace';

/** Every permission that an agent of the captures asked for, after all that it told before. */
function* asked() {
  for (const agent of readdirSync(fixtures)) {
    for (const file of readdirSync(path.join(fixtures, agent)).filter((name) => name.endsWith('.jsonl'))) {
      const calls = new OpenCalls();
      for (const line of readFileSync(path.join(fixtures, agent, file), 'utf8').split('\n')) {
        const message: unknown = line === '' ? undefined : JSON.parse(line);
        const params = field(message, 'params');
        if (field(message, 'method') === 'session/update') calls.update(field(params, 'update'));
        // Version 2 asks in another way.
        const call = field(params, 'toolCall');
        if (field(message, 'method') !== 'session/request_permission' || !isObject(params) || !isObject(call)) continue;
        yield { agent, file, params, ...request(calls, params, call) };
      }
    }
  }
}

function request(calls: OpenCalls, params: JsonObject, call: JsonObject) {
  const callId = nonEmpty(call['toolCallId']);
  const options = permissionOptions(params);
  return {
    options,
    request: permissionRequest({ callId, fields: calls.permissionCall(callId, call), options, workDir }),
  };
}

const decision = (answer: Answer, by: Decision['by'] = 'user'): Decision => ({ by, at: '', answer });
const once: Answer = { kind: 'allow', scope: 'once' };
const session: Answer = { kind: 'allow', scope: 'session' };

describe('a permission in the Agent Client Protocol', () => {
  it('of every agent includes the whole command or change', () => {
    let count = 0;
    for (const { agent, file, request: expectedRequest } of asked()) {
      count += 1;
      const where = `${agent} ${file} ${expectedRequest.title}`;
      assert.notEqual(expectedRequest.title, '', where);
      assert.ok(!expectedRequest.title.includes('\n'), where);
      assert.ok(expectedRequest.callId !== undefined && expectedRequest.cwd !== undefined, where);
      assert.equal(expectedRequest.reasonUnheard, true, where);
      const { action } = expectedRequest;
      if (action?.kind === 'command_run') assert.notEqual(action.command, '', where);
      else if (action?.kind === 'file_edit') assert.ok(action.changes.length > 0, where);
      else if (expectedRequest.kind === 'plan') assert.equal(expectedRequest.plan, '1. Read\n2. Edit', where);
      else assert.ok(action !== undefined, where);
    }
    assert.ok(count > 20, String(count));
  });

  it('of every agent is answered by the kind of option, not by its name', () => {
    const ids = new Set<string>();
    for (const { options } of asked()) {
      const answered = (answer: Answer): PermissionOutcome => outcomeOf(decision(answer), options).outcome;
      const no: PermissionOutcome = answered({ kind: 'deny' });
      const kindOf = (outcome: PermissionOutcome): string | undefined =>
        options.find(({ optionId }) => outcome.outcome === 'selected' && optionId === outcome.optionId)?.kind;
      assert.equal(kindOf(answered(once)), 'allow_once');
      assert.equal(
        kindOf(answered(session)),
        options.some(({ kind }) => kind === 'allow_always') ? 'allow_always' : 'allow_once',
      );
      assert.equal(kindOf(no), 'reject_once');
      if (no.outcome === 'selected') ids.add(no.optionId);
    }
    assert.deepEqual([...ids].sort(), ['cancel', 'plan', 'reject', 'reject_once']);
  });

  it('is never extended beyond what was granted, nor denied permanently', () => {
    const of = (...kinds: string[]) => kinds.map((kind) => ({ optionId: kind, name: kind, kind }));
    const good = outcomeOf(decision(once), of('allow_always', 'reject_once'));
    assert.deepEqual(good.outcome, { outcome: 'selected', optionId: 'reject_once' });
    assert.match(good.lost ?? '', /only permanently/);
    assert.deepEqual(outcomeOf(decision({ kind: 'deny' }), of('allow_once', 'reject_always')).outcome, {
      outcome: 'cancelled',
    });
    assert.deepEqual(outcomeOf(decision(once), []).outcome, { outcome: 'cancelled' });
    assert.deepEqual(outcomeOf(decision({ kind: 'answer', answers: [] }), of('allow_once')).outcome, {
      outcome: 'cancelled',
    });
    for (const by of ['withdrawn', 'run_over'] as const) {
      assert.deepEqual(outcomeOf(decision({ kind: 'deny' }, by), of('reject_once')).outcome, { outcome: 'cancelled' });
    }
    assert.match(outcomeOf(decision({ kind: 'deny', reason: 'No.' }), of('reject_once')).lost ?? '', /not why/);
  });
});
