import { asShared } from '../../insight/session/asShared.ts';
import type { TeamShare } from '../../model/session/summary.ts';
import { isObserved, type SearchAnswer } from './types.ts';

/** Sessions of other members that a search covers. */
export interface SharedCopies {
  readonly sessions: readonly { readonly session_id: string; readonly shared: TeamShare }[];
  readonly problems: readonly { readonly id: string; readonly reason: string }[];
  /** False: older ones have no copies. */
  readonly isComplete: boolean;
}

/** An answer from copies of other members' sessions, which are marked as such. */
export function markShared(answer: SearchAnswer, { sessions, problems, isComplete }: SharedCopies): SearchAnswer {
  const owners = new Map(sessions.map(({ session_id, shared }) => [session_id, shared]));
  const marked = answer.sessions.flatMap((session) => {
    const shared = owners.get(session.session.session_id);
    return shared === undefined || isObserved(session.session)
      ? []
      : [{ ...session, session: asShared(session.session, shared) }];
  });
  const { scanned } = answer;
  return {
    ...answer,
    sessions: marked,
    scanned: {
      ...scanned,
      unreadable: [...scanned.unreadable, ...problems],
      ...(!isComplete && { omitsOlderShared: true }),
    },
  };
}

/** Both answers to one query. Scores of different indexes cannot be compared: the own sessions come first. */
export function joinAnswers(own: SearchAnswer, shared: SearchAnswer): SearchAnswer {
  const [a, b] = [own.scanned, shared.scanned];
  // What another machine ran for an agent of this one is in both.
  const here = new Set(own.sessions.map(({ session }) => session.session_id));
  return {
    sessions: [...own.sessions, ...shared.sessions.filter(({ session }) => !here.has(session.session_id))],
    moreSessions: own.moreSessions + shared.moreSessions,
    leftOut: own.leftOut + shared.leftOut,
    problems: own.problems,
    scanned: {
      sessions: a.sessions + b.sessions,
      entries: a.entries + b.entries,
      cut: a.cut + b.cut,
      damaged: [...a.damaged, ...b.damaged],
      unreadable: [...a.unreadable, ...b.unreadable],
      elsewhere: a.elsewhere,
      ...(b.omitsOlderShared === true && { omitsOlderShared: true }),
    },
  };
}
