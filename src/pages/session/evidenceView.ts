import type { Evidence } from '../../insight/citations/sources/evidence.ts';
import type { NumberedLink } from '../../insight/citations/sessionLinks.ts';
import type { Source } from '../../insight/citations/sources/sources.ts';
import type { Candidate, EvidenceLink } from '../../insight/citations/types.ts';
import type { CardStep, EvidenceCard, PageLink, PageSource, LineFate } from '../../protocol/panel/evidence.ts';

/** Maximum characters of a claim, command or title. */
const longest = 2000;

export function pageLink({ at, number, link }: NumberedLink): PageLink {
  const { range, status, source, judged } = link;
  return {
    at,
    number,
    status,
    range,
    ...(judged !== undefined && { verdict: judged.verdict }),
    ...(source !== undefined && { step: source.entryIndex }),
  };
}

export interface EvidenceLookup {
  readonly evidence: Evidence | null;
  readonly since: LineFate;
  readonly exists: boolean | null;
}

export function evidenceCard(
  { number, link }: NumberedLink,
  { evidence, since, exists }: EvidenceLookup,
): EvidenceCard {
  const { status, kind, claim, given, reason, judged, path, lines, url, source, candidates } = link;
  const text = evidence?.originalText ?? null;
  return {
    number,
    status,
    kind,
    claim: claim.slice(0, longest),
    given: given === undefined ? null : { ...given, description: given.description?.slice(0, longest) ?? null },
    reason: reason ?? null,
    judged: judged === undefined ? null : { ...judged, changedBy: judged.changedBy ?? null },
    path: path ?? null,
    lines: lines ?? null,
    url: url ?? null,
    source: source === undefined ? null : cardStep(source),
    text:
      evidence === null || text === null
        ? null
        : { text, lines: evidence.lines, cut: evidence.cut, hash: evidence.hash ?? '' },
    since,
    exists,
    others: candidates.filter((candidate) => candidate.entryIndex !== source?.entryIndex).map(cardStep),
  };
}

function cardStep(candidate: Candidate): CardStep {
  const { entryIndex, step, status, why, path, lines, command, exitCode, url, title, at } = candidate;
  return {
    entryIndex,
    step,
    status,
    why,
    path: path ?? null,
    lines: lines ?? null,
    command: command?.slice(0, longest) ?? null,
    exitCode: exitCode ?? null,
    url: url ?? null,
    title: title?.slice(0, longest) ?? null,
    at,
  };
}

export function pageSource({ number, link, entries, cited }: Source, at: number): PageSource {
  const { status, kind, source, lines, exitCode, path, url } = { exitCode: link.source?.exitCode, ...link };
  return {
    number,
    status,
    verdict: link.judged?.verdict ?? null,
    kind,
    name: nameOf(link).slice(0, 300),
    lines: lines ?? source?.lines ?? null,
    path: source?.path ?? path ?? null,
    url: (link.given?.url ?? source?.url ?? url)?.slice(0, longest) ?? null,
    exitCode: exitCode ?? null,
    cited,
    entryIndex: entries[0] ?? 0,
    link: at,
    step: source === undefined ? null : { entryIndex: source.entryIndex, step: source.step },
  };
}

function nameOf({ given, source, path, url, claim }: EvidenceLink): string {
  if (given !== undefined) return given.title ?? given.url ?? given.description ?? claim;
  return source?.path ?? path ?? source?.title ?? source?.command ?? source?.url ?? url ?? claim;
}
