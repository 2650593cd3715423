import path from 'node:path';
import { RecordStore } from '../../src/engine/record/recordStore.ts';
import type { NormalizedEntry } from '../../src/model/transcript/entry.ts';
import type { FolderIdentity, Session } from '../../src/model/session/session.ts';
import type { SessionSummary } from '../../src/model/session/summary.ts';
import type { RunFolder } from '../support/host/runFolder.ts';

export interface Seed {
  readonly title: string;
  readonly daysAgo: number;
  readonly usd: number | null;
  readonly turns: number;
  readonly seconds: number;
  readonly outcome?: SessionSummary['outcome'];
  readonly reason?: string;
  /** Title of the session that started it. */
  readonly parent?: string;
  readonly folder?: string;
  readonly identity?: FolderIdentity;
  readonly hidden?: boolean;
  readonly entries?: readonly NormalizedEntry[];
}

/** Records as a week of work leaves them, for the lists; their ids count from 0. */
export async function seedSessions({ root, workspace }: RunFolder, seeds: readonly Seed[]): Promise<void> {
  await seedStore(path.join(root, 'user-data/User/globalStorage/vitrine.vitrine'), workspace, seeds);
}

/** The same in any store; `projectDir` is the folder of sessions that name none. */
export async function seedStore(storeDir: string, projectDir: string, seeds: readonly Seed[]): Promise<void> {
  const store = new RecordStore(storeDir, {
    clock: () => Date.now(),
    log: {
      warn: (message) => {
        throw new Error(message);
      },
    },
  });
  const idOf = (title: string): string => {
    const at = seeds.findIndex((seed) => seed.title === title);
    return `ses_${String(at).padStart(12, '0')}`;
  };
  for (const [at, seed] of seeds.entries()) {
    const today = new Date().setHours(0, 0, 0, 0);
    const ago = Date.now() - at * 61_000;
    // All of a day, also just after midnight.
    const time = new Date(ago < today ? today + (seeds.length - at) * 10 : ago);
    time.setDate(time.getDate() - seed.daysAgo);
    const session: Session = {
      session_id: idOf(seed.title),
      status: seed.outcome === 'stopped' ? 'stopped' : 'finished',
      created_at: time.toISOString(),
      project_dir: seed.folder ?? projectDir,
      ...(seed.identity === undefined ? {} : { project_identity: seed.identity }),
      execution_mode: 'sync',
      executor_session_ids: [],
      executor_type: 'claude-code',
      title: seed.title,
      ...(seed.parent === undefined ? {} : { parent_session_id: idOf(seed.parent) }),
      ...(seed.hidden === true ? { hidden: true } : {}),
    };
    const writer = await store.create(session);
    for (const entry of seed.entries ?? []) await writer.append({ kind: 'entry', entry });
    await writer.append({ kind: 'summary', summary: summaryOf(session, seed), turns: [], turns_omitted: 0 });
    await writer.close();
  }
}

function summaryOf(
  session: Session,
  { title, usd, turns, seconds, outcome, reason, entries = [] }: Seed,
): SessionSummary {
  const cost: SessionSummary['cost'] =
    usd === null
      ? { provenance: 'unknown', reason: 'The run ended before the agent said what it cost.' }
      : { provenance: 'reported', usd };
  return {
    ...session,
    agent_label: 'Claude Code',
    agent_version: '2.1.328',
    model: 'claude-opus-5-5',
    permission_mode: 'acceptEdits',
    prompt: title,
    outcome: outcome ?? 'completed',
    ...(reason === undefined ? {} : { reason }),
    runs: 1,
    entries: entries.length,
    turns,
    cost,
    total_cost: cost,
    usage: {},
    total_usage: {},
    duration: seconds * 1000,
    api_duration: null,
    context_window: null,
    updated_at: session.created_at,
    recording: false,
  };
}

/** A week as a product page would show it. */
export const week: readonly Seed[] = [
  { title: 'Explain edge cache', daysAgo: 0, usd: 0.05, turns: 2, seconds: 44 },
  { title: 'Streaming parser', daysAgo: 0, usd: 0.77, turns: 9, seconds: 1260, outcome: 'stopped' },
  { title: 'Quiet the logger', daysAgo: 0, usd: 0.22, turns: 5, seconds: 480 },
  { title: 'Release notes 4.2', daysAgo: 1, usd: 0.02, turns: 1, seconds: 12, outcome: 'failed', reason: 'rate limit' },
  { title: 'OpenAPI examples', daysAgo: 1, usd: null, turns: 6, seconds: 130, outcome: 'interrupted' },
  { title: 'Split auth', daysAgo: 1, usd: 2.4, turns: 18, seconds: 2640 },
  { title: 'Audit nextDelay', daysAgo: 1, usd: 0.18, turns: 1, seconds: 120, parent: 'Split auth' },
  { title: 'Rename Chunk', daysAgo: 4, usd: 0.31, turns: 12, seconds: 300 },
  { title: 'Health endpoint', daysAgo: 6, usd: 0.14, turns: 3, seconds: 240 },
  { title: 'Tidy the changelog', daysAgo: 6, usd: 0.03, turns: 1, seconds: 20, hidden: true },
  { title: 'Another project', daysAgo: 2, usd: 0.4, turns: 4, seconds: 90, folder: '/elsewhere' },
];
