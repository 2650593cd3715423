import type { ToolStatus } from '../../model/transcript/tool.ts';

/** `given` by the agent; `found` in the record by Vitrine; `not_found` in it. */
export type EvidenceStatus = 'given' | 'found' | 'not_found';

/** How a claim compares with the record: it agrees, disagrees, is out of date, covers a part, or is unknown. */
export type ClaimVerdict = 'agrees' | 'disagrees' | 'stale' | 'partial' | 'unknown';

export interface JudgedClaim {
  readonly verdict: ClaimVerdict;
  /** Why: `same_outcome`, `files_changed`, `no_tests`, … */
  readonly reason: string;
  /** The step that changed files after the run. */
  readonly changedBy: { readonly entryIndex: number; readonly step: string; readonly path: string | null } | null;
}

/** A range of a message and the number of its source. `getEvidence` returns the rest. */
export interface PageLink {
  /** Position of the link in its entry, for `getEvidence`. */
  readonly at: number;
  /** The footnote's number. */
  readonly number: number;
  readonly status: EvidenceStatus;
  readonly verdict?: ClaimVerdict;
  /** UTF-16 offsets into the whole `content`, end exclusive. */
  readonly range: readonly [start: number, end: number];
  /** Entry index of the step that shows it. */
  readonly step?: number;
}

type Lines = readonly [first: number, last: number];

/** A step that the claim may refer to. */
export interface CardStep {
  readonly entryIndex: number;
  readonly step: string;
  readonly status: ToolStatus;
  readonly why: string;
  readonly path: string | null;
  readonly lines: Lines | null;
  readonly command: string | null;
  readonly exitCode: number | null;
  readonly url: string | null;
  readonly title: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** What has happened to the lines since that step; `null` if they cannot be compared. */
export type LineFate = 'same' | 'moved' | 'changed' | 'gone' | null;

/** Content of a source card. `null` is "unknown". */
export interface EvidenceCard {
  readonly number: number;
  readonly status: EvidenceStatus;
  readonly kind: 'file' | 'lines' | 'command' | 'url' | 'test' | 'build' | 'check' | 'citation';
  readonly claim: string;
  readonly given: {
    readonly url: string | null;
    readonly title: string | null;
    readonly description: string | null;
  } | null;
  readonly reason: 'file_not_in_session' | 'lines_not_seen' | 'url_not_in_session' | 'no_matching_command' | null;
  /** For claims about an outcome: how it compares with the record. */
  readonly judged: JudgedClaim | null;
  /** The claim. */
  readonly path: string | null;
  readonly lines: Lines | null;
  readonly url: string | null;
  /** The step that has it. */
  readonly source: CardStep | null;
  /** The text at that step. */
  readonly text: {
    readonly text: string;
    readonly lines: Lines | null;
    readonly cut: boolean;
    readonly hash: string;
  } | null;
  readonly since: LineFate;
  /** Whether such a file exists in the session's folder; only for sources that were not found. */
  readonly exists: boolean | null;
  /** Other possible steps, best first. */
  readonly others: readonly CardStep[];
}

/** One source of the session, however often it is cited. */
export interface PageSource {
  readonly number: number;
  readonly status: EvidenceStatus;
  readonly verdict: ClaimVerdict | null;
  readonly kind: EvidenceCard['kind'];
  /** File, command, title or words. */
  readonly name: string;
  /** Folder and lines, exit code, or URL. */
  readonly lines: Lines | null;
  readonly url: string | null;
  readonly exitCode: number | null;
  readonly path: string | null;
  readonly cited: number;
  /** The first message that cites it, and the position of that link. */
  readonly entryIndex: number;
  readonly link: number;
  readonly step: { readonly entryIndex: number; readonly step: string } | null;
}

export interface SourcesPage {
  /** Number of sources that match the query. */
  readonly total: number;
  readonly from: number;
  readonly sources: readonly PageSource[];
  /** Totals of the whole session, regardless of the query. */
  readonly sums: Readonly<Record<EvidenceStatus, number>>;
  /** Whether the whole session was searched. */
  readonly complete: boolean;
}
