import assert from 'node:assert/strict';
import { calls, coreCalls } from '../../../../src/protocol/daemon/calls.ts';

const session_id = 'ses_0123456789ab';

/** What clients of protocol version 1 send. Never change one: clients of every version send these to every daemon. */
const sentByVersion1: Readonly<Record<(typeof coreCalls)[number], readonly unknown[]>> = {
  hello: [{ protocol: 1, build: '0.1.0', client: { kind: 'terminal', person: true } }],
  status: [{}],
  retire: [{ when: 'idle' }, { when: 'now' }],
  running: [{}],
  answer: [
    { session_id, request_id: 'req', answer: { kind: 'allow', scope: 'once' } },
    { session_id, request_id: 'req', answer: { kind: 'deny', reason: 'No.' } },
  ],
  say: [{ session_id, text: 'Continue.', how: 'queue' }],
  stop: [{ session_id, kill: false }],
  transcript: [{ session_id, from: 0, wait_ms: 1000, waiting: ['req'] }],
};

describe('the calls that every version of the daemon understands', function () {
  for (const name of coreCalls) {
    it(name, () => {
      for (const params of sentByVersion1[name]) assert.ok(calls[name].params.safeParse(params).success);
      assert.equal(calls[name].params.safeParse(null).success, false);
    });
  }
});
