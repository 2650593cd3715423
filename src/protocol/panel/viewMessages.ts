import type { EditPreview } from '../../model/transcript/editPreview.ts';
import type { Phase } from '../../model/session/phases.ts';
import type { StepKind } from '../../model/transcript/steps.ts';
import type { ToolStatus } from '../../model/transcript/tool.ts';

/** Filter and order of the trajectory. */
export interface TrajectoryQuery {
  /** Query as typed: words, `kind:`, `tool:`, `file:`, `state:`. */
  readonly query: string;
  /** Empty: every kind, including messages and thoughts. */
  readonly kinds: readonly StepKind[];
  /** Only repeated steps: the same lines read again, the same call failed again. */
  readonly repeats: boolean;
  readonly sort: 'time' | 'longest';
  /** Collapsed lanes, by id; at most `maxCollapsedLanes`. */
  readonly closed: readonly string[];
}
export const maxCollapsedLanes = 500;
/** Lines per answer. */
export const maxLines = 200;

export interface StepLink {
  readonly entryIndex: number;
  /** Step number, as in the gutter of the transcript. */
  readonly number: string;
}

/** Why a step is marked, with the repeated steps in order; at most 20, including this one. */
export interface RepeatMark {
  readonly kind: 'duplicate_read' | 'retry_loop';
  readonly steps: readonly StepLink[];
  /** Number of all of them. */
  readonly count: number;
}

/** Position of a bar: milliseconds on an axis without idle time; `offset` is `null` if the record has no time. */
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
  /** Number of the step that started the lane. */
  readonly number: string | null;
  /** Matching lines of the lane: tool calls, and the messages, thoughts and errors between them. */
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
  /** `null` while it runs, and if its end was not recorded. */
  readonly durationMs: number | null;
  /** Parallel steps of one lane share a number. */
  readonly group: number | null;
  readonly repeats: RepeatMark | null;
}

export type TrajectoryLine = LaneLine | MomentLine | StepLine;

/** How runs spent their time. If several things happened at once, the last of `phases` counts. */
export interface TimeLane {
  readonly phase: Phase;
  /** Total of all runs, in milliseconds. */
  readonly ms: number;
  /** The longest segments, in order; at most `maxSegments`. */
  readonly segments: readonly { readonly offset: number; readonly duration: number }[];
}
export const maxSegments = 200;

export interface TrajectoryPage {
  /** Number of lines that match. */
  readonly total: number;
  readonly from: number;
  readonly lines: readonly TrajectoryLine[];
  /** Position of the requested entry; `null` if the filter excludes it. */
  readonly at: number | null;
  readonly axis: {
    /** Milliseconds. */
    readonly length: number;
    /** At most 100 of each. */
    readonly turns: readonly { readonly turn: number; readonly offset: number; readonly startedAt: number }[];
    readonly gaps: readonly { readonly offset: number; readonly idleMs: number }[];
  };
  /** How all runs spent their time; the sum is their total duration. */
  readonly time: readonly TimeLane[];
  /** Steps of the main agent and of subagents; the sum is `counts`. */
  readonly steps: { readonly main: number; readonly subagents: number };
  /** Steps of the whole session, regardless of the filter. */
  readonly counts: Readonly<Record<StepKind, number>>;
  /** Number of marked steps. */
  readonly repeats: number;
  /** Entries beyond the limit. */
  readonly omitted: number;
}

export const fileGroups = ['changed', 'unreported', 'read', 'found'] as const;
export type FileGroup = (typeof fileGroups)[number];

export interface FileLine {
  readonly type: 'file';
  /** Relative to the session's folder if inside it. */
  readonly path: string;
  readonly change: 'read' | 'added' | 'changed' | 'deleted';
  readonly first: StepLink;
  readonly last: StepLink;
  readonly touches: number;
  readonly added: number;
  readonly removed: number;
  /** False if a change did not say how many lines it had. */
  readonly counted: boolean;
}

/** A file that changed during a run without a tool call that reports it. */
export interface UnreportedLine {
  readonly type: 'unreported';
  readonly path: string;
  readonly change: 'added' | 'changed' | 'deleted';
  /** Reported edits changed it too. */
  readonly besides: boolean;
  /** The note that says so. */
  readonly entryIndex: number;
}

/** A file in the search results of the session that no call read or changed. */
export interface FoundLine {
  readonly type: 'found';
  readonly path: string;
  /** The first search that found it. */
  readonly step: StepLink;
}

export type FilesLine =
  { readonly type: 'group'; readonly group: FileGroup; readonly count: number } | FileLine | UnreportedLine | FoundLine;

/** Sort order within a group: first touched, name, or most lines, touches, or newest. */
export const fileSorts = ['first', 'name', 'lines', 'touches', 'last'] as const;
export type FileSort = (typeof fileSorts)[number];

/** A file on disk compared with how the session left it; `at` is its modification time in epoch milliseconds. */
export interface FileComparison {
  readonly state: 'same' | 'changed' | 'gone' | 'unknown';
  readonly at: number | null;
}
/** Files per request. */
export const maxSince = 100;

export interface FilesPage {
  /** Number of lines that match. */
  readonly total: number;
  readonly from: number;
  readonly lines: readonly FilesLine[];
  /** Of the whole session, regardless of the query. `counted`: false if some line counts are unknown. */
  readonly sums: {
    readonly files: number;
    readonly changed: number;
    readonly read: number;
    readonly unreported: number;
    readonly found: number;
    readonly added: number;
    readonly removed: number;
    readonly counted: boolean;
    /** Beyond the limit, or not listed in the note. */
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
      readonly wish: TrajectoryQuery;
      /** Returns the lines around this entry, and ignores `from`. */
      readonly around?: number;
    }
  | {
      readonly type: 'getFiles';
      readonly request: number;
      readonly from: number;
      /** 0: only the totals. */
      readonly count: number;
      readonly query: string;
      readonly sort: FileSort;
    }
  /** Whether these files on disk are as the session left them; at most `maxSince`. */
  | { readonly type: 'getSince'; readonly request: number; readonly paths: readonly string[] }
  /** How a waiting request would change its files as they are now. `id`: of the request. */
  | { readonly type: 'getEditPreviews'; readonly request: number; readonly id: string }
  /** All recorded edits of one file. */
  | { readonly type: 'openFileChanges'; readonly path: string }
  | { readonly type: 'openAllChanges' };

export type ViewAnswer =
  | { readonly type: 'trajectory'; readonly request: number; readonly page: TrajectoryPage }
  | { readonly type: 'files'; readonly request: number; readonly page: FilesPage }
  /** States in the order of the requested paths. */
  | { readonly type: 'since'; readonly request: number; readonly since: readonly FileComparison[] }
  /** Empty if the request edits no file or no longer waits. */
  | { readonly type: 'editPreviews'; readonly request: number; readonly previews: readonly EditPreview[] }
  /** The requested data may have changed. Sent once, until the page asks again. */
  | { readonly type: 'viewsChanged' };
