import { executorTypes } from '../model/executorTypes.ts';
import { executorTypeSchema, type ExecutorType } from '../model/session.ts';
import { UsageError } from './command.ts';

/** @throws UsageError */
export function executorOption(name: string, given: string | undefined): ExecutorType {
  const known = `Available: ${executorTypes.join(', ')}.`;
  if (given === undefined) throw new UsageError(`${name} is missing.`, known);
  const type = executorTypeSchema.safeParse(given);
  if (!type.success) throw new UsageError(`There is no executor "${given}" (${name}).`, known);
  return type.data;
}
