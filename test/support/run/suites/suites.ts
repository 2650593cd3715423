/** A suite of `npm test`, or a part of one. */
export interface Suite {
  /** Folders under test/. */
  readonly names: readonly string[];
  /** For display. */
  readonly label: string;
  /** Time limit on a busy machine with two cores, in minutes. */
  readonly limit: number;
}

/** The longest first: `atOnce` run at a time. End-to-end tests are two, since nothing else takes as long. */
export const suites: readonly Suite[] = [
  { names: ['e2e/runs', 'e2e/windows', 'e2e/trust'], label: 'end to end: runs, windows, trust', limit: 40 },
  { names: ['faults'], label: 'faults', limit: 35 },
  { names: ['page'], label: 'page, in a real browser', limit: 30 },
  { names: ['e2e/agents', 'e2e/sessions', 'e2e/sources', 'e2e/start'], label: 'end to end: the others', limit: 40 },
  { names: ['agents'], label: 'real agents', limit: 30 },
  { names: ['unit'], label: 'unit', limit: 35 },
  { names: ['extension'], label: 'extension, in a real VS Code', limit: 20 },
  { names: ['golden'], label: 'golden', limit: 10 },
];

export const atOnce = Number(process.env['VITRINE_SUITES'] ?? 2);

/** The script that runs `names` in one process. */
export function suiteScript(names: readonly string[]): string[] {
  return names.includes('extension') ? ['test/support/run/extension.ts'] : ['test/support/run/mocha.ts', ...names];
}

/** Time limit of `names` together, in minutes. */
export function suiteLimit(names: readonly string[]): number {
  const wanted = new Set(names.map(suiteOf));
  const found = suites.filter((suite) => suite.names.some((name) => wanted.has(suiteOf(name))));
  return limitOf(found.reduce((sum, { limit }) => sum + limit, 0));
}

/** In minutes, of what takes `usual` by itself. Full-size runs (docs/development/testing.md) have none. */
export function limitOf(usual: number): number {
  const { VITRINE_LIMIT, VITRINE_FUZZ, VITRINE_KILLS } = process.env;
  if (VITRINE_LIMIT !== undefined && Number(VITRINE_LIMIT) > 0) return Number(VITRINE_LIMIT);
  return VITRINE_FUZZ === undefined && VITRINE_KILLS === undefined ? usual : 24 * 60;
}

/** Of a folder in a suite: the suite. */
export function suiteOf(name: string): string {
  return name.split('/')[0] ?? name;
}
