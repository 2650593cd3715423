import { readFileSync } from 'node:fs';
import * as z from 'zod';

const resultLine = z.looseObject({
  type: z.literal('result'),
  session_id: z.string(),
  total_cost_usd: z.number().optional(),
  cost_usd: z.number().optional(),
  model_usage_since_last_result: z.record(z.string(), z.looseObject({ costUSD: z.number() })).optional(),
});

/** Figures that Claude Code reports for its own run, in US dollars, from its raw output. */
export interface OwnFigures {
  readonly sessionId: string;
  /** As printed: per run in old versions, per session in new ones. */
  readonly usd: number;
  /** Per run, if the version reports that too. */
  readonly runUsd: number | undefined;
}

/** @throws if the output has no result line */
export function ownFigures(stdoutFile: string): OwnFigures {
  for (const line of readFileSync(stdoutFile, 'utf8').trim().split('\n').reverse()) {
    const parsed = resultLine.safeParse(JSON.parse(line));
    if (!parsed.success) continue;
    const { session_id, total_cost_usd, cost_usd, model_usage_since_last_result: models } = parsed.data;
    const usd = total_cost_usd ?? cost_usd;
    if (usd === undefined) break;
    const runUsd = models && Object.values(models).reduce((sum, { costUSD }) => sum + costUSD, 0);
    return { sessionId: session_id, usd, runUsd };
  }
  throw new Error(`${stdoutFile} has no result line with a cost`);
}
