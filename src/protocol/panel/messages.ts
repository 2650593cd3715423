import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import type { QueryProblem } from '../../model/transcript/query.ts';
import type { AgentRequest, Answer, Decision } from '../../model/agent/request.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { Turn } from '../../model/session/turn.ts';
import type { Change } from './change.ts';
import type { DetailLevel } from './detailLevel.ts';
import type { FigureAnswer, FigureRequest } from './figureMessages.ts';
import type { ViewAnswer, ViewRequest } from './viewMessages.ts';
import type { EvidenceCard, PageLink, SourcesPage } from './evidence.ts';

/** A request and how it ended; without `decision` it is waiting, or was when its run ended. */
export interface RequestState {
  readonly request: AgentRequest;
  readonly decision?: Decision | undefined;
}

/**
 * An entry as the page gets it. Long texts are cut to a byte budget; `cut` has the full length of each cut field in
 * characters, for `getEntry`. `step` is the number in the gutter ("5", "5.1") of tool calls. `asked` is on requests only, and
 * never cut while they wait: no one decides about a part.
 */
export interface PageEntry extends NormalizedEntry {
  readonly step?: string;
  /** An automatic message; `origin` says who did. */
  readonly synthetic?: true;
  readonly asked?: RequestState;
  /** Sources of a message, in text order; absent until they were searched. */
  readonly links?: readonly PageLink[];
  readonly cut?: Readonly<Record<string, number>>;
}

export type PageUpdate =
  { readonly op: 'put'; readonly entry: PageEntry; readonly open?: boolean } | Extract<EntryUpdate, { op: 'append' }>;

/** A waiting request outside its row. */
export type WaitingRequest = Pick<AgentRequest, 'id' | 'kind' | 'callId' | 'title' | 'asked_at' | 'expires_at'>;

/** What waits in the active run. `takesMessages`: whether the agent accepts messages while it runs. */
export interface ConversationView {
  readonly takesMessages: boolean;
  readonly requests: readonly WaitingRequest[];
  readonly queued: readonly { readonly id: number; readonly text: string }[];
}

/** Everything around the entries. `can` says which controls are enabled; `why` why one is not. */
export interface SessionView {
  readonly summary: SessionSummary;
  readonly turns: readonly Turn[];
  readonly conversation: ConversationView | null;
  /** When a follow-up is sent automatically, ISO 8601; absent: never. */
  readonly followUpAt?: string;
  readonly can: {
    readonly send: boolean;
    readonly stop: boolean;
    readonly resume: boolean;
    readonly fork?: boolean;
  };
  readonly why: string | null;
  /** The button beside `why`. */
  readonly fix?: PageCommand;
  /** Notice over the transcript: interrupted, read-only, damaged, untrusted, … */
  readonly notice: {
    readonly severity: 'info' | 'warning' | 'error';
    readonly text: string;
    /** The button in it. */
    readonly fix?: PageCommand;
  } | null;
  /** Estimate for an active run, replaced when the agent reports. */
  readonly sizes: { readonly rawBytes: number; readonly unknownLines: number; readonly malformedLines: number };
}

export interface EntryPage {
  /** Number of entries in the session. */
  readonly total: number;
  /** Index of the first entry of this page. */
  readonly from: number;
  readonly entries: readonly PageEntry[];
}

export type ToPage =
  | {
      readonly type: 'init';
      readonly view: SessionView;
      readonly page: EntryPage;
      /** Indexes of entries that are still open. */
      readonly open: readonly number[];
      /** Translations by English text; empty for English. */
      /** The user's last choice; absent: everything. */
      readonly detail?: DetailLevel;
      readonly l10n: Readonly<Record<string, string>>;
      readonly locale: string;
    }
  | { readonly type: 'view'; readonly view: SessionView }
  | { readonly type: 'updates'; readonly updates: readonly PageUpdate[]; readonly total: number }
  | { readonly type: 'page'; readonly request: number; readonly page: EntryPage }
  | { readonly type: 'entry'; readonly request: number; readonly entry: PageEntry | null }
  | {
      readonly type: 'found';
      readonly request: number;
      /** Ascending. */
      readonly indexes: readonly number[];
      /** More hits may follow: ask again with a `from` after the last one. */
      readonly truncated: boolean;
      /** Texts to highlight, in lower case. */
      readonly texts: readonly string[];
      readonly problems: readonly QueryProblem[];
    }
  /** Sources of messages that were sent before their sources were known. */
  | {
      readonly type: 'links';
      readonly entries: readonly { readonly index: number; readonly links: readonly PageLink[] }[];
    }
  | { readonly type: 'evidence'; readonly request: number; readonly card: EvidenceCard | null }
  | { readonly type: 'sources'; readonly request: number; readonly page: SourcesPage }
  | { readonly type: 'failed'; readonly request: number; readonly message: string }
  /** `text`: the unsent message, to edit; `null` if it was already sent. */
  | { readonly type: 'takenBack'; readonly text: string | null }
  /** Reveals the request that has waited longest. */
  | { readonly type: 'review' }
  /** Reveals this entry. */
  | { readonly type: 'reveal'; readonly index: number }
  | FigureAnswer
  | ViewAnswer;

/** An update in transit: of a recently sent entry, only the change. */
export type SentUpdate =
  | PageUpdate
  | {
      readonly op: 'change';
      readonly index: number;
      /** Fingerprint of the entry that this continues; a page with another one asks for a resync. */
      readonly of: number;
      readonly change?: Change<PageEntry>;
      readonly open?: boolean;
    };

/** A message in transit to the page, see `LastSent`. A view contains only what changed. */
export type Packet =
  | Exclude<ToPage, { readonly type: 'view' | 'updates' }>
  | { readonly type: 'view'; readonly change: Change<SessionView> }
  | { readonly type: 'updates'; readonly updates: readonly SentUpdate[]; readonly total: number };

export type FromPage =
  | { readonly type: 'ready' }
  /** The page missed something or has nothing; `init` answers under a new generation. */
  | { readonly type: 'resync' }
  /** The page has drawn everything up to this `seq`; the host sends the next batch only then. */
  | { readonly type: 'ack'; readonly seq: number }
  | { readonly type: 'getPage'; readonly request: number; readonly from: number; readonly count: number }
  | { readonly type: 'getEntry'; readonly request: number; readonly index: number }
  /** `link` is the `at` of one of the entry's links. */
  | { readonly type: 'getEvidence'; readonly request: number; readonly index: number; readonly link: number }
  /** `query`: words in the name, path or URL. At most `maxLines` at once. */
  | {
      readonly type: 'getSources';
      readonly request: number;
      readonly from: number;
      readonly count: number;
      readonly query: string;
    }
  /** `query` in the syntax of `src/insight/search`; entries before `from` are skipped. */
  | { readonly type: 'find'; readonly request: number; readonly query: string; readonly from: number }
  /** `how` says what happens while the agent is running; default `queue`. */
  | { readonly type: 'send'; readonly text: string; readonly how?: 'queue' | 'interrupt' }
  /** The user began to write. */
  | { readonly type: 'typing' }
  | { readonly type: 'takeBack'; readonly id: number }
  | { readonly type: 'answer'; readonly id: string; readonly answer: Answer }
  | { readonly type: 'stop' }
  /** Opens VS Code's prompt picker. */
  | { readonly type: 'pickPrompt' }
  /** For this page and future ones. */
  | { readonly type: 'keepDetail'; readonly detail: DetailLevel }
  | { readonly type: 'openFile'; readonly path: string; readonly line?: number; readonly endLine?: number }
  | { readonly type: 'openDiff'; readonly index: number }
  | { readonly type: 'openLink'; readonly url: string }
  /** Opens the earlier session that a passage is from, one of those in the note at `index`. */
  | { readonly type: 'openRecalled'; readonly index: number; readonly passage: number }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'command'; readonly command: PageCommand }
  | FigureRequest
  | ViewRequest;

/** The only commands that the page can request; none takes an argument. */
export const pageCommands = [
  'rename',
  'copySessionId',
  'copyLink',
  'copyMarkdown',
  'copyResumeCommand',
  'fork',
  'keep',
  'revealRecord',
  'showRawOutput',
  'verify',
  'showCapabilities',
  'checkResume',
  'showCost',
  'showUsage',
  'export',
  'raiseBudget',
  'changeOptions',
  'manageTrust',
  'runAgent',
  'delete',
  'cancelFollowUp',
] as const;
export type PageCommand = (typeof pageCommands)[number];

/** Envelope of every message. A gap in `seq` or another `generation` makes the page ask for a resync. */
export interface Envelope<M> {
  readonly generation: number;
  readonly seq: number;
  readonly message: M;
}
