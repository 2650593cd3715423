import type * as z from 'zod';
import { CoordinatorError } from './errors.ts';

/** Validates input and adds defaults. @throws CoordinatorError `invalid` with the field and the problem */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'The request' : issue.path.map(String).join('.');
  throw new CoordinatorError('invalid', `${where}: ${issue?.message ?? 'invalid value'}`);
}
