import fc from 'fast-check';

const factor = Number(process.env['VITRINE_FUZZ'] ?? 1);
const seed = process.env['VITRINE_SEED'];
/** Default seed of all properties. */
const usualSeed = 20_261_122;

/** Whether this run is larger than usual (docs/development/testing.md). */
export const isFullSize = factor > 1;

/** Number of attempts for a property: `count`, multiplied by `VITRINE_FUZZ`. */
export const fuzzRuns = (count: number): number => count * factor;

/** Options for a property with damaged input; see `fuzzRuns`. */
export const fuzzOptions = (count: number): { numRuns: number } => ({ numRuns: fuzzRuns(count) });

/**
 * Sets the seed of all properties to `VITRINE_SEED`, or to a fixed value: a failure is then caused by the current
 * change. Larger runs use a new seed each time.
 */
export function seedProperties(): void {
  if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
  else if (!isFullSize) fc.configureGlobal({ seed: usualSeed });
}

/** Prints the totals of a full-size run; nothing for ordinary runs. */
export function printFuzzTotals(what: string): void {
  if (isFullSize) console.log(`      ${what}`);
}
