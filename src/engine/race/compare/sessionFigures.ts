import { SessionLinks } from '../../../insight/citations/sessionLinks.ts';
import { SessionFiles } from '../../../insight/files/files.ts';
import type { ComparedLane, ComparedFile } from '../../../model/race/comparison.ts';
import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { unreportedChangesSchema, unreportedSubtype } from '../../../model/transcript/unreported.ts';
import { isSessionLive } from '../../../model/session/status.ts';
import { totalTokens } from '../../../model/usage/usage.ts';
import type { SessionHandle } from '../../api.ts';

const batchSize = 500;

export type SessionFigures = Omit<ComparedLane, 'name' | 'check' | 'setup' | 'worktree' | 'branch'>;

/** What a comparison shows of a session. Reads every entry. */
export async function sessionFigures(handle: SessionHandle): Promise<SessionFigures> {
  const summary = handle.summary();
  const folder = summary.project_dir ?? '';
  const files = new SessionFiles(folder);
  const links = new SessionLinks(folder);
  const unreported = new Map<string, ComparedFile>();
  let unsupported = 0;
  const open = new Set(handle.openIndexes());
  for (let from = 0; from < handle.entryCount(); from += batchSize) {
    for (const entry of await handle.read(from, from + batchSize)) {
      files.add(entry);
      addUnreported(entry, unreported);
      links.add(entry, open.has(entry.index));
      unsupported += links.linksOf(entry.index).filter(isUnsupported).length;
    }
  }
  const reported = files
    .all()
    .flatMap(({ path, change, added, removed, counted }): ComparedFile[] =>
      change === 'read' ? [] : [{ path, change, added: counted ? added : null, removed: counted ? removed : null }],
    );
  const names = new Set(reported.map(({ path }) => path));
  const times = handle.turns().map(({ durationMs }) => durationMs);
  return {
    label: summary.agent_label,
    agent: summary.executor_type ?? null,
    model: summary.model,
    session_id: summary.session_id,
    title: summary.title ?? null,
    outcome: isSessionLive(summary.status) ? 'running' : summary.outcome,
    reason: summary.reason ?? null,
    files: [...reported, ...[...unreported.values()].filter(({ path }) => !names.has(path))],
    ms: times.length === 0 || times.includes(null) ? null : times.reduce<number>((sum, ms) => sum + (ms ?? 0), 0),
    cost: summary.total_cost,
    tokens: Object.keys(summary.total_usage).length === 0 ? null : totalTokens(summary.total_usage),
    unsupported,
  };
}

/** The session has no evidence for it, or evidence of the opposite. */
function isUnsupported({ link }: ReturnType<SessionLinks['linksOf']>[number]): boolean {
  return link.status === 'not_found' || link.judged?.verdict === 'disagrees';
}

/** Changes that no tool call reports, for example by a command. */
function addUnreported({ type, metadata }: NormalizedEntry, to: Map<string, ComparedFile>): void {
  if (type.kind !== 'system_message' || type.subtype !== unreportedSubtype) return;
  const found = unreportedChangesSchema.safeParse(metadata?.['unreported']).data;
  for (const { path, kind: change } of found?.changes ?? []) to.set(path, { path, change, added: null, removed: null });
}
