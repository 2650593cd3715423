import path from 'node:path';
import type { CancellationToken } from 'vscode';
import * as z from 'zod';
import { executorTypes } from '../../model/session/executorTypes.ts';
import { isAgentName } from '../run/runChoice.ts';
import { ApiError } from './apiError.ts';

const name = z.custom<string>(isAgentName, 'Use a short, single-line text.');
const amount = z.number().positive();

/** Options from another extension, which need not match the declared types. */
const runOptionsSchema = z.object({
  agent: z.enum(executorTypes).optional(),
  profile: name.optional(),
  agentFile: name.optional(),
  cwd: z
    .string()
    .refine((found) => path.isAbsolute(found), 'Use an absolute path.')
    .optional(),
  resume: z.string().min(1).max(200).optional(),
  model: name.optional(),
  permissionMode: name.optional(),
  title: name.optional(),
  limits: z
    .strictObject({ usd: amount, tokens: z.int().positive(), turns: z.int().positive(), minutes: amount })
    .partial()
    .optional(),
  includeEvents: z.boolean().optional(),
  token: z.custom<CancellationToken>(isToken, 'Use a CancellationToken.').optional(),
});
export type CheckedOptions = z.infer<typeof runOptionsSchema>;

function isToken(found: unknown): boolean {
  if (typeof found !== 'object' || found === null || !('onCancellationRequested' in found)) return false;
  return typeof found.onCancellationRequested === 'function';
}

/** @throws ApiError */
export function checkRunOptions(prompt: unknown, options: unknown): { prompt: string; options: CheckedOptions } {
  if (typeof prompt !== 'string' || prompt.trim() === '') throw new ApiError('request_invalid', 'The prompt is empty.');
  const parsed = runOptionsSchema.safeParse(options ?? {});
  if (parsed.success) return { prompt, options: parsed.data };
  const [issue] = parsed.error.issues;
  throw new ApiError('request_invalid', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
}
