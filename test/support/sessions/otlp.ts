import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as z from 'zod';

/** Message types that protobuf's compiler made of OpenTelemetry's own definitions. */
const requestType = z
  .object({
    opentelemetry: z.object({
      proto: z.object({
        collector: z.object({
          trace: z.object({
            v1: z.object({
              ExportTraceServiceRequest: z.custom<{
                verify(value: unknown): string | null;
                fromObject(value: unknown): object;
                toObject(value: object, options: object): unknown;
              }>((value) => typeof value === 'function'),
            }),
          }),
        }),
      }),
    }),
  })
  .parse(createRequire(import.meta.url)('@opentelemetry/otlp-transformer/build/src/generated/root.js')).opentelemetry
  .proto.collector.trace.v1.ExportTraceServiceRequest;

/** Ids are hexadecimal in OTLP JSON, and base64 in what protobuf makes of JSON. */
function base64Ids(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(base64Ids);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => [
      key,
      /^(?:trace|span|parentSpan)Id$/.test(key) ? Buffer.from(String(each), 'hex').toString('base64') : base64Ids(each),
    ]),
  );
}

/** It is a request for traces, by OTLP's own message types, which leave nothing of it over. */
export function assertOtlp(json: unknown): void {
  const request = base64Ids(json);
  const message = requestType.fromObject(request);
  assert.equal(requestType.verify(message), null);
  assert.deepEqual(requestType.toObject(message, { longs: String, bytes: String }), request);
}
