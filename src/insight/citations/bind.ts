import { bareForm } from './commands/commandForms.ts';
import { baseName, normalPath } from './sources/pathNames.ts';
import { looksLikeCommand, type ProgramKind } from './commands/programs.ts';
import { squeezed } from './commands/shell.ts';
import type { Known, SessionEvidence } from './sources/sessionEvidence.ts';
import type { StepFacts, Touch } from './sources/stepFacts.ts';
import { maxCandidates, type Candidate, type LineRange, type Mention, type NotFoundReason } from './types.ts';

export interface Binding {
  /** Best first. */
  readonly candidates: readonly Candidate[];
  /** Absent: the first candidate is the source. */
  readonly reason?: NotFoundReason;
  readonly agrees?: boolean;
}

/** A candidate below this is listed, and is no evidence. */
const enough = 0.5;

/** The steps before entry `before` that show what is claimed. */
export function bind(mention: Mention, session: SessionEvidence, before: number): Binding {
  switch (mention.kind) {
    case 'file':
    case 'lines':
      return ranked(
        filesOf(mention, session, before),
        mention.lines === undefined ? 'file_not_in_session' : 'lines_not_seen',
      );
    case 'url':
      return ranked(urlsOf(mention.url ?? '', session, before), 'url_not_in_session');
    case 'command':
      return ranked(commandsOf(mention.command ?? '', !mention.hedged, session, before), 'no_matching_command');
    case 'test':
    case 'build':
    case 'check':
      return outcomesOf({ ...mention, kind: mention.kind }, session, before);
  }
}

/** Newer steps come first among equals. */
function ranked(candidates: readonly Candidate[], reason: NotFoundReason): Binding {
  const best = new Map<number, Candidate>();
  for (const each of candidates) {
    const known = best.get(each.entryIndex);
    if (known === undefined || known.score < each.score) best.set(each.entryIndex, each);
  }
  const sorted = [...best.values()]
    .sort((a, b) => b.score - a.score || b.entryIndex - a.entryIndex)
    .slice(0, maxCandidates);
  const found = (sorted[0]?.score ?? 0) >= enough;
  if (found) return { candidates: sorted };
  return {
    candidates: sorted,
    reason: sorted.length === 0 && reason === 'lines_not_seen' ? 'file_not_in_session' : reason,
  };
}

function candidate(facts: StepFacts, score: number, why: Candidate['why'], more: Partial<Candidate> = {}): Candidate {
  const { entryIndex, callId, step, status, at, command, exitCode } = facts;
  return {
    entryIndex,
    callId,
    step,
    score: Math.round(Math.max(0, Math.min(1, score)) * 1000) / 1000,
    why,
    status,
    at,
    ...(command !== undefined && { command }),
    ...(exitCode !== undefined && { exitCode }),
    ...more,
  };
}

const weights: Readonly<Record<Touch['why'], number>> = {
  read: 0.9,
  edited: 0.9,
  written: 0.9,
  deleted: 0.88,
  named_in_command: 0.7,
  named_in_output: 0.6,
};

function filesOf(mention: Mention, session: SessionEvidence, before: number): Candidate[] {
  const known = pathsLike(mention.path ?? '', session).flatMap(({ path, fit }) =>
    session.touchesOf(path, before).map((touch) => ({ ...touch, fit })),
  );
  const length = mostLines(known.map(({ what }) => what));
  return known.map(({ facts, what, fit }) =>
    fileCandidate(mention, facts, what, fit === 'shorter' ? shorterFit(facts, what) : fit, length),
  );
}

/** Lines that a file can have had, by steps that had all of it and those that added to it. */
function mostLines(touches: readonly Touch[]): number {
  const lengths = touches.flatMap(({ length }) => length ?? []);
  // A command may have done anything with it.
  if (lengths.length === 0 || touches.some(({ why }) => why === 'named_in_command')) return Infinity;
  return touches.reduce((sum, { added = 0 }) => sum + added, Math.max(...lengths));
}

/** Where a file is known by a shorter path than is claimed: a command may have been run in a folder, a tool names it all. */
function shorterFit({ command }: StepFacts, { why }: Touch): number {
  return command !== undefined || why === 'named_in_output' || why === 'named_in_command' ? 0.97 : 0.5;
}

/** The paths of the session that somebody could mean; `fit` is 1 for the very same. */
function pathsLike(
  named: string,
  session: SessionEvidence,
): { readonly path: string; readonly fit: number | 'shorter' }[] {
  const path = normalPath(named, session.workDir);
  const known = session.pathsNamed(baseName(path));
  const alike = known.filter((each) => each !== path && (endsWithPath(each, path) || endsWithPath(path, each)));
  if (!known.includes(path)) {
    const root = normalPath(session.workDir, '').replace(/\/+$/, '');
    return alike.map((each) => {
      // Known by its path in the session's folder, which lies in a larger repository.
      const isHere = endsWithPath(each, path) || (!each.startsWith('/') && endsWithPath(`${root}/${each}`, path));
      return { path: each, fit: isHere ? 0.97 : 'shorter' };
    });
  }
  // A recording may have been made in another folder, whose files its commands name by their relative paths.
  const elsewhere = path.includes('/') ? alike.filter((each) => each.startsWith('/')) : [];
  return [{ path, fit: 1 }, ...elsewhere.map((each) => ({ path: each, fit: 0.97 }))];
}

function endsWithPath(path: string, ending: string): boolean {
  const a = path.toLowerCase();
  const b = ending.toLowerCase().replace(/^\/+/, '');
  return a === b || (b !== '' && a.endsWith(`/${b}`));
}

function fileCandidate(
  { lines, did }: Mention,
  facts: StepFacts,
  touch: Touch,
  fit: number,
  length: number,
): Candidate {
  const { why, path, ranges } = touch;
  const wrote = why === 'edited' || why === 'written' || why === 'deleted';
  const cue = did === undefined ? 0 : (did === 'changed') === wrote ? 0.08 : -0.04;
  const named = why === 'named_in_command' || why === 'named_in_output';
  // A change that was not made is listed, and is none.
  const went = facts.status === 'success' || named ? 0 : wrote && did === 'changed' ? -0.6 : -0.15;
  const base = (weights[why] + cue + went) * fit;
  if (lines === undefined) return candidate(facts, base, why, { path, ...firstRange(ranges) });
  const range = ranges?.find((each) => each[0] <= lines[0] && each[1] >= lines[1]);
  // The newest step that had the lines is the one whose lines they are.
  if (range !== undefined)
    return candidate(facts, (why === 'named_in_output' ? 0.86 : 0.9 + cue / 2 + went) * fit, why, {
      path,
      lines: range,
    });
  if (ranges === null && why !== 'named_in_command' && lines[0] <= length)
    return candidate(facts, (0.75 + cue / 2 + went) * fit, 'lines_unknown', { path });
  const part = ranges?.find((each) => each[0] <= lines[1] && each[1] >= lines[0]);
  if (part !== undefined && why !== 'named_in_output')
    return candidate(facts, (0.7 + went) * fit, why, { path, lines: part });
  if (part !== undefined) return candidate(facts, 0.65 * fit, why, { path, lines: part });
  return candidate(facts, 0.3, 'other_lines', { path, ...firstRange(ranges) });
}

function firstRange(ranges: readonly LineRange[] | null): { lines?: LineRange } {
  const [only, more] = ranges ?? [];
  return only === undefined || more !== undefined ? {} : { lines: only };
}

const urlWeights = { fetched: 0.95, search_result: 0.85, named_in_command: 0.9, named_in_output: 0.7 } as const;

function urlsOf(url: string, session: SessionEvidence, before: number): Candidate[] {
  return session.urlsLike(url, before).map(({ facts, what }) => {
    const score = urlWeights[what.why] - (facts.status === 'success' ? 0 : 0.1);
    return candidate(facts, score, what.why, { url: what.url, ...(what.title !== undefined && { title: what.title }) });
  });
}

/** A single word in prose may be the name of a program: it is a run of it only where it is `reported` as one. */
function commandsOf(shown: string, reported: boolean, session: SessionEvidence, before: number): Candidate[] {
  const command = squeezed(shown.replace(/^[$>] /, ''));
  const cut = /(?:…|\.\.\.)$/.test(command);
  const start = command.replace(/\s?(?:…|\.\.\.)$/, '');
  const bare = bareForm(start);
  const ran = (known: readonly Known<string>[], penalty: number): Candidate[] =>
    known.map((each) => ranCandidate(each, start, penalty));
  const exact = ran(session.ranExactly(start, before), 0);
  if (exact.length > 0) return exact;
  const alike = ran(session.ranExactly(bare, before), 0.02);
  if (alike.length > 0) return alike;
  if (!start.includes(' ') && !(reported && looksLikeCommand(start))) return [];
  const longer = ran(session.ranBeginning(cut ? start : `${start} `, before), 0.15);
  return longer.length > 0 || bare === start
    ? longer
    : ran(session.ranBeginning(cut ? bare : `${bare} `, before), 0.17);
}

function ranCandidate({ facts }: Known<string>, shown: string, penalty: number): Candidate {
  const whole = facts.command === shown;
  return candidate(facts, (whole ? 1 : 0.95) - penalty, whole ? 'ran' : 'ran_as_part');
}

/** The newest run decides, unless an older one is the only one that fits what is said of it. */
function outcomesOf(
  mention: Mention & { readonly kind: ProgramKind },
  session: SessionEvidence,
  before: number,
): Binding {
  const { outcome, count } = mention;
  const { runs, kind } = runsOf(mention, session, before);
  const candidates = runs.map(({ facts }, rank) => {
    const otherwise = outcome === 'failed' && facts.passed.get(kind) === true ? 0.35 : 0;
    const counted = count === undefined || countFits(facts, count) ? 0 : 0.2;
    return candidate(facts, Math.max(enough, 0.98 - 0.02 * Math.min(rank, 10) - otherwise - counted), 'ran');
  });
  const binding = ranked(candidates, 'no_matching_command');
  const source = runs.find(({ facts }) => facts.entryIndex === binding.candidates[0]?.entryIndex)?.facts;
  if (source === undefined) return binding;
  const { passed, failed } = source.counts ?? {};
  const fits = count === undefined || countFits(source, count);
  if (outcome !== undefined) {
    const went = source.passed.get(kind);
    return went === undefined ? binding : { ...binding, agrees: fits && went === (outcome === 'passed') };
  }
  return count === undefined || (passed ?? failed) === undefined ? binding : { ...binding, agrees: fits };
}

/** The runs that are meant, newest first, and what of them is. */
function runsOf(
  { kind, command, tool, claim }: Mention & { readonly kind: ProgramKind },
  session: SessionEvidence,
  before: number,
): { readonly runs: readonly Known<string>[]; readonly kind: ProgramKind } {
  const ended = session
    .runsBefore(before)
    .filter(({ facts: { status } }) => status === 'success' || status === 'failed');
  if (command !== undefined) {
    const named = new Set(commandsOf(command, true, session, before).map(({ entryIndex }) => entryIndex));
    return { runs: ended.filter(({ facts }) => named.has(facts.entryIndex)), kind };
  }
  const runs = ended.filter(({ facts }) => facts.kinds.has(kind) && isTool(facts, tool));
  if (runs.length > 0 || kind !== 'build' || !/[ck]ompil/i.test(claim)) return { runs, kind };
  // That something compiles is shown by a check of its types, too.
  return { runs: ended.filter(({ facts }) => facts.kinds.has('check') && isTool(facts, 'types')), kind: 'check' };
}

/** Unknown counts fit everything. */
function countFits({ counts }: StepFacts, count: number): boolean {
  const { passed, failed } = counts ?? {};
  if (passed === undefined && failed === undefined) return true;
  return [passed, failed, (passed ?? 0) + (failed ?? 0)].includes(count);
}

/** Tools by another name: what a claim says, and what must be in the command. */
const families: readonly (readonly [RegExp, RegExp])[] = [
  [/^typ|^tsc$|^typescript$/, /\btsc\b|type-?check|types|mypy|pyright|vue-tsc|cargo check|\bcheck\b/],
  [/^lint/, /lint|ruff|clippy|flake8|biome|rubocop|go vet|staticcheck|credo|detekt|phpstan/],
  [/^format/, /fmt|format|prettier|black/],
];

function isTool({ command = '' }: StepFacts, tool: string | undefined): boolean {
  if (tool === undefined) return true;
  const family = families.find(([claimed]) => claimed.test(tool));
  return family === undefined ? command.toLowerCase().includes(tool) : family[1].test(command);
}
