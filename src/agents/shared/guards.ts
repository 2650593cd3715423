import { isObject, type JsonObject } from '../../model/text/json.ts';

/** Read single fields of foreign JSON; a field of another type counts as absent. */

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const openingBrace = 123;

/** Only whitespace. A fast check, because nearly every line is JSON. */
export function isBlank(line: string): boolean {
  return line.charCodeAt(0) !== openingBrace && line.trim() === '';
}

/** A non-empty text. */
export function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An id: a text, or a number instead. */
export function idOf(value: unknown): string | undefined {
  return nonEmpty(value) ?? (typeof value === 'number' ? count(value)?.toString() : undefined);
}

/** A whole number from 0: a count, an index, a line number. */
export function count(value: unknown): number | undefined {
  const number = parseAmount(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** A finite number from 0, which may be printed as a text: an amount, a duration. */
export function parseAmount(value: unknown): number | undefined {
  const number = typeof value === 'string' && decimal.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

const decimal = /^\d{1,15}(?:\.\d{1,30})?$/;

/** A boolean, or its text. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
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

/** A field of `value`, if that is an object. */
export function field(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}
