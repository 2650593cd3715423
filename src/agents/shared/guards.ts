import { isObject, type JsonObject } from '../../model/json.ts';

/** Readers of single fields of foreign JSON: what is of another type is not there. */

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A text that says something, or nothing. */
export function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A whole number from 0: a count, an index, a line number. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A finite number from 0: an amount, a duration. */
export function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objects(value: unknown): JsonObject[] {
  return list(value).filter(isObject);
}

export function texts(value: unknown): string[] {
  return list(value).filter((item) => typeof item === 'string');
}

/** A field of `value`, where that is an object at all. */
export function field(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}
