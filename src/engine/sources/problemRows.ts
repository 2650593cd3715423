import { observedRow, type ObservedSummary } from '../../insight/observed/summary.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import { localDay } from '../usage/localDay.ts';
import type { Store } from './groups.ts';
import { observedId } from './ids.ts';

/** An unreadable file or folder becomes a row with the reason. */
export function problemRows({ format, problems }: Store, prices: PriceTable): ObservedSummary[] {
  const parser = format.createParser({ needsEntries: false, session: '', notes: new Map() });
  const facts = { ...parser.facts(), nativeIds: [] };
  const share = { requests: [], inherited: [], prompts: 0, toolCalls: 0, parent: null };
  const changedAt = new Date(0).toISOString();
  const live = { state: 'ended', since: null, source: 'record' } as const;
  return problems.map(({ path, reason }) => {
    const id = observedId(format.agent, path);
    const about = { id, agent: format.agent, label: format.label, facts, share, live, path, changedAt };
    return observedRow({ ...about, problem: reason, parentId: null }, prices, localDay).summary;
  });
}
