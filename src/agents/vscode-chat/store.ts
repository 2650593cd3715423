import { isObject } from '../../model/text/json.ts';
import { nonEmpty } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { SessionNote, StoreFormat, StorePart, StoreRecord } from '../stores/storeFormat.ts';
import { storeRoots } from '../stores/roots.ts';
import { RecordParser } from '../stores/storeSession.ts';
import { uriPath } from '../stores/vscodeFolders.ts';
import { VscodeChatReader } from './reader.ts';

/**
 * VS Code's own chat: `<User>/workspaceStorage/<id>/chatSessions/<session>.json`, and since 1.109 `.jsonl`, a log of changes
 * to that object; windows without a folder use `globalStorage`. Source: microsoft/vscode, `chatSessionStore.ts`,
 * `objectMutationLog.ts`, `chatSessionOperationLog.ts` and `chatModel.ts` under `src/vs/workbench/contrib/chat/common/model`.
 */
export const vscodeChatStore: StoreFormat = {
  agent: 'vscode-chat',
  label: 'VS Code Chat',
  roots: storeRoots['vscode-chat'],
  place: placeOf,
  notes: workspaceNote,
  createParser: (options) => new RecordParser(options, (session) => new VscodeChatReader(session)),
};

function placeOf(path: string): StorePart | undefined {
  if (/^[^/]+\/workspace\.json$/.test(path)) return { role: 'shared' };
  const session = /^(?:[^/]+\/chatSessions\/)?([^/]+)\.jsonl?$/.exec(path)?.[1];
  return session === undefined ? undefined : { role: 'main', session };
}

/** `workspace.json` has the folder of the sessions beside it; identified by the name of its own folder. */
function workspaceNote(record: StoreRecord): readonly SessionNote[] {
  const key = /([^/\\]+)[/\\]workspace\.json$/.exec(record.path)?.[1];
  if (record.kind !== 'document' || key === undefined) return [];
  const value = parse(record.text);
  if (!isObject(value)) return [];
  const folder = uriPath(nonEmpty(value['folder']) ?? '');
  const workspace = uriPath(nonEmpty(value['workspace']) ?? nonEmpty(value['configuration']) ?? '');
  const path = folder ?? workspace?.replace(/[/\\][^/\\]+$/, '');
  return path === undefined ? [] : [{ key, folder: path }];
}
