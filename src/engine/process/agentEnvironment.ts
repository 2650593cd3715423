/**
 * Variables that agents must not inherit, in addition to those that agents set for their own children.
 * - `VSCODE_*`, `ELECTRON_*`: internals of the extension host. `ELECTRON_RUN_AS_NODE` would make Electron apps run as
 * plain Node, and the hooks would connect to this window.
 * - `APPLICATION_INSIGHTS_*`, `CHROME_DESKTOP`, `GIO_LAUNCHED_DESKTOP_FILE*`: set by the desktop that started the
 * window.
 * - `VITRINE_RUN_ID`: of an outer run, if an agent started Vitrine.
 * - `TRACEPARENT`, `TRACESTATE`: the agent's traces belong to its run.
 */
const hostVariables = [
  /^VSCODE_/i,
  /^ELECTRON_/i,
  /^APPLICATION_?INSIGHTS_/i,
  /^CHROME_DESKTOP$/,
  /^GIO_LAUNCHED_DESKTOP_FILE/,
  /^VITRINE_RUN_ID$/,
  /^TRACE(?:PARENT|STATE)$/,
];

/** Marks all processes of a run, so that detached ones whose parent has ended are still found. */
export const runVariable = 'VITRINE_RUN_ID';

type Variables = Readonly<Record<string, string | undefined>>;

export interface AgentEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Names of removed variables. */
  readonly removed: readonly string[];
  /** Names of variables from the settings. */
  readonly added: readonly string[];
}

/** `own`: variables with which agents identify themselves to their children. Show names only, never values. */
export function agentEnvironment(
  ownVariables: Variables,
  own: readonly RegExp[],
  settings: Readonly<Record<string, string>> = {},
): AgentEnvironment {
  const inherited = new Map<string, string>();
  const removed: string[] = [];
  for (const [name, value] of Object.entries(ownVariables)) {
    if (value === undefined) continue;
    if ([...hostVariables, ...own].some((pattern) => pattern.test(name))) removed.push(name);
    else inherited.set(name, value);
  }
  const variables: Record<string, string> = Object.fromEntries(inherited);
  // VS Code keeps the user's NODE_OPTIONS under this name; its debugger replaces the original.
  if (variables['NODE_OPTIONS']?.includes('js-debug') === true) {
    delete variables['NODE_OPTIONS'];
    removed.push('NODE_OPTIONS');
  }
  const users = ownVariables['VSCODE_NODE_OPTIONS'];
  if (users !== undefined && users !== '') variables['NODE_OPTIONS'] ??= users;
  Object.assign(variables, settings);
  return { variables, removed: removed.sort(), added: Object.keys(settings).sort() };
}
