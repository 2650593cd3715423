import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SideFiles as SideFilesRequest } from '../../agents/adapter.ts';
import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { RunOutput } from './runOutput.ts';
import type { Note } from '../run/note.ts';

export interface SideFilesDeps {
  readonly label: string;
  /** Folder for this run's side files only. */
  readonly folder: string;
  /** Where to keep the file with token counts. */
  readonly usageFile: string;
  /** Pid of the started process; the agent may be its child. */
  readonly pid: number | undefined;
  /** Default: 200 ms. */
  readonly pollMs?: number;
  /** Default: 30 s. */
  readonly timeoutMs?: number;
}

interface LogFile {
  offset: number;
  /** Incomplete last line. */
  rest: string;
  line: string | undefined;
}

/** Maximum bytes to read of a log and of a file with token counts. */
const maxLogBytes = 4 << 20;
const maxUsageBytes = 4 << 20;
const maxFiles = 100;

/** Creates an empty folder that only the user can read. */
export async function createPrivateFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/**
 * Watches the side files of one run. Checks the log folder every 200 ms, for at most 30 s, until a line names the
 * conversation. Owns a timer until `end`.
 */
export class SideFiles {
  readonly #request: SideFilesRequest;
  readonly #deps: SideFilesDeps;
  readonly #pollMs: number;
  readonly #timeoutMs: number;
  readonly #files = new Map<string, LogFile>();
  readonly #newLines: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #activeCheck: Promise<void> = Promise.resolve();
  #waitedMs = 0;
  #isFound = false;
  #hasEnded = false;
  #listener: () => void = () => undefined;

  constructor(request: SideFilesRequest, deps: SideFilesDeps) {
    this.#request = request;
    this.#deps = deps;
    this.#pollMs = deps.pollMs ?? 200;
    this.#timeoutMs = deps.timeoutMs ?? 30_000;
    if (request.log !== undefined) this.#wait();
  }

  /** Calls `listener` once, when the log contains the conversation id. */
  onConversationId(listener: () => void): void {
    this.#listener = listener;
    if (this.#newLines.length > 0) listener();
  }

  /** Passes new log information to the normalizer. */
  readUpdates(output: RunOutput, at: number): EntryUpdate[] {
    return this.#newLines.splice(0).flatMap((line) => output.sideLine('log', line, at));
  }

  /**
   * Stops watching and reads the final state after the output has ended. Keeps only the file with token counts. `note`:
   * warning if the conversation has no id.
   */
  async end(output: RunOutput, at: number): Promise<{ updates: EntryUpdate[]; note: Note | null }> {
    this.stop();
    await this.#activeCheck;
    const { log, usage } = this.#request;
    const { folder, usageFile, label } = this.#deps;
    await this.#check(true);
    const text = usage === undefined ? null : await readWhole(usage);
    if (usage !== undefined && text !== null) await rename(usage, usageFile).catch(() => undefined);
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    const updates = [
      ...output.flush(at),
      ...this.readUpdates(output, at),
      ...(text === null ? [] : output.sideLine('usage', text, at)),
    ];
    if (log === undefined || output.facts().sessionIds.length > 0) return { updates, note: null };
    const seconds = Math.round(this.#waitedMs / 1000);
    const content = `${label} did not write a conversation ID to its log within ${seconds} s, so it cannot be resumed.`;
    return { updates, note: { subtype: 'session_id_missing', content } };
  }

  /** Clears the timer. */
  stop(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#waitedMs += this.#pollMs;
      const last = this.#waitedMs >= this.#timeoutMs;
      this.#activeCheck = this.#check(last).then(() => {
        if (!last && !this.#isFound && !this.#hasEnded) this.#wait();
      });
    }, this.#pollMs);
  }

  /** `last`: accept a line of any file, even if the process has its own file. */
  async #check(last: boolean): Promise<void> {
    const { log } = this.#request;
    if (log === undefined || this.#isFound) return;
    const names = await readdir(log.folder).catch(() => []);
    for (const name of names.sort().slice(0, maxFiles)) {
      const file = this.#files.get(name) ?? { offset: 0, rest: '', line: undefined };
      this.#files.set(name, file);
      if (file.line === undefined) await readAppended(path.join(log.folder, name), file, log.namesConversation);
    }
    const line = this.#choose(last);
    if (line === undefined) return;
    this.#isFound = true;
    this.#newLines.push(line);
    if (!this.#hasEnded) this.#listener();
  }

  /** The process's own file if there is one, else the first that names a conversation. */
  #choose(last: boolean): string | undefined {
    const files = [...this.#files];
    const pid = String(this.#deps.pid);
    const own = files.filter(([name]) => name.split(/\D+/).includes(pid));
    for (const group of last ? [own, files] : own.length > 0 ? [own] : [files]) {
      const named = group.find(([, { line }]) => line !== undefined);
      if (named !== undefined) return named[1].line;
    }
    return undefined;
  }
}

/** Reads what was appended; nothing if the file is missing or not a file. */
async function readAppended(file: string, state: LogFile, names: (line: string) => boolean): Promise<void> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return;
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, maxLogBytes) - state.offset;
    if (length <= 0) return;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, state.offset);
    state.offset += bytesRead;
    const lines = (state.rest + buffer.toString('latin1', 0, bytesRead)).split('\n');
    state.rest = lines.pop() ?? '';
    state.line = lines.find(names);
  } catch {
    // The next check tries again.
  } finally {
    await handle.close();
  }
}

async function readWhole(file: string): Promise<string | null> {
  try {
    const { size } = await stat(file);
    return size > maxUsageBytes ? null : await readFile(file, 'utf8');
  } catch {
    return null;
  }
}
