import * as z from 'zod';
import type { Envelope } from '../panel/messages.ts';
import type { FromUsagePage } from './usageMessages.ts';

const schema = z.object({
  generation: z.number().int(),
  seq: z.number().int(),
  message: z.discriminatedUnion('type', [
    z.object({ type: z.literal('ready') }),
    z.object({
      type: z.literal('show'),
      month: z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/),
      scope: z.enum(['workspace', 'all', 'team']),
    }),
    z.object({ type: z.literal('export') }),
  ]),
});

/** A message of the usage view; `undefined` for anything else. */
export function parseFromUsagePage(data: unknown): Envelope<FromUsagePage> | undefined {
  return schema.safeParse(data).data;
}
