import type { Context } from 'mocha';

/** Skips the running test and prints why, so that it is not mistaken for a pass. */
export function skip(context: Context, reason: string): never {
  console.warn(`SKIPPED: ${context.test?.fullTitle() ?? 'a suite'}: ${reason}`);
  return context.skip();
}
