const factor = Number(process.env['VITRINE_FUZZ'] ?? 1);
const seed = process.env['VITRINE_SEED'];

/** How often a property is tried: `count`, or as many times more as `VITRINE_FUZZ` says. */
export const fuzzRuns = (count: number): number => count * factor;

/** How a property is tried: as often as `fuzzRuns` says, from `VITRINE_SEED` if it is set. */
export const fuzz = (count: number): { numRuns: number; seed?: number } => ({
  numRuns: fuzzRuns(count),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});

/** Tells how much a run at full size came to; the daily ones say nothing. */
export function tellFuzz(what: string): void {
  if (factor > 1) console.log(`      ${what}`);
}
