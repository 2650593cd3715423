import { isObject } from '../../model/text/json.ts';

const maxDepth = 200;

/** Whether a value can be serialized as JSON: deeper nesting overflows the stack of most programs. */
export function isShallow(value: unknown, depth = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isShallow(item, depth - 1)) return false;
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) if (!isShallow(value[key], depth - 1)) return false;
  }
  return true;
}

export const tooDeep = `(nested deeper than ${maxDepth} levels: see the raw output)`;

/** `value`, or a note if it is nested too deeply. */
export function limitDepth(value: unknown): unknown {
  return isShallow(value) ? value : tooDeep;
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
