import assert from 'node:assert/strict';
import { joinAnswers, markShared } from '../../../../src/engine/search/sharedAnswer.ts';
import type { SearchAnswer } from '../../../../src/engine/search/types.ts';
import { aSummary } from '../../../support/sessions/records.ts';

const id = 'ses_000000000001';
const member = { member: 'alice', hostname: 'host', share: 'records' } as const;

function answer(sessions: SearchAnswer['sessions'] = []): SearchAnswer {
  const scanned = { sessions: 2, entries: 10, cut: 1, damaged: [], unreadable: [], elsewhere: 0 };
  return { sessions, moreSessions: 0, leftOut: 0, problems: [], scanned };
}

const hits = (session_id: string) => ({
  ...{ session: aSummary({ session_id, status: 'finished' }), hits: [], count: 1, unsure: false },
});

describe('a search that covers the team', () => {
  const copies = { sessions: [{ session_id: id, shared: member }], problems: [], isComplete: true };

  it('marks whose sessions they are, and leaves out those that were withdrawn', () => {
    const { sessions } = markShared(answer([hits(id), hits('ses_000000000002')]), copies);
    assert.deepEqual(
      sessions.map(({ session }) => [session.session_id, 'shared' in session && session.shared]),
      [[id, member]],
    );
  });

  it('says that older sessions of the team are left out, also beside the own ones', () => {
    assert.equal(joinAnswers(answer(), markShared(answer(), copies)).scanned.omitsOlderShared, undefined);
    const joined = joinAnswers(answer(), markShared(answer(), { ...copies, isComplete: false }));
    assert.equal(joined.scanned.omitsOlderShared, true);
    assert.deepEqual([joined.scanned.sessions, joined.scanned.entries, joined.scanned.cut], [4, 20, 2]);
  });

  it('names copies that end early', () => {
    const problems = [{ id, reason: 'a line was altered' }];
    assert.deepEqual(markShared(answer(), { ...copies, problems }).scanned.unreadable, problems);
  });
});
