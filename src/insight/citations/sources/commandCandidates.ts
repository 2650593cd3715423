import { candidate } from '../candidate.ts';
import { withoutWrappers } from '../commands/commandForms.ts';
import { looksLikeCommand } from '../commands/programs.ts';
import { collapseSpaces } from '../commands/shell.ts';
import type { Candidate } from '../types.ts';
import type { StepMatch, SessionEvidence } from './sessionEvidence.ts';

/** A single word in prose may name a program: it refers to a run only if it is `reported` as one. */
export function commandsOf(content: string, reported: boolean, session: SessionEvidence, before: number): Candidate[] {
  const command = collapseSpaces(content.replace(/^[$>] /, ''));
  const cut = /(?:…|\.\.\.)$/.test(command);
  const start = command.replace(/\s?(?:…|\.\.\.)$/, '');
  const bare = withoutWrappers(start);
  const ran = (known: readonly StepMatch<string>[], penalty: number): Candidate[] =>
    known.map((step) => runCandidate(step, start, penalty));
  const exact = ran(session.findExactRuns(start, before), 0);
  if (exact.length > 0) return exact;
  const similarRuns = ran(session.findExactRuns(bare, before), 0.02);
  if (similarRuns.length > 0) return similarRuns;
  if (!start.includes(' ') && !(reported && looksLikeCommand(start))) return [];
  const longer = ran(session.commandsStartingWith(cut ? start : `${start} `, before), 0.15);
  return longer.length > 0 || bare === start
    ? longer
    : ran(session.commandsStartingWith(cut ? bare : `${bare} `, before), 0.17);
}

function runCandidate({ facts }: StepMatch<string>, content: string, penalty: number): Candidate {
  const whole = facts.command === content;
  return candidate(facts, (whole ? 1 : 0.95) - penalty, whole ? 'ran' : 'ran_as_part');
}
