import type { Phase } from '../../model/session/phases.ts';
import type { StepKind } from '../../model/transcript/steps.ts';
import type { ToolStatus } from '../../model/transcript/tool.ts';

/** What of the trajectory is wanted, and in which order. */
export interface TrajectoryWish {
  /** As it was typed: words, `kind:`, `tool:`, `file:`, `state:`. */
  readonly query: string;
  /** Empty: every kind, and what was said and thought. */
  readonly kinds: readonly StepKind[];
  /** Only steps that repeat others: the same lines read again, the same call failed again. */
  readonly repeats: boolean;
  readonly sort: 'time' | 'longest';
  /** Lanes that the reader closed, by id; at most `mostClosed`. */
  readonly closed: readonly string[];
}
export const mostClosed = 500;
/** Lines of one answer. */
export const mostLines = 200;

export interface StepLink {
  readonly entryIndex: number;
  /** As in the gutter. */
  readonly number: string;
}

/** Why a step is marked, with the steps that show it, in order; at most 20 of them, this one included. */
export interface RepeatMark {
  readonly kind: 'duplicate_read' | 'retry_loop';
  readonly steps: readonly StepLink[];
  /** Of all of them. */
  readonly count: number;
}

/** Where a bar stands: milliseconds on an axis without idle time; `offset` is `null` where the record has no time. */
interface Span {
  readonly offset: number | null;
  readonly duration: number;
}

export interface LaneLine extends Span {
  readonly type: 'lane';
  /** Empty for the main conversation, else the call that started the subagent. */
  readonly id: string;
  readonly title: string;
  readonly agentType: string | null;
  /** Of the step that started it. */
  readonly number: string | null;
  /** Lines of it that pass the filter: tool calls, and what was said, thought or went wrong between them. */
  readonly rows: number;
  /** Tool calls among them. */
  readonly steps: number;
  readonly open: boolean;
}

interface EntryLine extends Span {
  readonly entryIndex: number;
  readonly turn: number;
  readonly title: string;
  /** Epoch milliseconds. */
  readonly startedAt: number | null;
}

export interface MomentLine extends EntryLine {
  readonly type: 'thought' | 'answer' | 'error';
}

export interface StepLine extends EntryLine {
  readonly type: 'step';
  readonly callId: string;
  readonly number: string;
  readonly kind: StepKind;
  readonly toolName: string;
  readonly path: string | null;
  readonly status: ToolStatus;
  readonly exitCode: number | null;
  readonly added: number | null;
  readonly removed: number | null;
  /** `null` while it continues, and where no one recorded it. */
  readonly durationMs: number | null;
  /** Steps of one lane that ran at the same time share a number. */
  readonly group: number | null;
  readonly repeats: RepeatMark | null;
}

export type TrajectoryLine = LaneLine | MomentLine | StepLine;

/** What runs spent their time on. Where several things continued at once, the last of `phases` counts. */
export interface TimeLane {
  readonly phase: Phase;
  /** Of all runs, in milliseconds. */
  readonly ms: number;
  /** The longest ones, in order; at most `mostSegments`. */
  readonly segments: readonly { readonly offset: number; readonly duration: number }[];
}
export const mostSegments = 200;

export interface TrajectoryPage {
  /** Lines that there are with this wish. */
  readonly total: number;
  readonly from: number;
  readonly lines: readonly TrajectoryLine[];
  /** Where the entry that was asked for stands; `null` where the wish leaves it out. */
  readonly at: number | null;
  readonly axis: {
    /** Milliseconds. */
    readonly length: number;
    /** At most 100 of each. */
    readonly turns: readonly { readonly turn: number; readonly offset: number; readonly startedAt: number }[];
    readonly gaps: readonly { readonly offset: number; readonly idleMs: number }[];
  };
  /** What all runs spent their time on; together it is as long as the runs. */
  readonly time: readonly TimeLane[];
  /** Steps of the main agent and of subagents; together they are `counts`. */
  readonly steps: { readonly main: number; readonly subagents: number };
  /** Steps of the whole session, whatever the wish. */
  readonly counts: Readonly<Record<StepKind, number>>;
  /** Steps that are marked. */
  readonly repeats: number;
  /** Entries beyond the bound. */
  readonly omitted: number;
}

export const fileGroups = ['changed', 'unreported', 'read', 'found'] as const;
export type FileGroup = (typeof fileGroups)[number];

export interface FileLine {
  readonly type: 'file';
  /** Relative to the session's folder where it lies in it. */
  readonly path: string;
  readonly change: 'read' | 'added' | 'changed' | 'deleted';
  readonly first: StepLink;
  readonly last: StepLink;
  readonly touches: number;
  readonly added: number;
  readonly removed: number;
  /** False where a change did not say how many lines it was. */
  readonly counted: boolean;
}

/** A file that changed during a run and not by what its calls reported. */
export interface UnreportedLine {
  readonly type: 'unreported';
  readonly path: string;
  readonly change: 'added' | 'changed' | 'deleted';
  /** Reported edits changed it too. */
  readonly besides: boolean;
  /** The note that says so. */
  readonly entryIndex: number;
}

/** A file that a search of the session found, and that no call read or changed. */
export interface FoundLine {
  readonly type: 'found';
  readonly path: string;
  /** The first search that found it. */
  readonly step: StepLink;
}

export type FilesLine =
  { readonly type: 'group'; readonly group: FileGroup; readonly count: number } | FileLine | UnreportedLine | FoundLine;

/** By what the files of a group are in order: when they were first touched, their name, or most lines, touches, or newest. */
export const fileSorts = ['first', 'name', 'lines', 'touches', 'last'] as const;
export type FileSort = (typeof fileSorts)[number];

/** A file on disk beside what the session left of it; `at` is when it changed last, epoch milliseconds. */
export interface FileSince {
  readonly state: 'same' | 'changed' | 'gone' | 'unknown';
  readonly at: number | null;
}
/** Files of one question. */
export const mostSince = 100;

export interface FilesPage {
  /** Lines that there are with this query. */
  readonly total: number;
  readonly from: number;
  readonly lines: readonly FilesLine[];
  /** Of the whole session, whatever the query. `counted`: false where the lines are not all known. */
  readonly sums: {
    readonly files: number;
    readonly changed: number;
    readonly read: number;
    readonly unreported: number;
    readonly found: number;
    readonly added: number;
    readonly removed: number;
    readonly counted: boolean;
    /** Beyond the bound, or not listed by the note. */
    readonly omitted: number;
  };
}

/** Requests of the views beside the transcript. */
export type ViewRequest =
  | {
      readonly type: 'getTrajectory';
      readonly request: number;
      readonly from: number;
      readonly count: number;
      readonly wish: TrajectoryWish;
      /** An entry to look for: the lines around it are sent, `from` is not heard. */
      readonly around?: number;
    }
  | {
      readonly type: 'getFiles';
      readonly request: number;
      readonly from: number;
      /** 0: only the sums. */
      readonly count: number;
      readonly query: string;
      readonly sort: FileSort;
    }
  /** Whether these files are on disk as the session left them; at most `mostSince`. */
  | { readonly type: 'getSince'; readonly request: number; readonly paths: readonly string[] }
  /** Everything that recorded edits did to one file. */
  | { readonly type: 'openFileChanges'; readonly path: string }
  | { readonly type: 'openAllChanges' };

export type ViewAnswer =
  | { readonly type: 'trajectory'; readonly request: number; readonly page: TrajectoryPage }
  | { readonly type: 'files'; readonly request: number; readonly page: FilesPage }
  /** In the order of the paths that were asked for. */
  | { readonly type: 'since'; readonly request: number; readonly since: readonly FileSince[] }
  /** What was asked for may look otherwise now. Said once, until the page asks again. */
  | { readonly type: 'viewsChanged' };
