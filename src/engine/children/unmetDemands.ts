import { hostname } from 'node:os';
import { hasDemands, isAsWanted } from '../../coordinator/demands.ts';
import type { Agent } from '../../model/agent/agent.ts';
import type { Demands } from '../../model/session/demands.ts';
import { executorOf } from '../blueprints/request.ts';

/**
 * What an agent's file asks for and this process is not, held as strictly as with runners; `null` where nothing is left.
 * A child begins where its parent works: no one else is asked to take it.
 */
export function unmetDemands(agent: Agent, cwd: string, tags: readonly string[]): Demands | null {
  const { demands } = agent;
  if (demands === undefined) return null;
  const here = { hostname: hostname(), project_dir: cwd, executor_type: executorOf(agent) };
  const unmet: Demands = { tags: demands.tags.filter((tag) => !tags.includes(tag)) };
  for (const name of ['hostname', 'project_dir', 'executor_type'] as const) {
    const wanted = demands[name];
    if (wanted !== undefined && !isAsWanted(name, wanted, here[name])) unmet[name] = wanted;
  }
  return hasDemands(unmet) ? unmet : null;
}
