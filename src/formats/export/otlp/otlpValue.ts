/** A value in OTLP JSON, where 64-bit integers are strings. */
export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: internal, 3: client. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  /** 1: ok, 2: error. */
  readonly status: { readonly code?: 1 | 2; readonly message?: string };
}

/** Omits unknown values. */
export function attributes(
  values: Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>,
): OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const shown = value === null || value === undefined ? null : valueOf(value);
    return shown === null ? [] : [{ key, value: shown }];
  });
}

function valueOf(value: string | number | boolean | readonly string[]): OtlpValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Nanoseconds since 1970 in OTLP's format; `0` (unknown) for an invalid time. */
function nanoseconds(at: number): string {
  return Number.isNaN(at) || at <= 0 ? '0' : `${at}000000`;
}

/** Converts start and end from ISO 8601; if the clock was set back, the duration is 0. */
export function period(
  from: string,
  to: string | undefined,
): { readonly startTimeUnixNano: string; readonly endTimeUnixNano: string } {
  const start = Date.parse(from);
  const end = Math.max(start, Date.parse(to ?? from) || start);
  return { startTimeUnixNano: nanoseconds(start), endTimeUnixNano: nanoseconds(end) };
}
