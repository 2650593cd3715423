/** A suite of `npm test`. */
export interface Suite {
  /** Its folder under test/. */
  readonly name: string;
  /** For people. */
  readonly label: string;
  /** For the whole suite on a busy machine of two cores, in minutes. */
  readonly limit: number;
}

/**
 * Suites that run one after another, beside the other lane. Those with windows wait for most of their time, which leaves
 * a processor to the others.
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

/** Those that need nothing but Node, and those that need a VS Code or agents. */
export const [plainSuites = [], hostSuites = []] = lanes;
const suites = lanes.flat();

/** The script that runs `names` in one process. */
export function suiteScript(names: readonly string[]): string[] {
  return names.includes('extension') ? ['test/support/run/extension.ts'] : ['test/support/run/mocha.ts', ...names];
}

/** The limit of `names` together, in minutes. Runs at full size (docs/testing.md) take as long as they need. */
export function suiteLimit(names: readonly string[]): number {
  const { VITRINE_LIMIT, VITRINE_FUZZ, VITRINE_KILLS } = process.env;
  if (VITRINE_LIMIT !== undefined && Number(VITRINE_LIMIT) > 0) return Number(VITRINE_LIMIT);
  // A name may be that of a folder in a suite.
  const wanted = new Set(names.map((name) => name.split('/')[0]));
  const minutes = suites.filter(({ name }) => wanted.has(name)).reduce((sum, { limit }) => sum + limit, 0);
  return VITRINE_FUZZ === undefined && VITRINE_KILLS === undefined ? minutes : 24 * 60;
}
