import { setTimeout as delay } from 'node:timers/promises';

/** Waits for something that tells nobody when it happens, such as a file of another process. */
export async function until(what: string, test: () => boolean | Promise<boolean>, patience = 15_000): Promise<void> {
  const end = performance.now() + patience;
  while (!(await test())) {
    if (performance.now() > end) throw new Error(`waited ${patience} ms in vain for ${what}`);
    await delay(20);
  }
}
