import * as z from 'zod';
import { budgetStatusSchema } from '../../model/usage/budget.ts';

/** A text with placeholders, so that each client can translate it. */
export interface WordingData {
  readonly template: string;
  readonly values: readonly (string | number | WordingData)[];
}

const wordingSchema: z.ZodType<WordingData> = z.object({
  template: z.string(),
  values: z.array(z.union([z.string(), z.number(), z.lazy(() => wordingSchema)])).readonly(),
});

/** A failure that is shown to people. `code` is the engine's, or `internal`; texts are in English. */
export const failureSchema = z.object({
  code: z.string(),
  message: z.string(),
  detail: z.string(),
  words: z.object({ message: wordingSchema, detail: wordingSchema }).optional(),
  /** What a person can do about it. */
  action: z.string().optional(),
  /** Where Vitrine searched for a program, in order. */
  tried: z.array(z.string()).optional(),
  /** The exhausted limit. */
  budget: budgetStatusSchema.optional(),
});
export type FailureData = z.infer<typeof failureSchema>;
