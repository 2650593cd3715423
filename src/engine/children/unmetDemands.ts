import { hostname } from 'node:os';
import { demandProperties, hasDemands, matchesDemand } from '../../coordinator/demands.ts';
import type { Demands } from '../../model/session/demands.ts';
import type { ChildRun } from './childRuns.ts';

/**
 * Demands of a child that this process does not meet, compared as strictly as for runners; `null` if it meets all. Such a child
 * needs another runner.
 */
export function unmetDemands(
  { demands, folder, executor }: Pick<ChildRun, 'demands' | 'folder' | 'executor'>,
  tags: readonly string[],
): Demands | null {
  if (demands === undefined) return null;
  const here = { hostname: hostname(), project_dir: folder, executor_type: executor };
  const unmet: Demands = { tags: demands.tags.filter((tag) => !tags.includes(tag)) };
  for (const name of demandProperties) {
    const demanded = demands[name];
    if (demanded !== undefined && !matchesDemand(name, demanded, here[name])) unmet[name] = demanded;
  }
  return hasDemands(unmet) ? unmet : null;
}
