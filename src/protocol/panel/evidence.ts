import type { ToolStatus } from '../../model/transcript/tool.ts';

/** `sessionOfArgument` by the agent, `found` by us in the record of the session, or `not_found` in it. */
export type EvidenceStatus = 'given' | 'found' | 'not_found';

/** How a claim about an outcome compares with the record: it agrees, disagrees, is out of date, of a part, or not known. */
export type ClaimVerdict = 'agrees' | 'disagrees' | 'stale' | 'partial' | 'unknown';

export interface JudgedClaim {
  readonly verdict: ClaimVerdict;
  /** Why: `same_outcome`, `files_changed`, `no_tests`, … */
  readonly reason: string;
  /** The step that changed files after the run. */
  readonly changedBy: { readonly entryIndex: number; readonly step: string; readonly path: string | null } | null;
}

/** A range of a message and the number of its source. Everything else is asked for with `getEvidence`. */
export interface PageLink {
  /** Which link of its entry; what `getEvidence` takes. */
  readonly at: number;
  /** The footnote's number. */
  readonly number: number;
  readonly status: EvidenceStatus;
  readonly verdict?: ClaimVerdict;
  /** UTF-16 offsets into the whole `content`, end exclusive. */
  readonly range: readonly [start: number, end: number];
  /** Index of the entry of the step that shows it. */
  readonly step?: number;
}

type Lines = readonly [first: number, last: number];

/** A step that may be meant. */
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

/** What became of the lines since the step had them; `null` where nothing can be compared. */
export type SinceThen = 'same' | 'moved' | 'changed' | 'gone' | null;

/** What the card of a source shows. `null` is "not known". */
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
  /** How the claim compares with what was recorded; of claims that say how something went. */
  readonly judged: JudgedClaim | null;
  /** What is claimed. */
  readonly path: string | null;
  readonly lines: Lines | null;
  readonly url: string | null;
  /** The step that it was found in. */
  readonly source: CardStep | null;
  /** As the step had it. */
  readonly text: {
    readonly text: string;
    readonly lines: Lines | null;
    readonly cut: boolean;
    readonly hash: string;
  } | null;
  readonly since: SinceThen;
  /** Whether a file of that name exists in the session's folder now; of what was not found only. */
  readonly exists: boolean | null;
  /** Other steps that may be meant, best first. */
  readonly others: readonly CardStep[];
}

/** One source of the session, however often it is cited. */
export interface PageSource {
  readonly number: number;
  readonly status: EvidenceStatus;
  readonly verdict: ClaimVerdict | null;
  readonly kind: EvidenceCard['kind'];
  /** File, command, title or words of it. */
  readonly name: string;
  /** Folder and lines, exit code, or address. */
  readonly lines: Lines | null;
  readonly url: string | null;
  readonly exitCode: number | null;
  readonly path: string | null;
  readonly cited: number;
  /** The first message that cites it, and which of its links does. */
  readonly entryIndex: number;
  readonly link: number;
  readonly step: { readonly entryIndex: number; readonly step: string } | null;
}

export interface SourcesPage {
  /** Sources that there are with this query. */
  readonly total: number;
  readonly from: number;
  readonly sources: readonly PageSource[];
  /** Of the whole session, whatever the query. */
  readonly sums: Readonly<Record<EvidenceStatus, number>>;
  /** The whole session was looked at. */
  readonly complete: boolean;
}
