import { candidate, minimumScore } from '../candidate.ts';
import type { ProgramKind } from '../commands/programs.ts';
import { commandsOf } from '../sources/commandCandidates.ts';
import type { SessionEvidence } from '../sources/sessionEvidence.ts';
import type { StepFacts } from '../sources/stepFacts.ts';
import type { Candidate, LaterChange, Mention, VerdictOfClaim } from '../types.ts';
import { judgeOutcome, type Judgement, type Relation } from './judge.ts';
import type { RunOutcome } from './runOutcome.ts';
import { isSubproject, scopeOf } from './runScope.ts';

type OutcomeMention = Mention & { readonly kind: ProgramKind };

interface Run {
  readonly facts: StepFacts;
  readonly outcome: RunOutcome;
  readonly relation: Relation;
  readonly judged: Judgement;
  /** The change that made it out of date; `undefined` if the run is current. */
  readonly changedBy: LaterChange | undefined;
}

export interface BoundOutcome {
  readonly candidates: readonly Candidate[];
  readonly judged: VerdictOfClaim;
}

/** The run that decides a claim, and its verdict. */
export function bindOutcome(mention: OutcomeMention, session: SessionEvidence, before: number): BoundOutcome {
  const runs = runsOf(mention, session, before);
  const meant = runs.filter(({ relation }) => relation !== 'other');
  const { run, judged } = decide(mention, meant) ?? {};
  const candidates = runs.map((testRun, rank) => {
    const score =
      testRun === run
        ? 0.98
        : testRun.relation === 'other'
          ? 0.3
          : Math.max(minimumScore, 0.96 - 0.02 * Math.min(rank, 10));
    return candidate(testRun.facts, score, 'ran');
  });
  return { candidates, judged: judged ?? { verdict: 'unknown', reason: 'no_run' } };
}

interface Decision {
  readonly run: Run;
  readonly judged: VerdictOfClaim;
}

const decision = (run: Run, judged: VerdictOfClaim = run.judged): Decision => ({ run, judged });

/** `runs`: newest first. */
function decide(mention: OutcomeMention, runs: readonly Run[]): Decision | undefined {
  if (mention.scope?.isOther === true)
    return runs[0] && decision(runs[0], { verdict: 'unknown', reason: 'other_scope' });
  if (mention.past === true) {
    const agreeingRun = runs.find(({ judged: { verdict } }) => verdict === 'agrees');
    if (agreeingRun !== undefined) return decision(agreeingRun);
    const failed = runs.find(({ outcome }) => mention.outcome === 'failed' && outcome.result === 'failed');
    if (failed !== undefined) return decision(failed);
  }
  const holding = runs.filter(
    ({ changedBy, outcome }) => (changedBy === undefined || mention.past === true) && outcome.result !== 'unknown',
  );
  const known = decideByOutcome(mention, holding);
  const shown = runs.find(({ changedBy, judged: { verdict } }) => changedBy !== undefined && verdict === 'agrees');
  // A part that passes now does not disprove an earlier failure of the whole.
  const isOnlyPart = known?.judged.verdict === 'partial' && mention.outcome === 'failed';
  if (known !== undefined && !(isOnlyPart && shown !== undefined)) return known;
  const unclear = runs.find(({ changedBy }) => changedBy === undefined);
  const stale = isOnlyPart
    ? shown
    : runs.find(({ changedBy, outcome }) => changedBy !== undefined && outcome.result !== 'unknown');
  if (
    unclear !== undefined &&
    !(isOnlyPart && stale !== undefined) &&
    (stale === undefined || unclear.outcome.reason !== 'not_run')
  )
    return decision(unclear);
  if (stale?.changedBy !== undefined)
    return decision(stale, { verdict: 'stale', reason: 'files_changed', changedBy: stale.changedBy });
  return runs[0] && decision(runs[0], { verdict: 'unknown', reason: runs[0].outcome.reason ?? 'no_outcome' });
}

/** The newest current run of each scope decides. A partial run can only disprove a claim about the whole. */
function decideByOutcome(mention: OutcomeMention, runs: readonly Run[]): Decision | undefined {
  const newest = new Map<string, Run>();
  for (const run of runs) {
    const key = run.relation === 'narrower' ? `part ${run.outcome.scope.names.join(' ')}` : `whole ${runnerOf(run)}`;
    const other = run.relation === 'narrower' ? undefined : newest.get('whole ');
    if (!newest.has(key) && other === undefined) newest.set(key, run);
  }
  const whole = runs.find(({ relation }) => relation !== 'narrower');
  // Earlier partial runs are parts of the complete run.
  const latest = [...newest.values()].filter(
    (run) => run.relation !== 'narrower' || whole === undefined || run.facts.entryIndex > whole.facts.entryIndex,
  );
  if (mention.outcome === 'passed' && mention.command === undefined) {
    const contradictingRun = latest.find(({ judged }) => judged.reason === 'other_outcome');
    if (contradictingRun !== undefined) return decision(contradictingRun);
  }
  const sure = latest.find(({ judged: { verdict } }) => verdict === 'agrees');
  if (sure !== undefined && (mention.outcome !== 'failed' || sure === latest[0])) return decision(sure);
  const decides = whole ?? latest[0];
  if (decides === undefined) return undefined;
  const passed = latest.reduce((sum, { outcome }) => sum + (outcome.counts.passed ?? NaN), 0);
  if (latest.length > 1 && mention.count === passed && mention.failures === undefined && mention.outcome === 'passed')
    return decision(decides, { verdict: 'agrees', reason: 'same_outcome' });
  return decision(decides);
}

/** Programs that printed the results of a run; empty if unknown. */
function runnerOf({ outcome: { runners } }: Run): string {
  return runners.filter((runner) => runner !== 'turbo' && runner !== 'nx' && runner !== 'plain').join(' ');
}

/** Runs of the claimed kind, newest first. */
function runsOf(mention: OutcomeMention, session: SessionEvidence, before: number): Run[] {
  const { kind, command, tool, claim } = mention;
  const ended = session.runsBefore(before).map(({ facts }) => facts);
  const toRuns = (facts: StepFacts, of: ProgramKind): Run[] => {
    const outcome = facts.outcomes.get(of);
    return outcome === undefined ? [] : [runFor(mention, facts, outcomeOfTool(outcome, tool), session, before)];
  };
  if (command !== undefined) {
    const named = new Set(commandsOf(command, true, session, before).map(({ entryIndex }) => entryIndex));
    return ended.filter(({ entryIndex }) => named.has(entryIndex)).flatMap((facts) => toRuns(facts, kind));
  }
  const runs = ended.filter((facts) => hasRunTool(facts, kind, tool)).flatMap((facts) => toRuns(facts, kind));
  if (runs.length > 0 || kind !== 'build' || !/[ck]ompil/i.test(claim)) return runs;
  // A type check also shows that something compiles.
  return ended.filter((facts) => hasRunTool(facts, 'check', 'types')).flatMap((facts) => toRuns(facts, 'check'));
}

function runFor(
  mention: OutcomeMention,
  facts: StepFacts,
  outcome: RunOutcome,
  session: SessionEvidence,
  before: number,
): Run {
  const relation = relationOf(mention, facts, outcome);
  const texts = /prettier|markdown|docs|vale|format|fmt/i.test(facts.command ?? '');
  const change = session.changeBetween(facts.entryIndex, before, texts);
  const own: LaterChange | undefined = outcome.isOutdated
    ? { entryIndex: facts.entryIndex, step: facts.step, path: null }
    : undefined;
  return { facts, outcome, relation, judged: judgeOutcome(mention, outcome, relation), changedBy: change ?? own };
}

function relationOf(
  { command, kind, scope = {}, count }: OutcomeMention,
  facts: StepFacts,
  outcome: RunOutcome,
): Relation {
  const { isPart } = outcome.scope;
  if (command !== undefined) {
    const own = scopeOf(command, kind, '');
    return isPart && !own.isPart
      ? 'narrower'
      : scope.subject === undefined
        ? 'same'
        : relationToSubject(scope.subject, outcome, facts);
  }
  if (scope.subject !== undefined) return relationToSubject(scope.subject, outcome, facts);
  if (scope.group !== undefined) return relationToGroup(scope.group, outcome, facts, count);
  return isPart ? 'narrower' : 'same';
}

function relationToSubject(subject: string, { scope, runners }: RunOutcome, { command = '' }: StepFacts): Relation {
  const named = scope.names.filter((name) => isSameName(name, subject));
  // `test_a.py::test_1` and `a_spec.rb:3` are parts of their files.
  if (named.length > 0)
    return named.every((name) => oneTest.test(name)) && !oneTest.test(subject) ? 'narrower' : 'same';
  // "The Cypress tests" are those that Cypress runs.
  if (runners.includes(subject)) return scope.isPart ? 'narrower' : 'same';
  if (scope.isPart) return 'other';
  if (command.toLowerCase().split(/[\s/]/).includes(subject)) return 'same';
  if (isSubproject(subject) && !scope.isRecursive)
    return command.toLowerCase().includes(subject) ? 'same' : 'uncertain';
  return 'wider';
}

const oneTest = /::|:\d+$/;

/** `packages/a`, `@scope/a` and `a` are the same; so are a file and its test. */
function isSameName(name: string, subject: string): boolean {
  const words = (text: string): string[] =>
    text
      .replace(/\.{3}$/, '')
      .split(/[\\/@:*.\s_-]+/)
      .filter(
        (word) =>
          word !== '' &&
          !/^(?:packages|apps|libs|crates|services|modules|plugins|projects|src|tests?|spec|ts|tsx|js|py|rb|go|rs|java|php|package|module|crate|suite|file)$/.test(
            word,
          ),
      );
  const [own, claimed] = [words(name), words(subject)];
  if (own.length === 0 || claimed.length === 0) return false;
  return claimed.every((word) =>
    own.some((ownWord) => ownWord === word || (word.length > 3 && ownWord.includes(word))),
  );
}

const special = /^(?:e2e|end-to-end|integration|acceptance|browser|smoke|system|ui|visual|performance|contract)$/;

function relationToGroup(
  group: string,
  { scope }: RunOutcome,
  { command = '' }: StepFacts,
  count: number | undefined,
): Relation {
  if (group === 'some') return scope.isPart || count !== undefined ? 'same' : 'wider';
  const isNamed = scope.names.some((name) => name.includes(group)) || command.toLowerCase().includes(group);
  if (isNamed || (group === 'unit' && !scope.isPart)) return 'same';
  if (/^(?:e2e|end-to-end|browser)$/.test(group) && /playwright|cypress|e2e/.test(command)) return 'same';
  if (scope.isPart) return 'other';
  return special.test(group) ? 'uncertain' : 'wider';
}

/** Other names of tools: the word in a claim, and what the command must contain. */
const families: readonly (readonly [RegExp, RegExp])[] = [
  [/^typ|^tsc$|^typescript$/, /\btsc\b|type-?check|types|mypy|pyright|vue-tsc|cargo check|\bcheck\b/],
  [/^lint/, /lint|ruff|clippy|flake8|biome|rubocop|go vet|staticcheck|credo|detekt|phpstan/],
  [/^format/, /fmt|format|prettier|black/],
];

export function hasRunTool(
  { command = '', outcomes }: StepFacts,
  kind: ProgramKind,
  tool: string | undefined,
): boolean {
  const outcome = outcomes.get(kind);
  if (outcome === undefined) return false;
  if (tool === undefined) return true;
  return mentionsTool(tool, command) || outcome.runners.some((runner) => mentionsTool(tool, runner));
}

function mentionsTool(tool: string, words: string): boolean {
  const family = families.find(([claimed]) => claimed.test(tool));
  return family === undefined ? words.toLowerCase().includes(tool) : family[1].test(words);
}

/** The outcome of one tool among several checks. */
function outcomeOfTool(outcome: RunOutcome, tool: string | undefined): RunOutcome {
  if (tool === undefined || outcome.tools.size === 0) return outcome;
  const own = [...outcome.tools].filter(([runner]) => mentionsTool(tool, runner)).map(([, result]) => result);
  if (own.length > 0 && (outcome.isSeveral || outcome.result === 'unknown'))
    return withResult(outcome, own.includes('failed') ? 'failed' : 'passed');
  return own.length === 0 && outcome.isSeveral && outcome.result === 'failed'
    ? { ...outcome, result: 'unknown', reason: 'no_outcome' }
    : outcome;
}

function withResult(outcome: RunOutcome, result: RunOutcome['result']): RunOutcome {
  const { counts, suites, nested, parts, runners, isCut, scope, isOutdated, isSeveral, tools } = outcome;
  return { result, counts, suites, nested, parts, runners, isCut, scope, isOutdated, isSeveral, tools };
}
