import assert from 'node:assert/strict';
import { dueCallbacks } from '../../../../../src/engine/children/callbacks/dueCallbacks.ts';
import { summary } from '../../../../support/page/madeUp.ts';
import type { SessionSummary } from '../../../../../src/model/session/summary.ts';

const lead = 'ses_000000000001';
const one = 'ses_000000000011';
const two = 'ses_000000000012';
const earlier = '2026-01-02T10:00:00.000Z';
const now = '2026-01-02T10:00:01.000Z';
const later = '2026-01-02T10:00:01.001Z';

type Change = Partial<SessionSummary>;
const stopped: Change = { status: 'stopped', outcome: 'stopped' };
const running: Change = { status: 'running' };

interface Case {
  readonly is: string;
  /** `null`: it is not listed. */
  readonly parent?: Change | null;
  readonly children: readonly (Change | null)[];
  readonly gone?: readonly string[];
  readonly goingOn?: readonly string[];
  readonly closed?: readonly string[];
  readonly due?: readonly string[];
  readonly void?: readonly string[];
  readonly goesOn?: boolean;
  readonly unread?: boolean;
}

const cases: readonly Case[] = [
  { is: 'all that have ended, however', children: [{}, stopped], due: [one, two] },
  { is: 'what has ended, and later the rest', children: [{}, running], due: [one], goesOn: true },
  { is: 'nothing while the parent is running', parent: running, children: [{}], goesOn: true },
  {
    is: 'nothing of one that waits itself for what it started',
    children: [{}, {}],
    goingOn: [two],
    due: [one],
    goesOn: true,
  },
  { is: 'that one was stopped, whatever it waits for', children: [stopped], goingOn: [one], due: [one] },
  { is: 'nothing of one that is deleted', children: [null, {}], gone: [one], void: [one], due: [two] },
  { is: 'later what cannot be read now', children: [null, {}], due: [two], unread: true },
  { is: 'nothing of a session of somebody else', children: [{ parent_session_id: two }], void: [one] },
  { is: 'nothing of a session that nobody started', children: [{ parent_session_id: undefined }], void: [one] },
  { is: 'nothing to a parent that cannot be read now', parent: null, children: [{}], unread: true },
  { is: 'to nobody, where the parent is deleted', parent: null, children: [{}], gone: [lead], due: [one] },
  {
    is: 'nothing to a parent that was stopped after that, before its next run',
    parent: { ...stopped, updated_at: now },
    children: [{ updated_at: earlier }, { updated_at: now }],
  },
  {
    is: 'all to a parent that was stopped before one ended',
    parent: { ...stopped, updated_at: now },
    children: [{ updated_at: earlier }, { updated_at: later }],
    due: [one, two],
  },
  {
    is: 'nothing of what was stopped with its parent, ever',
    parent: { ...stopped, updated_at: now },
    children: [
      { ...stopped, updated_at: later },
      { ...stopped, updated_at: earlier },
    ],
    void: [one, two],
  },
  {
    is: 'all to a parent whose process was closed, where one had ended before',
    parent: { ...stopped, updated_at: now },
    children: [{ updated_at: earlier }, { ...stopped, updated_at: now }],
    closed: [lead],
    due: [one, two],
  },
  {
    is: 'nothing of what was stopped with its parent by the end of their process, ever',
    parent: { ...stopped, updated_at: now },
    children: [stopped, running],
    closed: [lead, one],
    void: [one],
    goesOn: true,
  },
  {
    is: 'nothing of one whose process was closed while it waited itself',
    children: [stopped, stopped],
    closed: [one],
    goingOn: [one, two],
    due: [two],
    goesOn: true,
  },
];

describe('results of children are reported', () => {
  for (const each of cases) {
    it(each.is, async () => {
      const ids = [one, two];
      const children = each.children.map((change, at) => {
        const parent = { session_id: ids[at] ?? '', parent_session_id: lead };
        return change === null ? null : summary({ ...parent, ...change });
      });
      const parent = each.parent === null ? null : summary({ session_id: lead, ...each.parent });
      const listed = [parent, ...children].filter((session) => session !== null);
      const callbacks = each.children.map((_, at) => ({ parent: lead, child: ids[at] ?? '' }));
      const found = await dueCallbacks(lead, callbacks, {
        sessions: new Map(listed.map((session) => [session.session_id, session])),
        isGone: (id) => Promise.resolve(each.gone?.includes(id) === true),
        willGoOn: (id) => each.goingOn?.includes(id) === true,
        wasClosed: ({ session_id: id }) => each.closed?.includes(id) === true,
      });
      assert.deepEqual(
        {
          due: found.due.map(({ child }) => child),
          void: found.void.map(({ child }) => child),
          goesOn: found.goesOn,
          unread: found.unread,
        },
        { due: each.due ?? [], void: each.void ?? [], goesOn: each.goesOn ?? false, unread: each.unread ?? false },
      );
    });
  }
});
