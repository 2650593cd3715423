import type { Demands } from '../model/session/demands.ts';
import type { Runner } from '../model/session/runner.ts';
import { CoordinatorError } from './errors.ts';

export const demandProperties = ['hostname', 'project_dir', 'executor_type'] as const;

/** Whether anything is asked for: only such runs time out. */
export function hasDemands(demands: Demands | undefined): demands is Demands {
  return (
    demands !== undefined && (demands.tags.length > 0 || demandProperties.some((name) => demands[name] !== undefined))
  );
}

/**
 * What a blueprint and a run ask for together: every property of both, all tags, each once.
 * @throws CoordinatorError where both want another value of the same property, which no runner can have
 */
export function mergeDemands(blueprint: Demands | undefined, run: Demands | undefined): Demands | undefined {
  if (blueprint === undefined || run === undefined) return blueprint ?? run;
  const merged: Demands = { ...blueprint, tags: [...new Set([...blueprint.tags, ...run.tags])] };
  for (const name of demandProperties) {
    const wanted = run[name];
    if (wanted === undefined) continue;
    const other = blueprint[name];
    if (other !== undefined && !isAsWanted(name, wanted, other)) {
      throw new CoordinatorError(
        'contradiction',
        `The agent demands the ${name} "${other}", but this run demands "${wanted}". No runner can have both.`,
      );
    }
    merged[name] = wanted;
  }
  return merged;
}

/** Whether a property is what is demanded: letter for letter, but for that of a drive. */
export function isAsWanted(name: (typeof demandProperties)[number], wanted: string | undefined, is: string): boolean {
  if (wanted === undefined || wanted === is) return true;
  return name === 'project_dir' && comparable(wanted) === comparable(is);
}

/** Every property is as wanted; of the tags the runner has all. */
export function meets(runner: Runner, demands: Demands | undefined): boolean {
  if (demands === undefined) return true;
  return (
    demandProperties.every((name) => isAsWanted(name, demands[name], runner[name])) &&
    demands.tags.every((tag) => runner.tags.includes(tag))
  );
}

/** Whether a run in this folder is for one that works in those alone. A path that climbs is in none. */
export function isWithin(folder: string | undefined, within: readonly string[] | undefined): boolean {
  if (folder === undefined || within === undefined) return true;
  if (/(^|[\\/])\.\.([\\/]|$)/.test(folder)) return false;
  const inside = comparable(folder);
  return within.map(comparable).some((each) => {
    // That of a root ends with its separator.
    const above = /[\\/]$/.test(each) ? each.slice(0, -1) : each;
    return inside === each || inside.startsWith(`${above}/`) || inside.startsWith(`${above}\\`);
  });
}

/** Windows does not tell the cases of a drive letter apart, and programs write either. */
export function comparable(folder: string): string {
  return /^[A-Z]:[\\/]/.test(folder) ? folder.charAt(0).toLowerCase() + folder.slice(1) : folder;
}

/** For people: `hostname "a", tags gpu, web`. */
export function demandsText(demands: Demands): string {
  const named = demandProperties.flatMap((name) => (demands[name] === undefined ? [] : [`${name} "${demands[name]}"`]));
  const tags = demands.tags.length === 0 ? [] : [`tags ${demands.tags.join(', ')}`];
  return [...named, ...tags].join(', ');
}
