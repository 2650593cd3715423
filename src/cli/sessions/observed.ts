import { homedir } from 'node:os';
import { storeFormats } from '../../agents/stores/formats.ts';
import { systemProcesses } from '../../engine/sources/live/processes.ts';
import type { FactsCache } from '../../engine/sources/reading/factsCache.ts';
import { SessionSources, type ObservedTranscript } from '../../engine/sources/sources.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import { loadPrices } from '../../insight/prices/prices.ts';
import { sessionIdSchema } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { CliContext } from '../command.ts';

/** The folder in which agents keep their sessions, unless a variable moves them. */
export function homeOf(env: CliContext['env']): string {
  return env['HOME'] ?? env['USERPROFILE'] ?? homedir();
}

export function createSources({ env, now }: Pick<CliContext, 'env' | 'now'>, cache?: FactsCache): SessionSources {
  const place = { env, home: homeOf(env), platform: process.platform };
  return new SessionSources({ formats: storeFormats, place, processes: systemProcesses, clock: now, cache });
}

/** Sessions from other programs, except those recorded by Vitrine (`own`). */
export async function observedSessions(
  sources: SessionSources,
  own: readonly SessionSummary[],
): Promise<readonly ObservedSummary[]> {
  const recorded = new Map(
    own.flatMap(({ session_id, executor_session_ids: ids }) => ids.map((id) => [id, session_id])),
  );
  const found = await sources.list(await loadPrices());
  const ids = new Map(found.map((session) => [session.session_id, recordedSessionId(session, recorded)]));
  return found
    .filter(({ session_id }) => ids.get(session_id) === undefined)
    .map((session) => {
      const parent = session.parent_session_id === undefined ? undefined : ids.get(session.parent_session_id);
      return parent === undefined ? session : { ...session, parent_session_id: parent };
    });
}

function recordedSessionId(
  { executor_session_ids: ids }: ObservedSummary,
  recorded: ReadonlyMap<string, string>,
): string | undefined {
  return ids.map((id) => recorded.get(id)).find((id) => id !== undefined);
}

/** A session from another program; `null` if the id is unknown. */
export async function readObserved(context: CliContext, id: string): Promise<ObservedTranscript | null> {
  return sessionIdSchema.safeParse(id).success ? createSources(context).read(id) : null;
}

/** Error message of a command that needs a record. */
export function notRecorded({ id, label, path }: ObservedTranscript): string {
  return `${id} is a ${label} session that Vitrine did not record. Vitrine reads it from ${path}.`;
}
