import { isReadOnly } from '../../model/session/importedSession.ts';
import { Redactor } from '../../formats/redaction/redactor.ts';
import { passageOf } from '../../insight/recall/passage.ts';
import { chooseQuery, isRealMessage, type ChosenQuery } from '../../insight/recall/querySource.ts';
import { minimumMatches, keyWords } from '../../insight/recall/words.ts';
import type { Log } from '../api.ts';
import { secretTag } from '../archive/exportSession.ts';
import { logEmptyThread, logFiltered, logFiltering, logQuerySource } from '../log/metadataLog.ts';
import type { RecordReader } from '../record/contract.ts';
import type { SimilarPassages, SimilarEntry, SearchedSession } from '../search/types.ts';
import type { SessionSearch } from '../search/sessionSearch.ts';
import type { RecallRequest, RecallResult, RecalledPassage } from './types.ts';
import { Thread } from './thread.ts';

/** Limits: entries to examine, passages in total, passages per session. */
const maxEntries = 40;
const maxPassages = 6;
const maxOfSession = 3;
/** Passages that score below this share of the best one are dropped as unrelated. */
const minScoreShare = 0.35;
/** Requests count less than results. */
const requestWeight = 0.6;
const longestTitle = 80;
const longestQuery = 200;

interface RecallDeps {
  readonly search: SessionSearch;
  readonly log: Log;
  readonly randomHex: (digits: number) => string;
  /** @throws EngineFailure */
  readonly openReader: (id: string) => Promise<RecordReader>;
}

/** Finds context from earlier sessions for a message. Reads only the records of this machine. */
export class Recall {
  readonly #deps: RecallDeps;

  constructor(deps: RecallDeps) {
    this.#deps = deps;
  }

  /** @throws EngineFailure if the session does not exist, the signal's abort reason */
  async find({ session, message, ...request }: RecallRequest): Promise<RecallResult> {
    const { log, search, randomHex } = this.#deps;
    const key = randomHex(32);
    const redactor = new Redactor((secret) => secretTag(key, secret));
    const masked = (text: string): string => redactor.redactText(text, { path: [] });
    const chosen = await this.#choose(session, message);
    if (chosen === undefined) return { source: null, query: '', passages: [], sessions: 0, elsewhere: 0 };
    const { source, query } = chosen;
    const shown = masked(query).slice(0, longestQuery);
    logQuerySource(log, session, source, shown);
    const words = keyWords(query);
    const found = await search.findSimilar({
      ...request,
      words,
      atLeast: minimumMatches(words.length),
      kinds: ['user', 'assistant'],
      most: maxEntries,
    });
    const passages = bestEntries(this.#withoutAutomaticMessages(found)).map(
      ({ session: from, entry }): RecalledPassage => {
        const { text, cut } = passageOf(masked(entry.content), words);
        return {
          sessionId: from.session_id,
          title: masked(from.title ?? from.prompt).slice(0, longestTitle),
          entry: entry.index,
          at: entry.timestamp,
          by: entry.type.kind === 'user_message' ? 'user' : 'agent',
          text,
          cut,
        };
      },
    );
    const { sessions, elsewhere: others } = found.scanned;
    return { source, query: shown, passages: withoutRepeats(passages), sessions, elsewhere: others };
  }

  /** Context from an earlier conversation of the same session; `undefined` if nothing is found. Never rejects. */
  async recallSession(id: string, text: string): Promise<RecallResult | undefined> {
    try {
      const found = await this.find({ message: { text }, within: ({ session_id }) => session_id === id });
      return found.passages.length === 0 ? undefined : found;
    } catch (error) {
      this.#deps.log.warn(`${id} could not be searched: ${String(error)}`);
      return undefined;
    }
  }

  async #choose(session: string | undefined, message: RecallRequest['message']): Promise<ChosenQuery | undefined> {
    const { log, openReader } = this.#deps;
    if (session === undefined) {
      const current = message === 'newest' ? undefined : message;
      const chosen = await chooseQuery({ current, earlier: [], summary: () => Promise.resolve('') });
      if (chosen === undefined) logEmptyThread(log, undefined, 0);
      return chosen;
    }
    const reader = await openReader(session);
    try {
      const thread = new Thread(reader, log);
      const chosen = await chooseQuery(await thread.conversation(message));
      if (chosen === undefined) logEmptyThread(log, session, thread.messages);
      return chosen;
    } finally {
      await reader.close();
    }
  }

  /** Excludes automatic messages: their text only matches other automatic messages. */
  #withoutAutomaticMessages({
    entries,
    leftOut,
  }: Pick<SimilarPassages, 'entries' | 'leftOut'>): readonly SimilarEntry[] {
    const { log } = this.#deps;
    const isSaid = ({ entry }: SimilarEntry): boolean => entry.type.kind !== 'user_message' || isRealMessage(entry);
    const inserted = entries.filter((entry) => !isSaid(entry));
    for (const { session, entry } of [...leftOut.entries, ...inserted])
      logFiltered(log, `${session.session_id}#${entry.index}`, entry.metadata);
    const filtered = leftOut.count + inserted.length;
    logFiltering(log, 'recall', { total: entries.length + leftOut.count, filtered });
    return entries.filter(isSaid);
  }
}

/** Matches visible sessions of one folder; `without`: the session that continues. */
export function folderFilter(folder: string, without?: string): (session: SearchedSession) => boolean {
  return (session) => {
    const { session_id, project_dir, hidden, recording } = session;
    return project_dir === folder && session_id !== without && hidden !== true && !isReadOnly(session) && !recording;
  };
}

function bestEntries(entries: readonly SimilarEntry[]): readonly SimilarEntry[] {
  const ranked = entries
    .map((entry) => ({ ...entry, score: entry.score * (entry.entry.type.kind === 'user_message' ? requestWeight : 1) }))
    .sort((a, b) => b.score - a.score);
  const least = (ranked[0]?.score ?? 0) * minScoreShare;
  const taken = new Map<string, number>();
  return ranked.filter(({ session: { session_id: id }, score }) => {
    const count = taken.get(id) ?? 0;
    if (score < least || count === maxOfSession) return false;
    taken.set(id, count + 1);
    return true;
  });
}

function withoutRepeats(passages: readonly RecalledPassage[]): readonly RecalledPassage[] {
  const texts = new Set<string>();
  return passages.filter(({ text }) => text !== '' && !texts.has(text) && texts.add(text)).slice(0, maxPassages);
}
