import type { Demands } from '../model/session/demands.ts';
import type { Runner } from '../model/session/runner.ts';
import { CoordinatorError } from './errors.ts';

export const demandProperties = ['hostname', 'project_dir', 'executor_type'] as const;

/** Whether there are demands: only runs with demands time out. */
export function hasDemands(demands: Demands | undefined): demands is Demands {
  return (
    demands !== undefined && (demands.tags.length > 0 || demandProperties.some((name) => demands[name] !== undefined))
  );
}

/**
 * Combines the demands of agent file and run: all properties, and all tags without duplicates.
 * @throws CoordinatorError if both demand different values of a property
 */
export function mergeDemands(blueprint: Demands | undefined, run: Demands | undefined): Demands | undefined {
  if (blueprint === undefined || run === undefined) return blueprint ?? run;
  const merged: Demands = { ...blueprint, tags: [...new Set([...blueprint.tags, ...run.tags])] };
  for (const name of demandProperties) {
    const demanded = run[name];
    if (demanded === undefined) continue;
    const other = blueprint[name];
    if (other !== undefined && !matchesDemand(name, demanded, other)) {
      throw new CoordinatorError(
        'contradiction',
        `The agent demands the ${name} "${other}", but this run demands "${demanded}". No runner can have both.`,
      );
    }
    merged[name] = demanded;
  }
  return merged;
}

/** Compares exactly, except that drive letters are case-insensitive. */
export function matchesDemand(
  name: (typeof demandProperties)[number],
  demanded: string | undefined,
  actual: string,
): boolean {
  if (demanded === undefined || demanded === actual) return true;
  return name === 'project_dir' && normalizeDriveLetter(demanded) === normalizeDriveLetter(actual);
}

/** Whether all properties match and the runner has all tags. */
export function meetsDemands(runner: Runner, demands: Demands | undefined): boolean {
  if (demands === undefined) return true;
  return (
    demandProperties.every((name) => matchesDemand(name, demands[name], runner[name])) &&
    demands.tags.every((tag) => runner.tags.includes(tag))
  );
}

/** Whether a runner that is limited to some folders may take a run in this folder. Paths with `..` are rejected. */
export function isWithin(folder: string | undefined, within: readonly string[] | undefined): boolean {
  if (folder === undefined || within === undefined) return true;
  if (/(^|[\\/])\.\.([\\/]|$)/.test(folder)) return false;
  const inside = normalizeDriveLetter(folder);
  return within.map(normalizeDriveLetter).some((parent) => {
    // A root ends with its separator.
    const parentPath = /[\\/]$/.test(parent) ? parent.slice(0, -1) : parent;
    return inside === parent || inside.startsWith(`${parentPath}/`) || inside.startsWith(`${parentPath}\\`);
  });
}

/** Drive letters are case-insensitive on Windows, and programs write either case. */
export function normalizeDriveLetter(folder: string): string {
  return /^[A-Z]:[\\/]/.test(folder) ? folder.charAt(0).toLowerCase() + folder.slice(1) : folder;
}

/** Such as `hostname "a", tags gpu, web`. */
export function demandsText(demands: Demands): string {
  const named = demandProperties.flatMap((name) => (demands[name] === undefined ? [] : [`${name} "${demands[name]}"`]));
  const tags = demands.tags.length === 0 ? [] : [`tags ${demands.tags.join(', ')}`];
  return [...named, ...tags].join(', ');
}
