import { createHash } from 'node:crypto';
import type { SessionNote, StoreFormat, StoreParserOptions, StorePlace } from '../../agents/stores/contract.ts';
import { countOnce } from '../../insight/observed/countOnce.ts';
import { observedSummary, type ObservedFacts, type ObservedSummary } from '../../insight/observed/summary.ts';
import type { PriceTable } from '../../insight/prices.ts';
import type { NormalizedEntry } from '../../model/entry.ts';
import type { ObservedAgent, StoreFacts } from '../../model/observed.ts';
import { Transcript } from '../../model/transcript.ts';
import { reasonOf } from './files.ts';
import { PartMemory, readStore, type SessionFiles, type Store } from './groups.ts';
import { observedId } from './ids.ts';
import { liveSource } from './live/agents.ts';
import { liveState, type ProcessMark } from './live/marks.ts';
import type { ProcessProbe } from './live/processes.ts';
import { mergedRecords, readNotes, recordsOf } from './records.ts';

export interface SourcesOptions {
  readonly formats: readonly StoreFormat[];
  readonly place: StorePlace;
  readonly processes: ProcessProbe;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Sessions whose files are read at the same time. */
const readAtOnce = 8;

/** A listed session with what is needed to read it. */
interface Found {
  readonly id: string;
  readonly files: SessionFiles;
  readonly facts: StoreFacts;
  readonly mark: ProcessMark | undefined;
  readonly problem: string | null;
}

/** What is shown of a session that another program has started. */
export interface ObservedTranscript extends Pick<ObservedFacts, 'id' | 'agent' | 'label' | 'path' | 'live' | 'facts'> {
  readonly entries: readonly NormalizedEntry[];
  /** What could not be read, for people. */
  readonly problems: readonly string[];
}

interface Remembered {
  readonly key: string;
  readonly facts: StoreFacts;
  readonly problem: string | null;
}

/** The sessions that other programs keep in their own stores, which are only ever read. */
export class SessionSources {
  readonly #options: SourcesOptions;
  readonly #parts = new PartMemory();
  readonly #facts = new Map<string, Remembered>();
  #found = new Map<string, Found>();

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** Folders in which sessions are looked for. */
  folders(): string[] {
    const { formats, place } = this.#options;
    return formats.flatMap((format) => format.roots(place).map(({ path }) => path));
  }

  /** Every session of every store, each request counted once over all of them. */
  async list(prices: PriceTable): Promise<ObservedSummary[]> {
    const stores = await this.#stores();
    const found: Found[] = [];
    for (const store of stores) found.push(...(await this.#sessionsOf(store)));
    this.#found = new Map(found.map((each) => [each.id, each]));
    this.#forget();
    const shares = countOnce(found.map(({ files, facts }) => ({ agent: files.format.agent, facts })));
    const rows = found.map((each, at) => {
      const share = shares[at];
      if (share === undefined) throw new Error('Every session has a share.');
      const parentId = share.parent === null ? null : this.#parentId(each.files.format.agent, share.parent);
      return observedSummary({ ...this.#observed(each), share, parentId }, prices);
    });
    return [...rows, ...stores.flatMap((store) => this.#problemRows(store, prices))];
  }

  /** The state of the files of a session that was listed last, to be compared; `undefined` where there is none. */
  stampOf(id: string): string | undefined {
    const found = this.#found.get(id);
    if (found === undefined) return undefined;
    const { live, problem } = this.#observed(found);
    const hash = createHash('sha1').update(JSON.stringify([live.state === 'ended', problem]));
    for (const { path, size, mtimeMs } of found.files.files) hash.update(JSON.stringify([path, size, mtimeMs]));
    return hash.digest('base64');
  }

  /** The transcript of one session; `null` where there is none of that id. Other sessions are not read. */
  async read(id: string): Promise<ObservedTranscript | null> {
    const known = this.#found.get(id);
    for (const store of known === undefined ? await this.#stores() : []) {
      const files = store.sessions.find(({ session }) => observedId(store.format.agent, session) === id);
      if (files === undefined) continue;
      const [found] = await this.#sessionsOf({ ...store, sessions: [files] });
      return found === undefined ? null : await this.#transcript(found);
    }
    return known === undefined ? null : await this.#transcript(known);
  }

  async #transcript(found: Found): Promise<ObservedTranscript> {
    const { id, files } = found;
    const { live, path, label, agent, problem } = this.#observed(found);
    const transcript = new Transcript();
    const notes = new Map<string, SessionNote>();
    const parser = files.format.createParser({ entries: true, session: files.session, notes });
    const problems: string[] = problem === null ? [] : [problem];
    try {
      for await (const records of mergedRecords(files)) {
        for (const record of records) transcript.apply(parser.push(record));
      }
    } catch (error) {
      if (problem === null) problems.push(reasonOf(error));
    }
    transcript.apply(parser.end(live.state !== 'ended'));
    return { id, agent, label, path, live, facts: parser.facts(), entries: transcript.settled(), problems };
  }

  async #stores(): Promise<Store[]> {
    const { formats, place } = this.#options;
    const stores: Store[] = [];
    for (const format of formats) stores.push(await readStore(format, format.roots(place), this.#parts));
    return stores;
  }

  async #sessionsOf({ format, roots, sessions, shared }: Store): Promise<Found[]> {
    if (sessions.length === 0) return [];
    const notes = await readNotes(format, shared);
    const marks = await liveSource(format.agent)?.marks(roots, sessions, this.#options.processes);
    const found: Found[] = [];
    const read = async (files: SessionFiles): Promise<Found> => {
      const { facts, problem } = await this.#factsOf(files, notes);
      const mark = facts.nativeIds.map((id) => marks?.get(id)).find((each) => each !== undefined);
      return { id: observedId(format.agent, files.session), files, facts, mark, problem };
    };
    for (let from = 0; from < sessions.length; from += readAtOnce) {
      found.push(...(await Promise.all(sessions.slice(from, from + readAtOnce).map(read))));
    }
    return found;
  }

  async #factsOf(files: SessionFiles, notes: ReadonlyMap<string, SessionNote>): Promise<Remembered> {
    const { format, session } = files;
    const id = observedId(format.agent, session);
    const key = files.files.map(({ path, size, mtimeMs }) => `${path}\n${size}\n${mtimeMs}`).join('\n');
    const known = this.#facts.get(id);
    if (known?.key === key && notes.size === 0) return known;
    const options: StoreParserOptions = { entries: false, session, notes };
    const parser = format.createParser(options);
    let problem: string | null = null;
    try {
      for await (const records of recordsOf(files)) for (const record of records) parser.push(record);
    } catch (error) {
      problem = reasonOf(error);
    }
    const facts = parser.facts();
    const { total, malformed } = facts.records;
    if (problem === null && malformed > 0) problem = `Damaged: ${malformed} of ${total} records cannot be read.`;
    const read = { key, facts, problem };
    this.#facts.set(id, read);
    return read;
  }

  #observed({ id, files, facts, mark, problem }: Found): Omit<ObservedFacts, 'share' | 'parentId'> {
    const { format } = files;
    const main = files.files.find(({ part }) => part.role === 'main') ?? files.files.at(-1);
    const changedAt = main?.mtimeMs ?? 0;
    const tells = liveSource(format.agent)?.tells(facts) ?? false;
    const live = liveState(facts, mark, { tells, changedAt, now: this.#options.clock() });
    return {
      id,
      agent: format.agent,
      label: format.label,
      facts,
      live,
      path: main?.path ?? '',
      changedAt: new Date(changedAt).toISOString(),
      problem,
    };
  }

  #parentId(agent: ObservedAgent, nativeId: string): string | null {
    const id = observedId(agent, nativeId);
    return this.#found.has(id) ? id : null;
  }

  /** A file or folder that cannot be read is a row that says why. */
  #problemRows({ format, problems }: Store, prices: PriceTable): ObservedSummary[] {
    const parser = format.createParser({ entries: false, session: '', notes: new Map() });
    const facts = { ...parser.facts(), nativeIds: [] };
    const share = { requests: [], inherited: [], prompts: 0, toolCalls: 0, parent: null };
    const changedAt = new Date(0).toISOString();
    const live = { state: 'ended', since: null, source: 'record' } as const;
    return problems.map(({ path, reason }) => {
      const id = observedId(format.agent, path);
      const about = { id, agent: format.agent, label: format.label, facts, share, live, path, changedAt };
      return observedSummary({ ...about, problem: reason, parentId: null }, prices);
    });
  }

  #forget(): void {
    for (const id of this.#facts.keys()) if (!this.#found.has(id)) this.#facts.delete(id);
  }
}
