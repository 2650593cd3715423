import { originSchema, type NormalizedEntry, type Origin } from '../model/transcript/entry.ts';
import { isObject } from '../model/text/json.ts';
import { syntheticSchema } from '../model/transcript/metadata.ts';

/** Author of a message in other formats: names and values as in an entry. Unknown values are omitted. */
export interface WrittenBy {
  readonly origin?: Origin;
  readonly synthetic?: boolean;
  readonly trigger_type?: string;
  readonly trigger_reason?: string;
}

/** Empty for the user's message. */
export function writtenBy({ origin, metadata }: Pick<NormalizedEntry, 'origin' | 'metadata'>): WrittenBy {
  const { synthetic, trigger_type, trigger_reason } = metadata ?? {};
  return {
    ...(origin !== undefined && origin !== 'human' && { origin }),
    ...(synthetic !== undefined && { synthetic }),
    ...(trigger_type !== undefined && { trigger_type }),
    ...(trigger_reason !== undefined && { trigger_reason }),
  };
}

/** Reads it from another format. A mark of a wrong type (such as `"true"`) counts as missing. */
export function readWrittenBy(
  mark: unknown,
): Pick<NormalizedEntry, 'origin' | 'metadata'> & { readonly mistyped: readonly string[] } {
  if (!isObject(mark)) return { origin: 'human', mistyped: mark === undefined || mark === null ? [] : ['vitrine'] };
  const mistyped: string[] = [];
  const metadata = new Map<string, unknown>();
  for (const [name, schema] of Object.entries(syntheticSchema.shape)) {
    const value = mark[name];
    if (value === undefined) continue;
    if (schema.safeParse(value).success) metadata.set(name, value);
    else mistyped.push(name);
  }
  const origin = originSchema.safeParse(mark['origin'] ?? 'human');
  if (!origin.success) mistyped.push('origin');
  return {
    origin: origin.data ?? 'human',
    ...(metadata.size > 0 && { metadata: syntheticSchema.parse(Object.fromEntries(metadata)) }),
    mistyped,
  };
}
