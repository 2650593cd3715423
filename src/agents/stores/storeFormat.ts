import type { DialogueFactory } from '../dialogue.ts';
import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { JsonObject } from '../../model/text/json.ts';
import type { ObservedAgent, StoreFacts } from '../../model/session/observed.ts';

/** Where to search for an agent's stores. Never uses the current process's environment. */
export interface StorePlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the home folder. */
  readonly home: string;
  /** A value of `process.platform`. */
  readonly platform: string;
}

/** A folder in which an agent keeps sessions. */
export interface StoreRoot {
  readonly path: string;
  /** Levels of subfolders to search. */
  readonly depth: number;
}

/** Meaning of a file in a store. `session` is the native id of its session. */
export type StorePart =
  | { readonly role: 'main'; readonly session: string }
  /** Records of a subagent, counted with its session. `agent` distinguishes its files. */
  | { readonly role: 'subagent'; readonly session: string; readonly agent: string }
  /** Other facts of one session (a title, the folder). Read before the main file. */
  | { readonly role: 'sidecar'; readonly session: string }
  /** Facts of several sessions, for `StoreFormat.notes`. */
  | { readonly role: 'shared' }
  /** Rows of several sessions: see `StoreDatabase`. */
  | { readonly role: 'database' };

/** One record of a session's files, in file order. */
export type StoreRecord =
  /** A line of a JSONL file. `isUnended`: no line break follows it, so that it may be cut off. */
  | {
      readonly kind: 'line';
      readonly part: StorePart;
      readonly path: string;
      readonly text: string;
      readonly isUnended?: boolean;
    }
  /** A line or document over the size limit. */
  | {
      readonly kind: 'oversize';
      readonly part: StorePart;
      readonly path: string;
      readonly bytes: number;
      readonly head: string;
    }
  /** A complete file: one JSON document, YAML or plain text. */
  | { readonly kind: 'document'; readonly part: StorePart; readonly path: string; readonly text: string }
  /** A row of a database. */
  | {
      readonly kind: 'row';
      readonly part: StorePart;
      readonly path: string;
      readonly table: string;
      readonly row: JsonObject;
    };

/** What a shared file says about one session, by its native id or another id in its records. */
export interface SessionNote {
  readonly key: string;
  readonly title?: string;
  readonly folder?: string;
}

export interface StoreParserOptions {
  /** `false`: only `facts` are needed, no entries. */
  readonly needsEntries: boolean;
  /** Native id of the session. */
  readonly session: string;
  /** Data of the shared files, by key. */
  readonly notes: ReadonlyMap<string, SessionNote>;
}

/**
 * Reads the records of one session. A pure state machine that never throws. For a quick list, it gets only the first
 * and last records of a session, and `facts` is what those say. Entries start at index 0. An unknown record becomes a
 * `system_message` with `subtype: "unknown"` and the record in `metadata.raw`, and is counted.
 */
export interface StoreParser {
  push(record: StoreRecord): readonly EntryUpdate[];
  /** No more records for now. Not `isLive`: the agent has ended, and calls without a result were cancelled. */
  end(isLive: boolean): readonly EntryUpdate[];
  facts(): StoreFacts;
}

/** How to read sessions from a database. Statements run read-only, on a private copy if necessary. */
export interface StoreDatabase {
  /**
   * One row per session: its native id in the column `session`, the time of its last change (epoch ms) in `changed`.
   */
  readonly sessions: string;
  /** By table name, in this order: statements with the native id as their only parameter. */
  readonly records: readonly { readonly table: string; readonly sql: string }[];
}

/** What a running session waits for. */
export type WaitingState = 'waiting_for_permission' | 'waiting_for_you';

/** A connection to an agent's own server. `onState`: `undefined` means that the session does not wait. */
export interface WaitWatchHost {
  write(line: string): void;
  onState(nativeId: string, state: WaitingState | undefined): void;
  /** The states of all sessions that the server has open were reported. Further calls report changes. */
  onAllReported?(): void;
}

export interface WaitWatch {
  begin(): void;
  /** Receives one message of the server. */
  readonly line: (text: string) => void;
}

/** How to join a session that the agent has open in its own server. */
export interface StoreJoin {
  /**
   * The server's socket, by the session's main file; `undefined` if sessions in such files do not run in the server.
   */
  socket(mainFile: string): string | undefined;
  /** Starts without a prompt. `leave`: the server does not have this session open. */
  dialogue(nativeId: string): DialogueFactory;
  /** Reports which sessions that the server has open wait for their user, without joining them. */
  watch(host: WaitWatchHost): WaitWatch;
}

/** One kind of store. To add an agent, add one of these, a line in `formats.ts` and its folders in `roots.ts`. */
export interface StoreFormat {
  readonly agent: ObservedAgent;
  /** Name for people. */
  readonly label: string;
  readonly roots: (place: StorePlace) => readonly StoreRoot[];
  /**
   * Meaning of a file, by its path below the root (with `/`). `head`: its first lines are needed, see `look`.
   * `undefined`: not part of a session; it is never opened.
   */
  place(path: string): StorePart | 'head' | undefined;
  /**
   * Meaning of a file by its first lines, at most 64 KB; the last one can be incomplete. `undefined`: not a session.
   */
  look?(path: string, head: readonly string[]): StorePart | undefined;
  /** The agent itself creates empty files with the name of a session; they are not damaged. */
  readonly leavesEmptyFiles?: boolean;
  /**
   * `document`: the file is read as a whole, not line by line. Default: by the extension `.json`, `.yaml` or `.txt`.
   */
  isDocument?(path: string): boolean;
  /** Reads the notes in a record of a shared file. */
  notes?(record: StoreRecord): readonly SessionNote[];
  readonly database?: StoreDatabase;
  createParser(options: StoreParserOptions): StoreParser;
  /** The program and arguments with which the agent itself resumes a session; absent: it cannot. */
  resume?(nativeId: string): { readonly program: string; readonly args: readonly string[] };
  /** Absent: running sessions can only be watched. */
  readonly join?: StoreJoin;
}
