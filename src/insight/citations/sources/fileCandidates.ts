import { candidate } from '../candidate.ts';
import type { Candidate, LineRange, Mention } from '../types.ts';
import { baseName, normalPath } from './pathNames.ts';
import type { SessionEvidence } from './sessionEvidence.ts';
import type { StepFacts, Touch } from './stepFacts.ts';

const weights: Readonly<Record<Touch['why'], number>> = {
  read: 0.9,
  edited: 0.9,
  written: 0.9,
  deleted: 0.88,
  named_in_command: 0.7,
  named_in_output: 0.6,
};

/** Steps that involved the claimed file. */
export function filesOf(mention: Mention, session: SessionEvidence, before: number): Candidate[] {
  const known = pathsLike(mention.path ?? '', session).flatMap(({ path, fit }) =>
    session.touchesOf(path, before).map((touch) => ({ ...touch, fit })),
  );
  const length = mostLines(known.map(({ what }) => what));
  return known.map(({ facts, what, fit }) =>
    fileCandidate(mention, facts, what, fit === 'shorter' ? shorterFit(facts, what) : fit, length),
  );
}

/** Possible lines of a file, from steps that had all of it and those that added lines. */
function mostLines(touches: readonly Touch[]): number {
  const lengths = touches.flatMap(({ length }) => length ?? []);
  // A command may have changed it in any way.
  if (lengths.length === 0 || touches.some(({ why }) => why === 'named_in_command')) return Infinity;
  return touches.reduce((sum, { added = 0 }) => sum + added, Math.max(...lengths));
}

/** For a file known by a shorter path than claimed: a command may have run in a subfolder; a tool names the whole path. */
function shorterFit({ command }: StepFacts, { why }: Touch): number {
  return command !== undefined || why === 'named_in_output' || why === 'named_in_command' ? 0.97 : 0.5;
}

/** Paths of the session that may be meant; `fit` is 1 for the same path. */
function pathsLike(
  named: string,
  session: SessionEvidence,
): { readonly path: string; readonly fit: number | 'shorter' }[] {
  const path = normalPath(named, session.workDir);
  const known = session.pathsNamed(baseName(path));
  const similarPaths = known.filter(
    (other) => other !== path && (endsWithPath(other, path) || endsWithPath(path, other)),
  );
  if (!known.includes(path)) {
    const root = normalPath(session.workDir, '').replace(/\/+$/, '');
    return similarPaths.map((other) => {
      // Known by its path in the session's folder, which is in a larger repository.
      const isHere = endsWithPath(other, path) || (!other.startsWith('/') && endsWithPath(`${root}/${other}`, path));
      return { path: other, fit: isHere ? 0.97 : 'shorter' };
    });
  }
  // A recording may come from another folder, with relative paths in its commands.
  const others = path.includes('/') ? similarPaths.filter((other) => other.startsWith('/')) : [];
  return [{ path, fit: 1 }, ...others.map((other) => ({ path: other, fit: 0.97 }))];
}

function endsWithPath(path: string, ending: string): boolean {
  const a = path.toLowerCase();
  const b = ending.toLowerCase().replace(/^\/+/, '');
  return a === b || (b !== '' && a.endsWith(`/${b}`));
}

/** Score factor of a step that cannot be the source. */
const unsupported = 0.45;

function fileCandidate(
  { lines, did, isOwnChange, absent }: Mention,
  facts: StepFacts,
  touch: Touch,
  fit: number,
  length: number,
): Candidate {
  const { why, path, ranges } = touch;
  const wrote = why === 'edited' || why === 'written' || why === 'deleted';
  const cue = did === undefined ? 0 : (did === 'changed') === wrote ? 0.08 : -0.04;
  const named = why === 'named_in_command' || why === 'named_in_output';
  // A failed change is listed, but is not evidence.
  const outcomeScore = facts.status === 'success' || named ? 0 : wrote && did === 'changed' ? -0.6 : -0.15;
  const isMissing = touch.missing === true || (why === 'read' && facts.status !== 'success');
  // A file that could not be read was not reviewed; one that was only read or named was not changed.
  const unfit = (isMissing && absent !== true) || (isOwnChange === true && !wrote && touch.mayChange !== true);
  const base = (weights[why] + cue + outcomeScore) * fit * (unfit ? unsupported : 1);
  if (lines === undefined) return candidate(facts, base, why, { path, ...firstRange(ranges) });
  if (unfit) return candidate(facts, base, why, { path, ...firstRange(ranges) });
  const range = ranges?.find((lineRange) => lineRange[0] <= lines[0] && lineRange[1] >= lines[1]);
  // The newest step that had these lines is their source.
  if (range !== undefined)
    return candidate(facts, (why === 'named_in_output' ? 0.86 : 0.9 + cue / 2 + outcomeScore) * fit, why, {
      path,
      lines: range,
    });
  if (ranges === null && why !== 'named_in_command' && lines[0] <= length)
    return candidate(facts, (0.75 + cue / 2 + outcomeScore) * fit, 'lines_unknown', { path });
  const part = ranges?.find((lineRange) => lineRange[0] <= lines[1] && lineRange[1] >= lines[0]);
  if (part !== undefined && why !== 'named_in_output')
    return candidate(facts, (0.7 + outcomeScore) * fit, why, { path, lines: part });
  if (part !== undefined) return candidate(facts, 0.65 * fit, why, { path, lines: part });
  return candidate(facts, 0.3, 'other_lines', { path, ...firstRange(ranges) });
}

function firstRange(ranges: readonly LineRange[] | null): { lines?: LineRange } {
  const [only, second] = ranges ?? [];
  return only === undefined || second !== undefined ? {} : { lines: only };
}

const urlWeights = { fetched: 0.95, search_result: 0.85, named_in_command: 0.9, named_in_output: 0.7 } as const;

/** Steps that involved a URL. */
export function urlsOf({ url = '', absent }: Mention, session: SessionEvidence, before: number): Candidate[] {
  return session.urlsLike(url, before).map(({ facts, what }) => {
    // A failed request only shows that it failed.
    const failed = what.failed === true && absent !== true ? unsupported : 1;
    const score = failed * (urlWeights[what.why] - (facts.status === 'success' ? 0 : 0.1));
    return candidate(facts, score, what.why, { url: what.url, ...(what.title !== undefined && { title: what.title }) });
  });
}
