import { setTimeout as delay } from 'node:timers/promises';

/** Polls for a condition without an event, such as a file of another process; returns what was found. */
export async function until<T>(
  what: string,
  test: () => T | Promise<T>,
  patience = 120_000,
): Promise<Exclude<T, false | undefined>> {
  const end = performance.now() + patience;
  for (;;) {
    const found = await test();
    if (isFound(found)) return found;
    if (performance.now() > end) throw new Error(`waited ${patience} ms in vain for ${what}`);
    await delay(20);
  }
}

function isFound<T>(value: T): value is Exclude<T, false | undefined> {
  return value !== false && value !== undefined;
}
