import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { utf16Offsets } from '../../model/text/codePoints.ts';
import type { Citation } from '../../model/transcript/metadata.ts';
import { bind } from './bind.ts';
import { mentionsIn } from './claims/scan.ts';
import type { SessionEvidence } from './sources/sessionEvidence.ts';
import type { EvidenceLink, GivenSource, Mention, TextRange } from './types.ts';
import { normalUrl } from './sources/urls.ts';

/**
 * Sources of an answer: those from the agent, then its claims with what the session shows. Only for messages of the agent, in
 * text order. `session` must have all earlier entries.
 */
export function linksOf(entry: NormalizedEntry, session: SessionEvidence): EvidenceLink[] {
  if (entry.type.kind !== 'assistant_message') return [];
  const cited = givenLinks(entry, session);
  const found = mentionsIn(entry.content).flatMap((mention) => deriveLinks(mention, entry, session));
  const own = found.filter((link) => !cited.some((other) => isSame(other, link)));
  return withPoints(
    entry.content,
    [...cited, ...own].sort((a, b) => a.range[0] - b.range[0] || a.range[1] - b.range[1]),
  );
}

type UnplacedLink = Omit<EvidenceLink, 'points'>;

function givenLinks({ content, metadata, index }: NormalizedEntry, session: SessionEvidence): UnplacedLink[] {
  const citations = (metadata?.annotations ?? []).filter((annotation) => annotation.kind === 'citation');
  const ranges = givenRanges(content, citations);
  const once = new Map<string, UnplacedLink>();
  for (const [at, { url = null, title = null, description = null }] of citations.entries()) {
    const range = ranges[at] ?? [0, content.length];
    const key = JSON.stringify([range, url, title, description]);
    if (!once.has(key)) once.set(key, givenLink(content, range, { url, title, description }, session, index));
  }
  return [...once.values()];
}

function givenLink(
  content: string,
  range: TextRange,
  given: GivenSource,
  session: SessionEvidence,
  before: number,
): UnplacedLink {
  const claim = content.slice(...range);
  const mention: Mention = { range, kind: 'url', claim, url: given.url ?? '', hedged: false };
  const { candidates } = given.url === null ? { candidates: [] } : bind(mention, session, before);
  const [source] = candidates;
  return {
    range,
    kind: 'citation',
    claim,
    status: 'given',
    given,
    candidates,
    ...(source !== undefined && { source }),
    ...(given.url !== null && { url: given.url }),
  };
}

/**
 * Ranges count code points. A source without a range is for the whole text. One with an impossible range is for no words, and
 * goes to the end.
 */
function givenRanges(content: string, citations: readonly Citation[]): TextRange[] {
  const points = citations.flatMap(({ start_index: start, end_index: end }) => [start ?? 0, end ?? 0]);
  const ascending = [...new Set(points)].sort((a, b) => a - b);
  const offsets = utf16Offsets(content, ascending);
  const offset = new Map(ascending.map((point, at) => [point, offsets[at] ?? content.length]));
  const last = content.trimEnd().length;
  return citations.map(({ start_index: start, end_index: end }): TextRange => {
    if (typeof start !== 'number' && typeof end !== 'number') return [0, content.length];
    const from = offset.get(start ?? 0) ?? 0;
    const to = typeof end === 'number' ? (offset.get(end) ?? content.length) : content.length;
    return (start ?? 0) >= 0 && from < to ? [from, to] : [last, last];
  });
}

function deriveLinks(mention: Mention, { index }: NormalizedEntry, session: SessionEvidence): UnplacedLink[] {
  const { candidates, reason, judged } = bind(mention, session, index);
  const [source] = candidates;
  const found = reason === undefined && source !== undefined;
  if (!found && mention.hedged) return [];
  const { range, kind, claim, path, lines, url } = mention;
  return [
    {
      range,
      kind,
      claim,
      status: found ? 'found' : 'not_found',
      ...(found ? { source } : { reason: reason ?? 'no_matching_command' }),
      candidates,
      ...(path !== undefined && { path }),
      ...(lines !== undefined && { lines }),
      ...(url !== undefined && { url }),
      ...(judged !== undefined && { judged }),
    },
  ];
}

function isSame(cited: UnplacedLink, found: UnplacedLink): boolean {
  if (cited.url === undefined || found.url === undefined) return false;
  const meets = cited.range[0] < found.range[1] && found.range[0] < cited.range[1];
  return meets && normalUrl(cited.url) === normalUrl(found.url);
}

/** Start and end of all ranges in one pass over the text. */
function withPoints(text: string, links: readonly UnplacedLink[]): EvidenceLink[] {
  const offsets = [...new Set(links.flatMap(({ range }) => range))].sort((a, b) => a - b);
  const points = new Map<number, number>();
  let point = 0;
  let at = 0;
  for (const offset of offsets) {
    while (at < offset) {
      at += (text.codePointAt(at) ?? 0) > 0xffff && at + 1 < offset ? 2 : 1;
      point += 1;
    }
    points.set(offset, point);
  }
  return links.map((link) => ({ ...link, points: [points.get(link.range[0]) ?? 0, points.get(link.range[1]) ?? 0] }));
}
