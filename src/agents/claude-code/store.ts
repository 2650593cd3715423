import { isObject } from '../../model/text/json.ts';
import { nonEmpty } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { SessionNote, StoreFormat, StorePart, StoreRecord } from '../stores/storeFormat.ts';
import { storeRoots } from '../stores/roots.ts';
import { ClaudeStoreParser } from './store/parser.ts';

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const mainFile = new RegExp(`^[^/]+/${uuid}\\.jsonl$`, 'i');
/** Since 2.1; before, the file is beside those of sessions. */
const subagentFile = new RegExp(`^[^/]+/(${uuid})/subagents/(?:[^/]+/)?agent-([^/]+)\\.(jsonl|meta\\.json)$`, 'i');
const oldSubagentFile = /^[^/]+\/agent-([^/]+)\.jsonl$/;

/** `~/.claude/projects`: one JSONL file per session, and one per subagent. */
export const claudeCodeStore: StoreFormat = {
  agent: 'claude-code',
  label: 'Claude Code',
  roots: storeRoots['claude-code'],
  place: (path) => {
    const [, session, agent, kind] = subagentFile.exec(path) ?? [];
    if (session !== undefined && agent !== undefined) {
      return kind === 'jsonl' ? { role: 'subagent', session, agent } : { role: 'sidecar', session };
    }
    return mainFile.test(path) || oldSubagentFile.test(path) ? 'head' : undefined;
  },
  look: (path, head) => {
    const records = head.map(parse).filter(isObject);
    const agent = oldSubagentFile.exec(path)?.[1];
    if (agent !== undefined) return oldSubagent(agent, records);
    if (records.length === 0 && head.every((line) => line.trim() === '')) return undefined;
    // 1.0 stores titles in separate files.
    if (records.length > 0 && records.every((record) => record['type'] === 'summary')) return { role: 'shared' };
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.jsonl$/i, '');
    return { role: 'main', session: name };
  },
  leavesEmptyFiles: true,
  notes: (record) => (record.kind === 'line' ? summaryNote(record) : []),
  createParser: (options) => new ClaudeStoreParser(options),
  resume: (nativeId) => ({ program: 'claude', args: ['--resume', nativeId] }),
};

/** Its first prompt can name a session that was never written; the answer names the session that pays for it. */
function oldSubagent(agent: string, records: readonly Readonly<Record<string, unknown>>[]): StorePart | undefined {
  const answer = records.find((record) => record['type'] === 'assistant') ?? records[0];
  const session = nonEmpty(answer?.['sessionId']);
  return session === undefined ? undefined : { role: 'subagent', session, agent };
}

function summaryNote({ text }: StoreRecord & { kind: 'line' }): SessionNote[] {
  const record = parse(text);
  if (!isObject(record)) return [];
  const key = nonEmpty(record['leafUuid']);
  const title = nonEmpty(record['summary']);
  return key === undefined || title === undefined ? [] : [{ key, title }];
}
