import { isObject } from '../../model/text/json.ts';
import type { ObservedAgent } from '../../model/session/observed.ts';
import { nonEmpty, objects } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { SessionNote, StoreFormat, StorePart, StoreRecord } from '../stores/storeFormat.ts';
import { storeRoots } from '../stores/roots.ts';
import { RecordParser } from '../stores/storeSession.ts';
import { TaskReader } from './reader.ts';
import { clineIncludesCache, createRooCacheRule, type CacheInclusionRule } from './usage.ts';

/*
 * Cline and its two forks keep one folder per task: `ui_messages.json` (what the person sees, with the tokens and cost of
 * each request), `api_conversation_history.json` (what the model sees), `task_metadata.json` or `history_item.json`. Sources:
 * cline/cline `src/shared/ExtensionMessage.ts`, `src/shared/getApiMetrics.ts` and `src/core/storage/disk.ts`;
 * RooCodeInc/Roo-Code `packages/types/src/message.ts` and `src/core/task-persistence`.
 */

/** Cline in VS Code, and its command line program, which has the same folders. */
export const clineStore = taskStore({
  agent: 'cline',
  label: 'Cline',
  includesCache: clineIncludesCache,
});

/** Since 3.29.5, the tokens of the whole prompt (RooCodeInc/Roo-Code#8954). */
export const rooCodeStore = taskStore({
  agent: 'roo-code',
  label: 'Roo Code',
  includesCache: createRooCacheRule(Date.UTC(2025, 10, 1)),
});

/** The same change came with 4.119.0. */
export const kiloCodeStore = taskStore({
  agent: 'kilo-code',
  label: 'Kilo Code',
  includesCache: createRooCacheRule(Date.UTC(2025, 10, 12)),
});

interface TaskStore {
  readonly agent: ObservedAgent;
  readonly label: string;
  readonly includesCache: CacheInclusionRule;
}

function taskStore({ agent, label, includesCache }: TaskStore): StoreFormat {
  return {
    agent,
    label,
    roots: storeRoots[agent],
    place: placeOf,
    notes: taskNotes,
    createParser: (options) => new RecordParser(options, (session) => new TaskReader(session, includesCache)),
  };
}

function placeOf(path: string): StorePart | undefined {
  if (path === 'state/taskHistory.json' || path === 'tasks/_index.json') return { role: 'shared' };
  const [, session, name] = /^tasks\/([^/]+)\/(\w+)\.json$/.exec(path) ?? [];
  if (session === undefined || name === undefined) return undefined;
  if (name === 'ui_messages' || name === 'claude_messages') return { role: 'main', session };
  if (name === 'api_conversation_history') return { role: 'main', session };
  return name === 'task_metadata' || name === 'history_item' ? { role: 'sidecar', session } : undefined;
}

/** The list of tasks has the folder of each. */
function taskNotes(record: StoreRecord): readonly SessionNote[] {
  const value = record.kind === 'document' ? parse(record.text) : undefined;
  return objects(isObject(value) ? value['entries'] : value).flatMap((item) => {
    const key = nonEmpty(item['id']);
    const folder = nonEmpty(item['workspace']) ?? nonEmpty(item['cwdOnTaskInitialization']);
    return key === undefined || folder === undefined ? [] : [{ key, folder }];
  });
}
