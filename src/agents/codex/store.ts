import { isObject } from '../../model/text/json.ts';
import { field, nonEmpty } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { StoreFormat, StorePart } from '../stores/storeFormat.ts';
import { storeRoots } from '../stores/roots.ts';
import { joinThread } from './appServer/dialogue.ts';
import { watchThreads } from './appServer/threadStates.ts';
import { CodexStoreParser } from './store/parser.ts';

/** In `sessions` by day, in the machine's local time; in `archived_sessions` flat. */
const rollout =
  /^(?:\d{4}\/\d{2}\/\d{2}\/)?rollout-[^/]*?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl(?:\.zst)?$/i;
const index = 'session_index.jsonl';
/** After the folder of Codex, which has its server's socket too. */
const dayFolder = /^(.*)\/sessions\/\d{4}\/\d{2}\/\d{2}\/[^/]+$/;

/** `~/.codex`: one rollout per thread; threads of subagents count for the session that started them. */
export const codexStore: StoreFormat = {
  agent: 'codex',
  label: 'Codex',
  roots: storeRoots.codex,
  place: (path) => {
    if (path === index) return { role: 'shared' };
    return rollout.test(path) ? 'head' : undefined;
  },
  look: (path, [first = '']) => {
    const id = rollout.exec(path)?.[1];
    return id === undefined ? undefined : partOf(id, first);
  },
  notes: (record) => {
    if (record.kind !== 'line') return [];
    const value = parse(record.text);
    const key = nonEmpty(field(value, 'id'));
    const title = nonEmpty(field(value, 'thread_name'));
    return key === undefined || title === undefined ? [] : [{ key, title }];
  },
  createParser: (options) => new CodexStoreParser(options),
  resume: (nativeId) => ({ program: 'codex', args: ['resume', nativeId] }),
  join: {
    // What `codex app-server proxy` connects to.
    socket: (mainFile) => {
      const home = dayFolder.exec(mainFile)?.[1];
      return home === undefined ? undefined : `${home}/app-server-control/app-server-control.sock`;
    },
    dialogue: joinThread,
    watch: watchThreads,
  },
};

/** Reads the part from the first line; if that is incomplete or damaged, from its text. */
function partOf(id: string, first: string): StorePart {
  const meta = parse(first);
  const payload = isObject(meta) ? meta['payload'] : undefined;
  const spawn = field(field(field(payload, 'source'), 'subagent'), 'thread_spawn');
  const parent =
    nonEmpty(field(payload, 'parent_thread_id')) ??
    nonEmpty(field(spawn, 'parent_thread_id')) ??
    textField(first, 'parent_thread_id');
  if (parent === undefined) return { role: 'main', session: id };
  const session = nonEmpty(field(payload, 'session_id')) ?? textField(first, 'session_id') ?? parent;
  return { role: 'subagent', session: session === id ? parent : session, agent: id };
}

function textField(line: string, name: string): string | undefined {
  return new RegExp(`"${name}":"([0-9a-f-]{36})"`).exec(line)?.[1];
}
