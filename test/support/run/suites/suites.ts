/** A suite of `npm test`. */
export interface Suite {
  /** Its folder under test/. */
  readonly name: string;
  /** For display. */
  readonly label: string;
  /** Time limit of the whole suite on a busy machine with two cores, in minutes. */
  readonly limit: number;
}

/**
 * Each lane is a sequence of suites; both run in parallel. Suites with windows mostly wait, which leaves a processor to
 * the others.
 */
const lanes: readonly (readonly Suite[])[] = [
  [
    { name: 'unit', label: 'unit', limit: 35 },
    { name: 'golden', label: 'golden', limit: 10 },
    { name: 'faults', label: 'faults', limit: 35 },
    { name: 'page', label: 'page, in a real browser', limit: 30 },
  ],
  [
    { name: 'e2e', label: 'end to end, in a real browser', limit: 60 },
    { name: 'extension', label: 'extension, in a real VS Code', limit: 20 },
    { name: 'agents', label: 'real agents', limit: 30 },
  ],
];

/** Suites that need only Node, and suites that need VS Code or agents. */
export const [plainSuites = [], hostSuites = []] = lanes;
const suites = lanes.flat();

/** The script that runs `names` in one process. */
export function suiteScript(names: readonly string[]): string[] {
  return names.includes('extension') ? ['test/support/run/extension.ts'] : ['test/support/run/mocha.ts', ...names];
}

/** Time limit of `names` together, in minutes. Full-size runs (docs/testing.md) have none. */
export function suiteLimit(names: readonly string[]): number {
  const { VITRINE_LIMIT, VITRINE_FUZZ, VITRINE_KILLS } = process.env;
  if (VITRINE_LIMIT !== undefined && Number(VITRINE_LIMIT) > 0) return Number(VITRINE_LIMIT);
  // A name may include a folder of the suite.
  const wanted = new Set(names.map((name) => name.split('/')[0]));
  const minutes = suites.filter(({ name }) => wanted.has(name)).reduce((sum, { limit }) => sum + limit, 0);
  return VITRINE_FUZZ === undefined && VITRINE_KILLS === undefined ? minutes : 24 * 60;
}
