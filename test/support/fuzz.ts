const factor = Number(process.env['VITRINE_FUZZ'] ?? 1);

/** How often a property is tried: `count`, or as many times more as `VITRINE_FUZZ` says. */
export const fuzzRuns = (count: number): number => count * factor;
