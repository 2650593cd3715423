import type { SessionHandle } from '../../engine/api.ts';
import { spendingOfSession, type RunSpending } from '../../insight/usage/spending.ts';
import { visibleLine } from '../../model/text/visibleText.ts';
import { withClient } from '../../team/database/connection.ts';
import { TeamError } from '../../team/errors.ts';
import { loginOfStore, requireLogin } from '../../team/login.ts';
import { markShared } from '../../engine/search/sharedAnswer.ts';
import type { SearchAnswer, SearchRequest } from '../../engine/search/types.ts';
import { mirrorFolder, pullSession, pullShared } from '../../team/records/mirror.ts';
import { listShared, type SharedSession } from '../../team/records/sharedSessions.ts';
import { UsageError, type CliContext } from '../command.ts';
import { writeLines } from '../print/output.ts';
import { createEngine, storeFolder } from '../run/engine.ts';

const maxListed = 1000;

/** A session of another member that can be read. */
export interface OpenShared {
  readonly handle: SessionHandle;
  /** Why it ends early; `null`: it does not. */
  readonly problem: string | null;
  readonly close: () => Promise<void>;
}

/** @throws UsageError */
export async function printTeamSessions(
  context: CliContext,
  store: string | undefined,
  json: boolean,
): Promise<number> {
  const shared = await explainErrors(async () => {
    const login = await requireLogin(storeFolder(context, store), context.env);
    return withClient(login, (client) => listShared(client, maxListed));
  });
  if (json) await writeLines(context.stdout, shared);
  else for (const session of shared) context.stdout.write(`${row(session)}\n`);
  return 0;
}

/** `null`: the team has no record of such a session, or the store belongs to no team. @throws UsageError */
export async function openShared(
  context: CliContext,
  store: string | undefined,
  id: string,
): Promise<OpenShared | null> {
  const storeDir = storeFolder(context, store);
  return explainErrors(async () => {
    const login = await loginOfStore(storeDir, context.env);
    if (login === null) return null;
    const mirror = mirrorFolder(storeDir);
    const pulled = await withClient(login, (client) => pullSession(client, mirror, id));
    if (pulled === null) return null;
    const { session, problem } = pulled;
    if (session.lines === 0)
      throw new UsageError(
        `${session.owner} does not share the transcript of this session.`,
        'Ask them to share its records.',
      );
    const engine = createEngine(context, { store: mirror, excludesObserved: true });
    const handle = await engine.open(id);
    const close = async (): Promise<void> => {
      handle.dispose();
      await engine.dispose();
    };
    return { handle, problem, close };
  });
}

/** Searches what other members share. @throws UsageError */
export async function searchShared(
  context: CliContext,
  store: string | undefined,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const mirror = mirrorFolder(storeFolder(context, store));
  const pulled = await explainErrors(async () => {
    const login = await requireLogin(storeFolder(context, store), context.env);
    return withClient(login, (client) => pullShared(client, mirror, login.address.user));
  });
  const ids = new Set(pulled.sessions.map(({ session_id }) => session_id));
  const engine = createEngine(context, { store: mirror, excludesObserved: true });
  try {
    const within: SearchRequest['within'] = ({ session_id }) => ids.has(session_id);
    const answer = await engine.archive.search.search({ ...request, within });
    return markShared(answer, pulled);
  } finally {
    await engine.dispose();
  }
}

/** What sessions of other members used, each on the day on which it was created. @throws UsageError */
export async function sharedSpending(
  context: CliContext,
  store: string | undefined,
): Promise<{ readonly spent: readonly RunSpending[]; readonly sessions: number; readonly isComplete: boolean }> {
  return explainErrors(async () => {
    const login = await requireLogin(storeFolder(context, store), context.env);
    const shared = await withClient(login, (client) => listShared(client, maxListed));
    const others = shared.filter(({ owner }) => owner !== login.address.user);
    const summaries = others.flatMap(({ summary }) => (summary === null ? [] : [summary]));
    const spent = summaries.flatMap((summary) => spendingOfSession(summary, []));
    return { spent, sessions: summaries.length, isComplete: shared.length < maxListed };
  });
}

async function explainErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (TeamError.is(error)) throw new UsageError(error.message, error.next);
    throw error;
  }
}

function row({ session_id, owner, hostname, share, updated_at, summary }: SharedSession): string {
  const time = updated_at.slice(0, 16).replace('T', ' ');
  const status = summary?.status ?? 'unreadable';
  const cells = [session_id, status.padEnd(11), time, owner, hostname, share, summary?.title ?? ''];
  return visibleLine(cells.join('  ').trimEnd());
}
