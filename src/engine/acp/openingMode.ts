import { field, nonEmpty, objects } from '../../agents/shared/guards.ts';
import type { JsonObject } from '../../model/json.ts';

/** The id of the mode in which the agent began, where the answer that opened the conversation has it. */
export function openingMode(opened: JsonObject): string | undefined {
  const options = objects(opened['configOptions']);
  const option = options.find(({ category }) => category === 'mode') ?? options.find(({ id }) => id === 'mode');
  return nonEmpty(field(opened['modes'], 'currentModeId')) ?? nonEmpty(option?.['currentValue']);
}
