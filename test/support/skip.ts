import type { Context } from 'mocha';

/** Skips the running test, and says loudly why: a silent skip reads as a pass. */
export function skip(context: Context, reason: string): never {
  console.warn(`SKIPPED: ${context.test?.fullTitle() ?? 'a suite'}: ${reason}`);
  return context.skip();
}
