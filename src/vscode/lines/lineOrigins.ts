import type * as vscode from 'vscode';
import type { SessionHandle } from '../engine/windowEngine.ts';
import { FileHistory } from '../../insight/files/history.ts';
import { type FileRecord, type LineClaim, lineClaims } from '../../insight/files/lineClaims.ts';
import type { Touch, TouchIndex } from './touchIndex.ts';

const maxLines = 50_000;
const maxCharacters = 4 * 1024 * 1024;
/** Maximum number of steps of a session per file; the last ones are used. */
const maxSteps = 2000;
const maxCachedResults = 64;

/** Who wrote a line, and for which prompt. Its texts come from the session: show them as plain text. */
export interface LineOrigin {
  readonly session: string;
  readonly entryIndex: number;
  readonly kind: LineClaim['kind'];
  readonly edited: boolean;
  readonly title: string;
  readonly agent: string;
  readonly model: string | null;
  /** Time of the step, ISO 8601. */
  readonly at: string;
  /** Number of the step, as in the gutter of the transcript. */
  readonly step: string | undefined;
  readonly prompt: string | undefined;
  readonly promptIndex: number | undefined;
}

interface CachedResult<T> {
  readonly of: string;
  readonly value: Promise<T>;
}

/** Finds out why the lines of a document are there. Caches results until the document or a session changes. */
export class LineOrigins {
  readonly #index: TouchIndex;
  readonly #open: (id: string) => Promise<SessionHandle>;
  readonly #claims = new Map<string, CachedResult<readonly (readonly LineClaim[])[]>>();
  readonly #records = new Map<string, CachedResult<FileRecord>>();
  readonly #origins = new Map<string, CachedResult<LineOrigin | undefined>>();

  constructor(index: TouchIndex, open: (id: string) => Promise<SessionHandle>) {
    this.#index = index;
    this.#open = open;
  }

  /** Claims per line, best first; `undefined` if the document is too long to compare. */
  async claims(document: vscode.TextDocument): Promise<readonly (readonly LineClaim[])[] | undefined> {
    if (document.lineCount > maxLines) return undefined;
    const touches = await this.#index.touchesOf(document.uri.fsPath);
    if (touches.length === 0) return [];
    const text = document.getText();
    if (text.length > maxCharacters) return undefined;
    const of = JSON.stringify([document.version, touches.map(stateOf)]);
    return getOrCompute(this.#claims, document.uri.toString(), of, async () => {
      const records: FileRecord[] = [];
      for (const touch of touches) records.push(await this.#fileRecord(touch));
      return lineClaims(text.split('\n'), records);
    });
  }

  /** `undefined` if the record is no longer available. */
  findOrigin({ session, entryIndex, kind, isEditedSince }: LineClaim): Promise<LineOrigin | undefined> {
    const key = JSON.stringify([session, entryIndex, kind, isEditedSince]);
    return getOrCompute(this.#origins, key, '', async () => {
      const handle = await this.#open(session);
      try {
        const { title, prompt, agent_label, agent_version, model } = handle.summary();
        const [entry] = await handle.read(entryIndex, entryIndex + 1);
        if (entry === undefined) return undefined;
        const promptIndex = this.#index.promptOf(session, entryIndex);
        const [said] = promptIndex === undefined ? [] : await handle.read(promptIndex, promptIndex + 1);
        return {
          session,
          entryIndex,
          kind,
          edited: isEditedSince,
          title: (title ?? prompt).trim().split('\n', 1)[0] ?? '',
          agent: agent_version === null ? agent_label : `${agent_label} ${agent_version}`,
          model: entry.metadata?.model ?? model,
          at: entry.timestamp,
          step: this.#index.numberOf(session, entryIndex),
          prompt: said?.content,
          promptIndex,
        };
      } finally {
        handle.dispose();
      }
    }).catch(() => undefined);
  }

  #fileRecord(touch: Touch): Promise<FileRecord> {
    const { session, projectDir, file } = touch;
    return getOrCompute(this.#records, JSON.stringify([session, file.path]), stateOf(touch), async () => {
      const history = new FileHistory(file.path, projectDir);
      const handle = await this.#open(session);
      try {
        for (const index of file.steps.slice(-maxSteps)) {
          for (const entry of await handle.read(index, index + 1)) history.add(entry);
        }
      } finally {
        handle.dispose();
      }
      return { session, lines: history.lines(), fragments: history.fragments() };
    });
  }
}

/** Cache key that changes when the session touches the file again. */
function stateOf({ session, file }: Touch): string {
  return `${session} ${file.touches} ${file.last.entryIndex}`;
}

/**
 * Returns the cached value of `key` if its inputs (`of`) are unchanged, otherwise computes it. Failures are not
 * cached.
 */
function getOrCompute<T>(
  saved: Map<string, CachedResult<T>>,
  key: string,
  of: string,
  make: () => Promise<T>,
): Promise<T> {
  const known = saved.get(key);
  saved.delete(key);
  const value = known?.of === of ? known.value : make();
  saved.set(key, { of, value });
  const [oldest] = saved.keys();
  if (saved.size > maxCachedResults && oldest !== undefined) saved.delete(oldest);
  value.catch(() => {
    if (saved.get(key)?.value === value) saved.delete(key);
  });
  return value;
}
