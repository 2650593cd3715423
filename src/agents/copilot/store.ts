import type { StoreFormat } from '../stores/storeFormat.ts';
import { storeRoots } from '../stores/roots.ts';
import { CopilotStoreParser } from './store/parser.ts';

const file = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/(events\.jsonl|workspace\.yaml)$/i;

/** `~/.copilot/session-state`: one folder per session, with its events and a few facts. */
export const copilotStore: StoreFormat = {
  agent: 'copilot',
  label: 'Copilot CLI',
  roots: storeRoots.copilot,
  place: (path) => {
    const [, session, name] = file.exec(path) ?? [];
    if (session === undefined) return undefined;
    return name === 'events.jsonl' ? { role: 'main', session } : { role: 'sidecar', session };
  },
  createParser: (options) => new CopilotStoreParser(options),
  resume: (nativeId) => ({ program: 'copilot', args: [`--resume=${nativeId}`] }),
};
