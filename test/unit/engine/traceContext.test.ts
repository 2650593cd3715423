import assert from 'node:assert/strict';
import { withTraceContext } from '../../../src/engine/traceContext.ts';

const session = 'ses_0123456789ab';
const run = 'run_0123456789ab';

describe('what OpenTelemetry reads of an agent’s environment', () => {
  it('names the run as the parent, in the form of W3C Trace Context, and always the same', () => {
    const { TRACEPARENT: parent } = withTraceContext({ HOME: '/home' }, session, run);
    assert.match(parent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    assert.equal(withTraceContext({}, session, run)['TRACEPARENT'], parent);
    const other = withTraceContext({}, session, 'run_000000000000')['TRACEPARENT'];
    assert.equal(other?.slice(0, 35), parent?.slice(0, 35), 'one trace per session');
    assert.notEqual(other, parent);
  });

  it('adds to existing attributes, and keeps values that are set', () => {
    const env = withTraceContext({ TRACEPARENT: 'mine', OTEL_RESOURCE_ATTRIBUTES: 'team=tea' }, session, run);
    assert.equal(env['TRACEPARENT'], 'mine');
    assert.equal(
      env['OTEL_RESOURCE_ATTRIBUTES'],
      'team=tea,vitrine.session.id=ses_0123456789ab,vitrine.run.id=run_0123456789ab',
    );
  });
});
