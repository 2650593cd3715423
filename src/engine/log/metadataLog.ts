import type { RecordedRun } from '../../formats/record.ts';
import type { QuerySource } from '../../insight/recall/querySource.ts';
import { isMarkedSynthetic } from '../../model/transcript/synthetic.ts';
import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';
import type { Log } from '../api.ts';
import { logLine } from './logLine.ts';

/** Maximum characters of a search query in the log, with secrets masked. */
const longestQuery = 50;

type Marks = Pick<NormalizedEntryMetadata, 'trigger_type' | 'trigger_reason'>;

/** Logs who wrote a message. */
export function logDetection(log: Log, threadId: string, metadata: NormalizedEntryMetadata | undefined): void {
  const fields = { isSynthetic: isMarkedSynthetic(metadata), triggerType: metadata?.trigger_type, threadId };
  log.debug(logLine('Detected message metadata', fields));
}

/** `query` must have its secrets masked. It is the only user text in the log, and only at trace level. */
export function logQuerySource(log: Log, threadId: string | undefined, querySource: QuerySource, query: string): void {
  const fields = { querySource, query: query.slice(0, longestQuery), threadId };
  log.debug(logLine('Memory query source selected', fields));
}

export function logEmptyThread(log: Log, threadId: string | undefined, messageCount: number): void {
  const fields = { threadId, messageCount };
  log.error(logLine('Empty thread - no query source available for memory retrieval', fields));
}

/** Logs that an automatic message was hidden. */
export function logFiltered(log: Log, messageId: string, metadata: Marks | undefined): void {
  const fields = { messageId, triggerType: metadata?.trigger_type, triggerReason: metadata?.trigger_reason };
  log.debug(logLine('Filtered synthetic message from thread history', fields));
}

/** The feature that excludes messages. */
export type FilteringList = 'recall' | 'search' | 'prompts' | 'transcript' | 'summary';

/** `threadId`: id of the session, if there is one. */
export function logFiltering(
  log: Log,
  list: FilteringList,
  { total: totalMessages, filtered: filteredCount }: { readonly total: number; readonly filtered: number },
  threadId?: string,
): void {
  const counts = { totalMessages, filteredCount, visibleMessages: totalMessages - filteredCount };
  log.info(logLine('Extracted messages from thread', { ...counts, list, threadId }));
}

/** Logs that the marks of an automatic prompt are recorded. */
export function logPersisted(
  log: Log,
  threadId: string,
  { run_id: runId, trigger_type: triggerType }: RecordedRun,
): void {
  log.info(logLine('Persisted message metadata', { threadId, runId, triggerType }));
}

/** Logs that `entries` lines of a record have metadata of an invalid type, such as `"true"`, which is ignored. */
export function logInvalidMetadata(log: Log, threadId: string, entries: number): void {
  log.error(logLine('Metadata structure validation failed', { threadId, entries }));
}
