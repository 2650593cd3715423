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
  readonly waiting?: readonly string[];
  readonly closed?: readonly string[];
  readonly due?: readonly string[];
  readonly dropped?: readonly string[];
  readonly isRunning?: boolean;
  readonly hasUnreadable?: boolean;
}

const cases: readonly Case[] = [
  { is: 'for all children that have ended, with any outcome', children: [{}, stopped], due: [one, two] },
  { is: 'for children that have ended, and later for the rest', children: [{}, running], due: [one], isRunning: true },
  { is: 'not while the parent is running', parent: running, children: [{}], isRunning: true },
  {
    is: 'not for a child that waits for its own children',
    children: [{}, {}],
    waiting: [two],
    due: [one],
    isRunning: true,
  },
  { is: 'for a stopped child, even if it waits for its own children', children: [stopped], waiting: [one], due: [one] },
  { is: 'not for a deleted child', children: [null, {}], gone: [one], dropped: [one], due: [two] },
  { is: 'later for a child that cannot be read now', children: [null, {}], due: [two], hasUnreadable: true },
  { is: 'not for a session of another parent', children: [{ parent_session_id: two }], dropped: [one] },
  { is: 'not for a session without a parent', children: [{ parent_session_id: undefined }], dropped: [one] },
  { is: 'not to a parent that cannot be read now', parent: null, children: [{}], hasUnreadable: true },
  { is: 'to the children of a deleted parent', parent: null, children: [{}], gone: [lead], due: [one] },
  {
    is: 'not to a parent that was stopped later, before its next run',
    parent: { ...stopped, updated_at: now },
    children: [{ updated_at: earlier }, { updated_at: now }],
  },
  {
    is: 'to a parent that was stopped before a child ended',
    parent: { ...stopped, updated_at: now },
    children: [{ updated_at: earlier }, { updated_at: later }],
    due: [one, two],
  },
  {
    is: 'never for children that were stopped with their parent',
    parent: { ...stopped, updated_at: now },
    children: [
      { ...stopped, updated_at: later },
      { ...stopped, updated_at: earlier },
    ],
    dropped: [one, two],
  },
  {
    is: 'to a parent whose process was closed after a child had ended',
    parent: { ...stopped, updated_at: now },
    children: [{ updated_at: earlier }, { ...stopped, updated_at: now }],
    closed: [lead],
    due: [one, two],
  },
  {
    is: 'never for children that were stopped when the process of both was closed',
    parent: { ...stopped, updated_at: now },
    children: [stopped, running],
    closed: [lead, one],
    dropped: [one],
    isRunning: true,
  },
  {
    is: 'not for a child whose process was closed while it waited for its own children',
    children: [stopped, stopped],
    closed: [one],
    waiting: [one, two],
    due: [two],
    isRunning: true,
  },
];

describe('results of children are reported', () => {
  for (const example of cases) {
    it(example.is, async () => {
      const ids = [one, two];
      const children = example.children.map((change, at) => {
        const parent = { session_id: ids[at] ?? '', parent_session_id: lead };
        return change === null ? null : summary({ ...parent, ...change });
      });
      const parent = example.parent === null ? null : summary({ session_id: lead, ...example.parent });
      const listed = [parent, ...children].filter((session) => session !== null);
      const callbacks = example.children.map((_, at) => ({ parent: lead, child: ids[at] ?? '' }));
      const found = await dueCallbacks(lead, callbacks, {
        sessions: new Map(listed.map((session) => [session.session_id, session])),
        isGone: (id) => Promise.resolve(example.gone?.includes(id) === true),
        willResume: (id) => example.waiting?.includes(id) === true,
        wasClosed: ({ session_id: id }) => example.closed?.includes(id) === true,
      });
      assert.deepEqual(
        {
          due: found.due.map(({ child }) => child),
          dropped: found.toDrop.map(({ child }) => child),
          isRunning: found.isRunning,
          hasUnreadable: found.hasUnreadable,
        },
        {
          due: example.due ?? [],
          dropped: example.dropped ?? [],
          isRunning: example.isRunning ?? false,
          hasUnreadable: example.hasUnreadable ?? false,
        },
      );
    });
  }
});
