import { createHash } from 'node:crypto';
import { TraceIds } from '../formats/export/otlp/traceIds.ts';

type Variables = Readonly<Record<string, string>>;

/**
 * Adds variables for OpenTelemetry, so that spans of the agent become children of the run's span. Existing values stay.
 */
export function withTraceContext(env: Variables, sessionId: string, runId: string): Variables {
  const ids = new TraceIds(sessionId, (text) => createHash('sha256').update(text).digest('hex'));
  const existing = env['OTEL_RESOURCE_ATTRIBUTES'] ?? '';
  const own = `vitrine.session.id=${sessionId},vitrine.run.id=${runId}`;
  return {
    TRACEPARENT: ids.parentOf(runId),
    ...env,
    OTEL_RESOURCE_ATTRIBUTES: existing === '' ? own : `${existing},${own}`,
  };
}
