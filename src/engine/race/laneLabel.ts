import { adapters } from '../../agents/registry.ts';
import type { Lane } from '../../model/race/race.ts';

/** For people: the name of the agent, and its model if the user chose one. */
export function laneLabel({ agent, profile, model }: Pick<Lane, 'agent' | 'profile' | 'model'>): string {
  const label = profile ?? adapters.find(({ type }) => type === agent)?.label ?? agent;
  return model === undefined ? label : `${label} (${model})`;
}
