import { isObject, type JsonObject } from '../../model/text/json.ts';
import { list } from '../shared/guards.ts';

const kinds = { initial: 0, set: 1, push: 2, remove: 3 } as const;

/** The object that results from a log of changes. Changes to missing parts are ignored. */
export class ChangeLog {
  #state: JsonObject | undefined;

  get state(): JsonObject | undefined {
    return this.#state;
  }

  /** `false`: not a change, or one to something that does not exist. */
  apply(change: JsonObject): boolean {
    const { kind, k: path, v: value, i: length } = change;
    if (kind === kinds.initial) {
      this.#state = isObject(value) ? value : undefined;
      return isObject(value);
    }
    const keys = list(path);
    const key = keys.at(-1);
    const owner = this.#findContainer(keys.slice(0, -1));
    if (owner === undefined || !isKey(key)) return false;
    if (kind === kinds.set) return setValue(owner, key, value);
    if (kind === kinds.remove) return setValue(owner, key, undefined);
    if (kind !== kinds.push) return false;
    const before = list(at(owner, key));
    const saved = typeof length === 'number' ? before.slice(0, Math.max(0, length)) : before;
    return setValue(owner, key, [...saved, ...list(value)]);
  }

  replace(state: JsonObject): void {
    this.#state = state;
  }

  #findContainer(path: readonly unknown[]): Container | undefined {
    let current: unknown = this.#state;
    for (const key of path) {
      if (!isContainer(current) || !isKey(key)) return undefined;
      current = at(current, key);
    }
    return isContainer(current) ? current : undefined;
  }
}

type Container = Record<string, unknown> | unknown[];
type Key = string | number;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Names on the prototype of all objects are not valid keys. */
function isKey(key: unknown): key is Key {
  if (typeof key === 'number') return Number.isSafeInteger(key) && key >= 0;
  return typeof key === 'string' && key !== '__proto__' && key !== 'constructor' && key !== 'prototype';
}

function at(owner: Container, key: Key): unknown {
  if (Array.isArray(owner)) return typeof key === 'number' ? owner[key] : undefined;
  return Object.hasOwn(owner, key) ? owner[key] : undefined;
}

function setValue(owner: Container, key: Key, value: unknown): boolean {
  if (!Array.isArray(owner))
    Object.defineProperty(owner, key, { value, configurable: true, enumerable: true, writable: true });
  else if (typeof key === 'number' && key <= owner.length) owner[key] = value;
  else return false;
  return true;
}
