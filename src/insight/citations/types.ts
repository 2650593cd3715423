import type { ToolStatus } from '../../model/transcript/tool.ts';

export interface Binding {
  /** Best first. */
  readonly candidates: readonly Candidate[];
  /** Absent: the first candidate is the source. */
  readonly reason?: NotFoundReason;
  /** Of claims that say how something went. */
  readonly judged?: VerdictOfClaim;
}

/** UTF-16 offsets into the entry's `content`: start inclusive, end exclusive. */
export type TextRange = readonly [start: number, end: number];

/** 1-based, both inclusive. */
export type LineRange = readonly [first: number, last: number];

/** What is claimed of the session: a file, a file at lines, a command, an address, or how tests, a build or a check went. */
export type ClaimKind = 'file' | 'lines' | 'command' | 'url' | 'test' | 'build' | 'check';

/** What a claim speaks of. */
export interface ClaimScope {
  /** Everything, in so many words. */
  readonly isWhole?: boolean;
  /** One package, file or topic, in small letters. */
  readonly subject?: string;
  /** A kind of tests: `unit`, `e2e`; `some` for those that the reader knows: "the new tests". */
  readonly group?: string;
  /** Not on this machine, or not all: no run of the session decides it. */
  readonly isOther?: boolean;
  /** Test suites or files, not tests. */
  readonly countsSuites?: boolean;
}

/** How a claim about an outcome compares with what the session shows. */
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

/** The step that changed files after a run; `path` where it is known. */
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

/** Something in an answer that can be looked up in the session. */
export interface Mention {
  readonly range: TextRange;
  readonly kind: ClaimKind;
  /** The words, as they stand in the answer. */
  readonly claim: string;
  readonly path?: string;
  readonly lines?: LineRange;
  readonly url?: string;
  readonly command?: string;
  /** How it went, as claimed. */
  readonly outcome?: 'passed' | 'failed';
  /** Tests that passed, or that there are, as claimed. */
  readonly count?: number;
  /** Tests that failed, as claimed. */
  readonly failures?: number;
  /** All tests, where a part of them is said to have passed or failed. */
  readonly total?: number;
  /** How much is claimed to have passed or failed. */
  readonly scope?: ClaimScope;
  /** What was, before something else was done. */
  readonly past?: boolean;
  /** The tool that a check names: `eslint`, `types`, … */
  readonly tool?: string;
  /** What the sentence says was done with the file. */
  readonly did?: 'read' | 'changed';
  /** The agent says that it changed the file, in so many words. */
  readonly isOwnChange?: boolean;
  /** Said to be missing, or not to answer. */
  readonly absent?: boolean;
  /**
   * Nothing to say where the session does not show it: a proposal, a condition, a negation, or words that only look like a
   * file or a command.
   */
  readonly hedged: boolean;
}

/** How a step is evidence for a claim; `score` is 0 to 1. */
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
  /** The step had the file, and which lines of it is not recorded. */
  | 'lines_unknown';

export interface Candidate {
  readonly entryIndex: number;
  readonly callId: string;
  /** Number in the gutter: `5`, `5.1`. */
  readonly step: string;
  readonly score: number;
  readonly why: EvidenceReason;
  readonly status: ToolStatus;
  /** Relative to the session's folder where it lies in it. */
  readonly path?: string;
  readonly lines?: LineRange;
  readonly command?: string;
  readonly exitCode?: number;
  readonly url?: string;
  readonly title?: string;
  /** ISO 8601. */
  readonly at: string;
  /** The command was cut off, or no one waited for it. */
  readonly unfinished?: true;
}

/** What the agent itself gives as a source; `null` where it does not say. */
export interface GivenSource {
  readonly url: string | null;
  readonly title: string | null;
  readonly description: string | null;
}

export type NotFoundReason = 'file_not_in_session' | 'lines_not_seen' | 'url_not_in_session' | 'no_matching_command';

/** A range of an answer and where it comes from. */
export interface EvidenceLink {
  readonly range: TextRange;
  /** The same range in code points, as the specification counts. */
  readonly points: TextRange;
  readonly kind: ClaimKind | 'citation';
  /** The words of the range. */
  readonly claim: string;
  /** `sessionOfArgument` by the agent, `found` in the session by us, or `not_found` in it. */
  readonly status: 'given' | 'found' | 'not_found';
  readonly given?: GivenSource;
  /** The best candidate. */
  readonly source?: Candidate;
  /** All of them, best first, at most `maxCandidates`. */
  readonly candidates: readonly Candidate[];
  readonly reason?: NotFoundReason;
  /** What is claimed: of a file or an address that was not found, too. */
  readonly path?: string;
  readonly lines?: LineRange;
  readonly url?: string;
  /** Of claims that say how something went. */
  readonly judged?: VerdictOfClaim;
}

export const maxCandidates = 20;
