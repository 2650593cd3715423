import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SideFiles as SideFilesRequest } from '../../agents/adapter.ts';
import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { RunOutput } from './runOutput.ts';
import type { Note } from '../run/note.ts';

export interface SideFilesDeps {
  readonly label: string;
  /** Holds the agent's files, and nothing else. */
  readonly folder: string;
  /** Where the file with the tokens is kept. */
  readonly usageFile: string;
  /** Of the process that was started; the agent itself may be a child of it. */
  readonly pid: number | undefined;
  /** Default: 200 ms. */
  readonly pollMs?: number;
  /** Default: 30 s. */
  readonly timeoutMs?: number;
}

interface LogFile {
  offset: number;
  /** The beginning of a line whose end is not there yet. */
  rest: string;
  line: string | undefined;
}

/** No log names the conversation so late, and no file with tokens is so large. */
const maxLogBytes = 4 << 20;
const maxUsageBytes = 4 << 20;
const maxFiles = 100;

/** A folder that only this user can read, and that holds nothing yet. */
export async function createPrivateFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/**
 * Watches what one process writes into the folder of its run. The log folder is looked at every 200 ms until a line names
 * the conversation, for 30 s at most. Owns a timer until `end`.
 */
export class SideFiles {
  readonly #request: SideFilesRequest;
  readonly #deps: SideFilesDeps;
  readonly #pollMs: number;
  readonly #timeoutMs: number;
  readonly #files = new Map<string, LogFile>();
  readonly #ready: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #waitedMs = 0;
  #found = false;
  #ended = false;
  #listener: () => void = () => undefined;

  constructor(request: SideFilesRequest, deps: SideFilesDeps) {
    this.#request = request;
    this.#deps = deps;
    this.#pollMs = deps.pollMs ?? 200;
    this.#timeoutMs = deps.timeoutMs ?? 30_000;
    if (request.log !== undefined) this.#wait();
  }

  /** `listener` is called once, when the log has named the conversation. */
  onFound(listener: () => void): void {
    this.#listener = listener;
    if (this.#ready.length > 0) listener();
  }

  /** Gives the normalizer what the log has told since. */
  take(output: RunOutput, at: number): EntryUpdate[] {
    return this.#ready.splice(0).flatMap((line) => output.aside('log', line, at));
  }

  /**
   * Stops watching, and gives the normalizer what is there at the end, after all of the output. Keeps the file with the
   * tokens and nothing else. `note`: what to say where the conversation has no name.
   */
  async end(output: RunOutput, at: number): Promise<{ updates: EntryUpdate[]; note: Note | null }> {
    this.stop();
    await this.#looking;
    const { log, usage } = this.#request;
    const { folder, usageFile, label } = this.#deps;
    await this.#look(true);
    const text = usage === undefined ? null : await readWhole(usage);
    if (usage !== undefined && text !== null) await rename(usage, usageFile).catch(() => undefined);
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    const updates = [
      ...output.flush(at),
      ...this.take(output, at),
      ...(text === null ? [] : output.aside('usage', text, at)),
    ];
    if (log === undefined || output.facts().sessionIds.length > 0) return { updates, note: null };
    const seconds = Math.round(this.#waitedMs / 1000);
    const content = `${label} did not write a conversation ID to its log within ${seconds} s, so it cannot be resumed.`;
    return { updates, note: { subtype: 'session_id_missing', content } };
  }

  /** No timer is left after this. */
  stop(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#waitedMs += this.#pollMs;
      const last = this.#waitedMs >= this.#timeoutMs;
      this.#looking = this.#look(last).then(() => {
        if (!last && !this.#found && !this.#ended) this.#wait();
      });
    }, this.#pollMs);
  }

  /** `last`: a line of any file will do, also where there is a file of the process's own. */
  async #look(last: boolean): Promise<void> {
    const { log } = this.#request;
    if (log === undefined || this.#found) return;
    const names = await readdir(log.folder).catch(() => []);
    for (const name of names.sort().slice(0, maxFiles)) {
      const file = this.#files.get(name) ?? { offset: 0, rest: '', line: undefined };
      this.#files.set(name, file);
      if (file.line === undefined) await readOn(path.join(log.folder, name), file, log.names);
    }
    const line = this.#choose(last);
    if (line === undefined) return;
    this.#found = true;
    this.#ready.push(line);
    if (!this.#ended) this.#listener();
  }

  /** Of the process's own file where there is one, else of the first that names a conversation. */
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

/** Reads what came since; a file that is not there, or is no file, has nothing. */
async function readOn(file: string, state: LogFile, names: (line: string) => boolean): Promise<void> {
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
    // It is tried again the next time.
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
