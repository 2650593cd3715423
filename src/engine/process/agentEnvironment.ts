/**
 * What the agent's environment is not to inherit from ours, besides what agents tell their own children.
 * - `VSCODE_*`, `ELECTRON_*`: the extension host's own plumbing. With `ELECTRON_RUN_AS_NODE` a `code` or an Electron app
 *   that the agent starts would run as plain Node; by the hooks it would speak to this window.
 * - `APPLICATION_INSIGHTS_*`, `CHROME_DESKTOP`, `GIO_LAUNCHED_DESKTOP_FILE*`: left by the desktop that started the window.
 * - `VITRINE_RUN_ID`: of an outer run, where Vitrine itself was started by an agent.
 * - `TRACEPARENT`, `TRACESTATE`: the run is the parent of what an agent traces.
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

/** Marks everything that a run starts, so that what outlives its parent and leaves its group is still found. */
export const runVariable = 'VITRINE_RUN_ID';

type Variables = Readonly<Record<string, string | undefined>>;

export interface AgentEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Names that ours has and the agent's has not. */
  readonly removed: readonly string[];
  /** Names that the settings set. */
  readonly added: readonly string[];
}

/** `own`: by which agents tell their children about themselves. Nothing here may be shown but names. */
export function agentEnvironment(
  ours: Variables,
  own: readonly RegExp[],
  settings: Readonly<Record<string, string>> = {},
): AgentEnvironment {
  const inherited = new Map<string, string>();
  const removed: string[] = [];
  for (const [name, value] of Object.entries(ours)) {
    if (value === undefined) continue;
    if ([...hostVariables, ...own].some((pattern) => pattern.test(name))) removed.push(name);
    else inherited.set(name, value);
  }
  const variables: Record<string, string> = Object.fromEntries(inherited);
  // VS Code takes the user's NODE_OPTIONS away from itself under this name, and its debugger puts its own in their place.
  if (variables['NODE_OPTIONS']?.includes('js-debug') === true) {
    delete variables['NODE_OPTIONS'];
    removed.push('NODE_OPTIONS');
  }
  const users = ours['VSCODE_NODE_OPTIONS'];
  if (users !== undefined && users !== '') variables['NODE_OPTIONS'] ??= users;
  Object.assign(variables, settings);
  return { variables, removed: removed.sort(), added: Object.keys(settings).sort() };
}
