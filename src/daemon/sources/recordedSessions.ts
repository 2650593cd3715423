import type { Engine } from '../../engine/engine.ts';
import type { OwnSessions } from './sourcesWatch.ts';

/** The agents' own ids of what Vitrine recorded itself. */
export function recordedSessions(engine: Pick<Engine, 'list' | 'onSummary'>): OwnSessions {
  return {
    recordedIds: async () => {
      const own = await engine.list();
      return new Map(own.flatMap(({ session_id, executor_session_ids: ids }) => ids.map((id) => [id, session_id])));
    },
    onRecorded: (listener) =>
      engine.onSummary(({ session_id, executor_session_ids: ids }) => {
        if (ids.length > 0) listener(ids, session_id);
      }),
  };
}
