import fc from 'fast-check';

const factor = Number(process.env['VITRINE_FUZZ'] ?? 1);
const given = process.env['VITRINE_SEED'];
/** Where every property begins, unless a run says otherwise. */
const usualSeed = 20_261_122;

/** How often a property is tried: `count`, or as many times more as `VITRINE_FUZZ` says. */
export const fuzzRuns = (count: number): number => count * factor;

/** How a property over damaged input is tried: as often as `fuzzRuns` says. */
export const fuzz = (count: number): { numRuns: number } => ({ numRuns: fuzzRuns(count) });

/**
 * Makes all properties of this process begin where `VITRINE_SEED` says, else always in the same place: what fails then
 * fails for the change that made it fail. A run at more than its usual size looks elsewhere each time.
 */
export function seedProperties(): void {
  if (given !== undefined) fc.configureGlobal({ seed: Number(given) });
  else if (factor <= 1) fc.configureGlobal({ seed: usualSeed });
}

/** Tells how much a run at full size came to; the daily ones say nothing. */
export function printFuzzTotals(what: string): void {
  if (factor > 1) console.log(`      ${what}`);
}
