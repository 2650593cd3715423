import { excerptOf } from '../../insight/search/excerpt.ts';
import { answers } from '../../insight/search/facts.ts';
import type { Query } from '../../insight/search/query.ts';
import type { NormalizedEntry } from '../../model/entry.ts';
import type { SessionSummary } from '../../model/summary.ts';
import { isSynthetic, originOf } from '../../model/synthetic.ts';
import type { Log } from '../api.ts';
import { logFiltered } from '../metadataLog.ts';
import type { RecordStore } from '../record/store.ts';
import type { SearchHit, SessionHits } from './contract.ts';

/** Entries that are read to see whether they answer, per session. */
const mostRead = 400;

export interface Candidates {
  readonly session: SessionSummary;
  /** By index. */
  readonly scores: ReadonlyMap<number, number>;
  /** Those of them that no person wrote. */
  readonly synthetic: readonly number[];
  /** Each has to be read to know whether it answers. */
  readonly inexact: boolean;
}

/** Without what no person wrote; `undefined` where nothing else is there. */
export function withoutSynthetic(candidates: Candidates): Candidates | undefined {
  const scores = new Map(candidates.scores);
  for (const index of candidates.synthetic) scores.delete(index);
  return scores.size === 0 ? undefined : { ...candidates, scores, synthetic: [] };
}

/** What no person wrote alone. */
export function onlySynthetic(candidates: Candidates): Candidates {
  const { scores, synthetic } = candidates;
  return { ...candidates, scores: new Map(synthetic.map((index) => [index, scores.get(index) ?? 0])) };
}

/** How many messages answer that no person wrote; each is logged. */
export async function countSynthetic(store: RecordStore, each: Candidates, query: Query, log: Log): Promise<number> {
  const wanted = each.synthetic.slice(0, mostRead).map((index) => [index, 0] as const);
  if (wanted.length === 0) return 0;
  const { session_id: id } = each.session;
  const right = (await entriesOf(store, id, wanted)).filter(({ entry }) => answers(entry, query));
  for (const { entry } of right) logFiltered(log, `${id}#${entry.index}`, entry.metadata);
  return right.length;
}

/** Reads the best of the candidates from their record; `undefined` where none of them answers after all. */
export async function readHits(
  store: RecordStore,
  { session, scores, inexact }: Pick<Candidates, 'session' | 'scores' | 'inexact'>,
  query: Query,
  mostHits: number,
): Promise<SessionHits | undefined> {
  const ranked = [...scores].sort(([a, better], [b, than]) => than - better || a - b);
  const wanted = ranked.slice(0, inexact ? mostRead : mostHits);
  const entries = await entriesOf(store, session.session_id, wanted);
  const right = entries.filter(({ entry }) => answers(entry, query));
  if (right.length === 0) return undefined;
  const hits = right.slice(0, mostHits).map(({ entry, score }): SearchHit => {
    const { index, type, timestamp } = entry;
    return {
      sessionId: session.session_id,
      entry: index,
      kind: type.kind,
      tool: type.kind === 'tool_use' ? type.tool.toolName : null,
      ...(isSynthetic(entry) && { origin: originOf(entry) }),
      at: timestamp,
      score,
      excerpt: excerptOf(entry, query.texts),
    };
  });
  const unsure = inexact && ranked.length > wanted.length;
  const count = inexact && !unsure ? right.length : ranked.length;
  return { session, hits: hits.sort((a, b) => a.entry - b.entry), count, unsure };
}

/** As ranked; entries that are gone since, or cannot be read, are left out. */
export async function entriesOf(
  store: RecordStore,
  id: string,
  wanted: readonly (readonly [number, number])[],
): Promise<{ entry: NormalizedEntry; score: number }[]> {
  const reader = await store.openReader(id).catch(() => undefined);
  if (reader === undefined) return [];
  try {
    const found: { entry: NormalizedEntry; score: number }[] = [];
    for (const [index, score] of wanted) {
      const [entry] = await reader.read(index, index + 1);
      if (entry !== undefined) found.push({ entry, score });
    }
    return found;
  } finally {
    await reader.close();
  }
}
