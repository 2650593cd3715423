import { isObject, type JsonObject } from '../../model/text/json.ts';

/**
 * How one JSON value becomes another: the new value; appended text; fields by key, `null` for removed ones; items by position
 * and their number.
 */
type Step =
  | { readonly is: unknown }
  | { readonly more: string }
  | { readonly fields: readonly (readonly [key: string, step: Step | null])[] }
  | { readonly items: readonly (readonly [at: number, step: Step])[]; readonly length: number };

declare const of: unique symbol;

/** A change that applies only to one particular value of type `T`. */
export type Change<T> = Step & { readonly [of]?: T };

/** The change from `before` to `after`; `undefined` if they are equal. A field that is `undefined` counts as absent. */
export function changeOf<T>(before: T, after: T): Change<T> | undefined {
  return step(before, after);
}

/** Applies a change of `changeOf`. Parts that did not change are those of `before`. */
export function applyChange<T>(before: T, change: Change<T>): T;
export function applyChange(before: unknown, change: Step): unknown {
  return applyStep(before, change);
}

function step(before: unknown, after: unknown): Step | undefined {
  if (before === after) return undefined;
  if (typeof before === 'string' && typeof after === 'string' && before !== '' && after.startsWith(before)) {
    return { more: after.slice(before.length) };
  }
  if (Array.isArray(before) && Array.isArray(after)) return itemsStep(before, after);
  if (isObject(before) && isObject(after)) return fieldsStep(before, after);
  return { is: after };
}

function itemsStep(before: readonly unknown[], after: readonly unknown[]): Step | undefined {
  const items = after.flatMap((item, at): [number, Step][] => {
    const difference = at < before.length ? step(before[at], item) : { is: item ?? null };
    return difference === undefined ? [] : [[at, difference]];
  });
  return items.length === 0 && before.length === after.length ? undefined : { items, length: after.length };
}

function fieldsStep(before: JsonObject, after: JsonObject): Step | undefined {
  const fields: [string, Step | null][] = [];
  const fieldsBefore = new Map(presentFields(before));
  for (const [key, value] of presentFields(after)) {
    const difference = fieldsBefore.has(key) ? step(fieldsBefore.get(key), value) : { is: value };
    fieldsBefore.delete(key);
    if (difference !== undefined) fields.push([key, difference]);
  }
  for (const key of fieldsBefore.keys()) fields.push([key, null]);
  return fields.length === 0 ? undefined : { fields };
}

function presentFields(fields: JsonObject): [string, unknown][] {
  return Object.entries(fields).filter(([, value]) => value !== undefined);
}

function applyStep(before: unknown, change: Step): unknown {
  if ('is' in change) return change.is;
  if ('more' in change) return `${typeof before === 'string' ? before : ''}${change.more}`;
  if ('items' in change) {
    const items: unknown[] = (Array.isArray(before) ? before : []).slice(0, change.length);
    for (const [at, itemChange] of change.items) items[at] = applyStep(items[at], itemChange);
    return items;
  }
  // Keys are data: the map has no prototype.
  const fields = new Map(isObject(before) ? presentFields(before) : []);
  for (const [key, fieldChange] of change.fields) {
    if (fieldChange === null) fields.delete(key);
    else fields.set(key, applyStep(fields.get(key), fieldChange));
  }
  return Object.fromEntries(fields);
}
