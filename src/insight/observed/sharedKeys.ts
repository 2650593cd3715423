import type { CountedUsage, StoreFacts } from '../../model/session/observed.ts';

/**
 * Finds the sessions that have requests, prompts or calls in common, which have to be counted together. Holds 8 bytes
 * per key. If two keys have the same hash, sessions are counted together although they have nothing in common.
 */
export class SharedKeys {
  /** Sorted hashes by session. */
  #keys = new Map<string, Float64Array>();
  readonly #peers = new Map<string, Set<string>>();

  /** Replaces all sessions. */
  reset(sessions: ReadonlyMap<string, Float64Array>): void {
    this.#keys = new Map(sessions);
    this.#peers.clear();
    const owners = new Map<number, string>([...findRepeatedKeys(sessions)].map((key) => [key, '']));
    if (owners.size === 0) return;
    for (const [id, keys] of sessions) {
      for (const key of keys) {
        const owner = owners.get(key);
        if (owner === '') owners.set(key, id);
        else if (owner !== undefined) this.#linkSessions(owner, id);
      }
    }
  }

  /** Adds or changes a session. Returns it and all sessions whose counts may be different now. */
  set(id: string, keys: Float64Array): Set<string> {
    const before = this.#keys.get(id);
    // The same request can have got more tokens.
    if (before !== undefined && isSame(before, keys)) return new Set(this.group(id));
    const isGrown = before?.every((key) => includesKey(keys, key)) === true;
    const affected = isGrown ? new Set([id]) : this.delete(id);
    const added = isGrown ? keys.filter((key) => !includesKey(before, key)) : keys;
    for (const [other, theirs] of this.#keys) {
      if (other !== id && added.some((key) => includesKey(theirs, key))) this.#linkSessions(id, other);
    }
    this.#keys.set(id, keys);
    for (const member of this.group(id)) affected.add(member);
    return affected;
  }

  /** Returns it and all sessions whose counts may be different now. */
  delete(id: string): Set<string> {
    const affected = new Set(this.group(id));
    for (const peer of this.#peers.get(id) ?? []) this.#peers.get(peer)?.delete(id);
    this.#peers.delete(id);
    this.#keys.delete(id);
    // Others may have been linked through it only. Linking too many is safe, and `reset` links only what it has to.
    const [first, ...others] = [...affected].filter((session) => session !== id);
    if (first !== undefined) for (const other of others) this.#linkSessions(first, other);
    return affected;
  }

  /** The session and all sessions that share a key with it, directly or through others. */
  group(id: string): string[] {
    const found = new Set([id]);
    for (const member of found) for (const peer of this.#peers.get(member) ?? []) found.add(peer);
    return [...found];
  }

  #linkSessions(one: string, other: string): void {
    if (one === other) return;
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const peers = this.#peers.get(from) ?? new Set();
      this.#peers.set(from, peers.add(to));
    }
  }
}

/** Sorted hashes of what a session has, and of the sessions that its records name as owners or parent. */
export function keysOf(agent: string, { nativeIds, parent, requests, prompts, toolCalls }: StoreFacts): Float64Array {
  const named = parent === null ? nativeIds : [...nativeIds, parent.id];
  const hashes = new Set(named.map((id) => hashOf(`${agent} session ${id}`)));
  const add = (kind: string, counted: readonly CountedUsage[]): void => {
    for (const { key, owner } of counted) {
      hashes.add(hashOf(`${agent} ${kind} ${key}`));
      if (owner !== undefined) hashes.add(hashOf(`${agent} session ${owner}`));
    }
  };
  add('request', requests);
  add('prompt', prompts);
  add('call', toolCalls);
  return Float64Array.from(hashes).sort();
}

/** Keys of more than one session. */
function findRepeatedKeys(sessions: ReadonlyMap<string, Float64Array>): Set<number> {
  const all = new Float64Array([...sessions.values()].reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const keys of sessions.values()) {
    all.set(keys, at);
    at += keys.length;
  }
  all.sort();
  const found = new Set<number>();
  for (let place = 1; place < all.length; place += 1) {
    const key = all[place];
    if (key !== undefined && key === all[place - 1]) found.add(key);
  }
  return found;
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((key, at) => key === b[at]);
}

/** Binary search. */
function includesKey(keys: Float64Array, wanted: number): boolean {
  let [low, high] = [0, keys.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const key = keys[middle] ?? Number.NaN;
    if (key === wanted) return true;
    if (key < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

const prime = 0x0100_0193;

/** 53 bits of two FNV-1a hashes. */
function hashOf(text: string): number {
  let [first, second] = [0x811c_9dc5, 0x1b87_3593];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    first = Math.imul(first ^ code, prime);
    second = Math.imul(second ^ code, 0x85eb_ca6b) ^ (second >>> 15);
  }
  return (first >>> 0) * 2 ** 21 + (second >>> 11);
}
