import type { SessionNote, StoreFormat, StorePart, StoreRecord } from '../../../src/agents/stores/storeFormat.ts';

/** Made-up records of one session, based on what is known of the format. */
export interface Sample {
  readonly format: StoreFormat;
  readonly session: string;
  readonly records: readonly StoreRecord[];
  readonly notes?: ReadonlyMap<string, SessionNote>;
}

export const id = 'a1b2c3d4-0000-4000-8000-000000000001';
export const at = (second: number) => `2026-03-01T10:00:${String(second).padStart(2, '0')}.000Z`;
export const ms = (second: number) => Date.UTC(2026, 2, 1, 10, 0, second);

export function lines(part: StorePart, path: string, values: readonly unknown[]): StoreRecord[] {
  return values.map((value) => ({ kind: 'line', part, path, text: JSON.stringify(value) }));
}

export function document(part: StorePart, path: string, value: unknown): StoreRecord {
  return { kind: 'document', part, path, text: JSON.stringify(value) };
}

export const main: StorePart = { role: 'main', session: id };
