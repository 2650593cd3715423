import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { JsonObject } from '../../model/text/json.ts';
import type { ObservedAgent, StoreFacts } from '../../model/session/observed.ts';

/** Where an agent's stores are looked for. Nothing is read from the process itself. */
export interface StorePlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the home folder. */
  readonly home: string;
  /** As `process.platform` has it. */
  readonly platform: string;
}

/** A folder in which an agent keeps sessions. */
export interface StoreRoot {
  readonly path: string;
  /** Levels of folders below it that are searched. */
  readonly depth: number;
}

/** What a file of a store is. `session` is the native id of the session that it belongs to. */
export type StorePart =
  | { readonly role: 'main'; readonly session: string }
  /** Records of a subagent; they are counted with its session. `agent` tells its files apart. */
  | { readonly role: 'subagent'; readonly session: string; readonly agent: string }
  /** Further facts of one session (a title, the folder). Read before the main file. */
  | { readonly role: 'sidecar'; readonly session: string }
  /** Facts of several sessions, for `StoreFormat.notes`. */
  | { readonly role: 'shared' }
  /** Rows of several sessions: see `StoreDatabase`. */
  | { readonly role: 'database' };

/** One record of a session's files, in the order in which the files have them. */
export type StoreRecord =
  /** A line of a JSONL file. */
  | { readonly kind: 'line'; readonly part: StorePart; readonly path: string; readonly text: string }
  /** A line over the size cap, or a document over it. */
  | {
      readonly kind: 'oversize';
      readonly part: StorePart;
      readonly path: string;
      readonly bytes: number;
      readonly head: string;
    }
  /** A whole file, where it is one JSON document, YAML or plain text. */
  | { readonly kind: 'document'; readonly part: StorePart; readonly path: string; readonly text: string }
  /** A row of a database. */
  | {
      readonly kind: 'row';
      readonly part: StorePart;
      readonly path: string;
      readonly table: string;
      readonly row: JsonObject;
    };

/** What a shared file says about one session, by a native id or by any other id that the agent uses for its records. */
export interface SessionNote {
  readonly key: string;
  readonly title?: string;
  readonly folder?: string;
}

export interface StoreParserOptions {
  /** `false`: only `facts` are asked for, and no entries have to be made. */
  readonly entries: boolean;
  /** Native id of the session. */
  readonly session: string;
  /** Of the shared files, by key. */
  readonly notes: ReadonlyMap<string, SessionNote>;
}

/**
 * Reads the records of one session. A pure state machine that never throws. It is also given only the first and the last
 * records of a session, for a quick list: then `facts` says what those tell. Entries start at index 0; what is unknown is
 * kept as `system_message` with `subtype: "unknown"` and the record in `metadata.raw`, and counted.
 */
export interface StoreParser {
  push(record: StoreRecord): readonly EntryUpdate[];
  /** There are no more records for now. Not `isLive`: the agent has ended, and calls without a result were cancelled. */
  end(isLive: boolean): readonly EntryUpdate[];
  facts(): StoreFacts;
}

/** How sessions are read from a database. Each statement is run read-only, on a private copy where that is needed. */
export interface StoreDatabase {
  /** One row per session: its native id in the column `session`, the time of its last change (epoch ms) in `changed`. */
  readonly sessions: string;
  /** By table name, in this order: statements with one parameter, the native id. */
  readonly records: readonly { readonly table: string; readonly sql: string }[];
}

/** One kind of store. Adding an agent is one of these, and a line in `formats.ts`. */
export interface StoreFormat {
  readonly agent: ObservedAgent;
  /** Name for people. */
  readonly label: string;
  roots(place: StorePlace): readonly StoreRoot[];
  /**
   * What a file is, by its path below the root (with `/`). `head`: its first lines are needed, see `look`. `undefined`: it is
   * not part of a session and is never opened.
   */
  place(path: string): StorePart | 'head' | undefined;
  /** What a file is by its first lines, at most 64 KB of them; the last one can be cut off. `undefined`: not a session. */
  look?(path: string, head: readonly string[]): StorePart | undefined;
  /** `document`: the file is given as a whole, not line by line. Default: by the ending `.json`, `.yaml` or `.txt`. */
  isDocument?(path: string): boolean;
  /** What a record of a shared file says. */
  notes?(record: StoreRecord): readonly SessionNote[];
  readonly database?: StoreDatabase;
  createParser(options: StoreParserOptions): StoreParser;
  /** The program and arguments by which the agent itself resumes a session; absent: it cannot. */
  resume?(nativeId: string): { readonly program: string; readonly args: readonly string[] };
}
