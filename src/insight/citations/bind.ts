import { bindOutcome } from './outcomes/bindOutcome.ts';
import { bindCommandOutcome } from './outcomes/bindCommandOutcome.ts';
import { minimumScore } from './candidate.ts';
import { commandsOf } from './sources/commandCandidates.ts';
import { filesOf, urlsOf } from './sources/fileCandidates.ts';
import type { SessionEvidence } from './sources/sessionEvidence.ts';
import { maxCandidates, type Candidate, type Mention, type NotFoundReason, type Binding } from './types.ts';

/** The steps before entry `before` that support the claim. */
export function bind(mention: Mention, session: SessionEvidence, before: number): Binding {
  switch (mention.kind) {
    case 'file':
    case 'lines':
      return rankCandidates(
        filesOf(mention, session, before),
        mention.lines === undefined ? 'file_not_in_session' : 'lines_not_seen',
      );
    case 'url':
      return rankCandidates(urlsOf(mention, session, before), 'url_not_in_session');
    case 'command': {
      const candidates = commandsOf(mention.command ?? '', !mention.hedged, session, before);
      const binding = rankCandidates(candidates, 'no_matching_command');
      return mention.outcome === undefined ? binding : bindCommandOutcome(binding, mention);
    }
    case 'test':
    case 'build':
    case 'check': {
      const { candidates, judged } = bindOutcome({ ...mention, kind: mention.kind }, session, before);
      return { ...rankCandidates(candidates, 'no_matching_command'), judged };
    }
  }
}

/** For equal scores, newer steps come first. */
function rankCandidates(candidates: readonly Candidate[], reason: NotFoundReason): Binding {
  const best = new Map<number, Candidate>();
  for (const candidate of candidates) {
    const known = best.get(candidate.entryIndex);
    if (known === undefined || known.score < candidate.score) best.set(candidate.entryIndex, candidate);
  }
  const sorted = [...best.values()]
    .sort((a, b) => b.score - a.score || b.entryIndex - a.entryIndex)
    .slice(0, maxCandidates);
  const found = (sorted[0]?.score ?? 0) >= minimumScore;
  if (found) return { candidates: sorted };
  return {
    candidates: sorted,
    reason: sorted.length === 0 && reason === 'lines_not_seen' ? 'file_not_in_session' : reason,
  };
}
