import type { ToolStatus } from '../../model/transcript/tool.ts';

export interface Binding {
  /** Best first. */
  readonly candidates: readonly Candidate[];
  /** Absent: the first candidate is the source. */
  readonly reason?: NotFoundReason;
  /** For claims about an outcome. */
  readonly judged?: VerdictOfClaim;
}

/** UTF-16 offsets into the entry's `content`: start inclusive, end exclusive. */
export type TextRange = readonly [start: number, end: number];

/** 1-based, both inclusive. */
export type LineRange = readonly [first: number, last: number];

/** What is claimed: a file, a file at lines, a command, a URL, or the outcome of tests, a build or a check. */
export type ClaimKind = 'file' | 'lines' | 'command' | 'url' | 'test' | 'build' | 'check';

/** The scope of a claim. */
export interface ClaimScope {
  /** Explicitly everything. */
  readonly isWhole?: boolean;
  /** One package, file or topic, in lower case. */
  readonly subject?: string;
  /** A kind of tests: `unit`, `e2e`; `some` for tests known from context: "the new tests". */
  readonly group?: string;
  /** The claim covers other machines, at least in part, so no run of the session decides it. */
  readonly isOther?: boolean;
  /** Test suites or files, not tests. */
  readonly countsSuites?: boolean;
}

/** How a claim about an outcome compares with the session. */
export type ClaimVerdict = 'agrees' | 'disagrees' | 'stale' | 'partial' | 'unknown';

export type VerdictReason =
  | 'same_outcome'
  | 'other_outcome'
  | 'other_count'
  | 'count_unknown'
  | 'files_changed'
  | 'part_of_project'
  | 'other_scope'
  | 'no_run'
  | 'no_outcome'
  | 'interrupted'
  | 'background'
  | 'not_run'
  | 'no_tests';

/** The step that changed files after a run; `path` if known. */
export interface LaterChange {
  readonly entryIndex: number;
  readonly step: string;
  readonly path: string | null;
}

export interface VerdictOfClaim {
  readonly verdict: ClaimVerdict;
  readonly reason: VerdictReason;
  readonly changedBy?: LaterChange;
}

/** Something in an answer that the session can confirm. */
export interface Mention {
  readonly range: TextRange;
  readonly kind: ClaimKind;
  /** The words of the answer. */
  readonly claim: string;
  readonly path?: string;
  readonly lines?: LineRange;
  readonly url?: string;
  readonly command?: string;
  /** The claimed outcome. */
  readonly outcome?: 'passed' | 'failed';
  /** Claimed number of passed tests, or of all tests. */
  readonly count?: number;
  /** Claimed number of failed tests. */
  readonly failures?: number;
  /** Number of all tests, if a part of them is said to have passed or failed. */
  readonly total?: number;
  /** Claimed scope. */
  readonly scope?: ClaimScope;
  /** About the state before a change. */
  readonly past?: boolean;
  /** The tool that a check names: `eslint`, `types`, … */
  readonly tool?: string;
  /** What the sentence says was done with the file. */
  readonly did?: 'read' | 'changed';
  /** The agent explicitly says that it changed the file. */
  readonly isOwnChange?: boolean;
  /** Said to be missing, or not to answer. */
  readonly absent?: boolean;
  /** Not shown as unsupported: a suggestion, a condition, a negation, or words that only look like a file or command. */
  readonly hedged: boolean;
}

/** How well a step supports a claim; `score` is 0 to 1. */
export type EvidenceReason =
  | 'read'
  | 'edited'
  | 'written'
  | 'deleted'
  | 'named_in_command'
  | 'named_in_output'
  | 'ran'
  | 'ran_as_part'
  | 'fetched'
  | 'search_result'
  /** The step had the file, but not these lines. */
  | 'other_lines'
  /** The step had the file, but its lines are not recorded. */
  | 'lines_unknown';

export interface Candidate {
  readonly entryIndex: number;
  readonly callId: string;
  /** Number in the gutter: `5`, `5.1`. */
  readonly step: string;
  readonly score: number;
  readonly why: EvidenceReason;
  readonly status: ToolStatus;
  /** Relative to the session's folder if inside it. */
  readonly path?: string;
  readonly lines?: LineRange;
  readonly command?: string;
  readonly exitCode?: number;
  readonly url?: string;
  readonly title?: string;
  /** ISO 8601. */
  readonly at: string;
  /** The command was interrupted, or continued in the background. */
  readonly unfinished?: true;
}

/** A source from the agent itself; `null` for what it does not say. */
export interface GivenSource {
  readonly url: string | null;
  readonly title: string | null;
  readonly description: string | null;
}

export type NotFoundReason = 'file_not_in_session' | 'lines_not_seen' | 'url_not_in_session' | 'no_matching_command';

/** A range of an answer and its source. */
export interface EvidenceLink {
  readonly range: TextRange;
  /** The same range in code points, as in the specification. */
  readonly points: TextRange;
  readonly kind: ClaimKind | 'citation';
  /** The words of the range. */
  readonly claim: string;
  /** `given` by the agent; `found` in the session by Vitrine; `not_found` in it. */
  readonly status: 'given' | 'found' | 'not_found';
  readonly given?: GivenSource;
  /** The best candidate. */
  readonly source?: Candidate;
  /** All candidates, best first, at most `maxCandidates`. */
  readonly candidates: readonly Candidate[];
  readonly reason?: NotFoundReason;
  /** The claim; also for a file or URL that was not found. */
  readonly path?: string;
  readonly lines?: LineRange;
  readonly url?: string;
  /** For claims about an outcome. */
  readonly judged?: VerdictOfClaim;
}

export const maxCandidates = 20;
