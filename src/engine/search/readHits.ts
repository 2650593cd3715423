import { excerptOf } from '../../insight/search/excerpt.ts';
import { matchesOperators, containsTexts } from '../../insight/search/facts.ts';
import type { Query } from '../../insight/search/query.ts';
import { originSchema, type EntryType, type NormalizedEntry } from '../../model/transcript/entry.ts';
import { queryKinds } from '../../model/transcript/query.ts';
import { ChunkTexts } from '../catalogue/chunkText.ts';
import type { Database } from '../catalogue/database.ts';
import { entryId, type SessionBlocks } from '../catalogue/schema.ts';
import type { Log } from '../api.ts';
import { logFiltered } from '../log/metadataLog.ts';
import type { RecordStore } from '../record/recordStore.ts';
import type { RankedEntry } from './matches.ts';
import type { SearchedSession, SearchHit, SessionHits } from './types.ts';

/** Maximum number of entries to read per session when checking candidates. */
export const maxRead = 400;

/** Candidates of one session. */
export interface Candidates {
  readonly session: SearchedSession;
  readonly blocks: SessionBlocks;
  /** Scores by entry index. */
  readonly scores: ReadonlyMap<number, number>;
  /** Indexes of automatic messages. */
  readonly synthetic: readonly number[];
}

/** Candidates without automatic messages; `undefined` if nothing remains. */
export function withoutSynthetic(candidates: Candidates): Candidates | undefined {
  const scores = new Map(candidates.scores);
  for (const index of candidates.synthetic) scores.delete(index);
  return scores.size === 0 ? undefined : { ...candidates, scores, synthetic: [] };
}

/** Only the automatic messages. */
export function keepSynthetic(candidates: Candidates): Candidates {
  const { scores, synthetic } = candidates;
  return { ...candidates, scores: new Map(synthetic.map((index) => [index, scores.get(index) ?? 0])) };
}

/** Number of automatic messages among the results; each is logged. */
export async function countSynthetic(
  store: RecordStore,
  candidates: Candidates,
  query: Query,
  log: Log,
): Promise<number> {
  const positions = candidates.synthetic.slice(0, maxRead).map((index) => [index, 0] as const);
  if (positions.length === 0) return 0;
  const { session_id: id } = candidates.session;
  const right = (await recordedEntries(store, id, positions)).filter(({ entry }) => matchesOperators(entry, query));
  for (const { entry } of right) logFiltered(log, `${id}#${entry.index}`, entry.metadata);
  return right.length;
}

/** The matches of one session that may become hits. */
interface RankedMatches extends Pick<Candidates, 'session' | 'blocks'> {
  /** Number of all matches. */
  readonly count: number;
  /** Best first. */
  readonly rankedEntries: readonly RankedEntry[];
}

/** The best matches, read from the catalogue; `undefined` if none of them is one. */
export function readHits(
  database: Database,
  { session, blocks, count, rankedEntries }: RankedMatches,
  query: Query,
  { most, isInexact }: { readonly most: number; readonly isInexact: boolean },
): SessionHits | undefined {
  const texts = new SessionTexts(database, blocks);
  const hits: SearchHit[] = [];
  let right = 0;
  for (const [index, score] of rankedEntries) {
    const all = texts.textsOf(index);
    if (all === undefined || !containsTexts(all, query)) continue;
    right += 1;
    if (hits.length < most)
      hits.push(...hitOf(database, entryId(blocks, index), { session, index, score, all, query }));
  }
  if (right === 0) return undefined;
  const unsure = isInexact && count > rankedEntries.length;
  return {
    session,
    hits: hits.sort((a, b) => a.entry - b.entry),
    count: isInexact && !unsure ? right : count,
    unsure,
  };
}

interface Candidate {
  readonly session: SearchedSession;
  readonly index: number;
  readonly score: number;
  readonly all: readonly string[];
  readonly query: Query;
}

function hitOf(database: Database, id: number, { session, index, score, all, query }: Candidate): SearchHit[] {
  const row = database.get(
    'SELECT kind, origin, synthetic, at, tools.name AS tool FROM entries LEFT JOIN tools ON tools.no = entries.tool WHERE id = ?',
    id,
  );
  if (row === undefined) return [];
  const origin = row['synthetic'] === 1 ? originSchema.safeParse(row['origin']).data : undefined;
  return [
    {
      sessionId: session.session_id,
      entry: index,
      kind: entryKind(Number(row['kind'])),
      tool: row['tool'] === null ? null : String(row['tool']),
      ...(origin !== undefined && { origin }),
      at: row['at'] === null ? '' : new Date(Number(row['at'])).toISOString(),
      score,
      excerpt: excerptOf(all, query.texts),
    },
  ];
}

const messageKinds: Readonly<Partial<Record<string, EntryType['kind']>>> = {
  user: 'user_message',
  assistant: 'assistant_message',
  system: 'system_message',
  thinking: 'thinking',
  error: 'error',
};

function entryKind(kind: number): EntryType['kind'] {
  return messageKinds[queryKinds[kind] ?? ''] ?? 'tool_use';
}

interface Chunk {
  readonly from: number;
  readonly next: number;
  readonly texts: ChunkTexts | undefined;
}

/** Texts of one session's entries. */
class SessionTexts {
  readonly #database: Database;
  readonly #blocks: SessionBlocks;
  readonly #chunks: Chunk[] = [];

  constructor(database: Database, blocks: SessionBlocks) {
    this.#database = database;
    this.#blocks = blocks;
  }

  textsOf(index: number): readonly string[] | undefined {
    const known = this.#chunks.find(({ from, next }) => from <= index && index < next);
    return (known ?? this.#read(index))?.texts?.of(index);
  }

  #read(index: number): Chunk | undefined {
    const row = this.#database.get(
      'SELECT id, next, texts FROM chunks WHERE id <= ? AND id >= ? ORDER BY id DESC LIMIT 1',
      entryId(this.#blocks, index),
      entryId(this.#blocks, 0),
    );
    if (row === undefined) return undefined;
    const { id, next, texts } = row;
    const from = Number(id) - entryId(this.#blocks, 0);
    const chunk = { from, next: Number(next), texts: texts instanceof Uint8Array ? new ChunkTexts(texts) : undefined };
    this.#chunks.push(chunk);
    return chunk;
  }
}

/** Entries in ranked order, without those that were deleted or cannot be read. */
export async function recordedEntries(
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

/** Entries of another program's session. */
export function observedEntries(
  database: Database,
  blocks: SessionBlocks,
  wanted: readonly (readonly [number, number])[],
): { entry: NormalizedEntry; score: number }[] {
  const texts = new SessionTexts(database, blocks);
  return wanted.flatMap(([index, score]) => {
    const row = database.get('SELECT kind, origin, at FROM entries WHERE id = ?', entryId(blocks, index));
    const content = texts.textsOf(index)?.[0];
    const kind = row === undefined ? undefined : entryKind(Number(row['kind']));
    if (content === undefined || (kind !== 'user_message' && kind !== 'assistant_message')) return [];
    const origin = originSchema.safeParse(row?.['origin']).data;
    const at = row?.['at'];
    const timestamp = typeof at === 'number' ? new Date(at).toISOString() : '';
    return [{ entry: { index, timestamp, type: { kind }, content, ...(origin !== undefined && { origin }) }, score }];
  });
}
