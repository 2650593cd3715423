import assert from 'node:assert/strict';
import type { SessionHandle } from '../../../../src/vscode/engine/windowEngine.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { TouchIndex } from '../../../../src/vscode/lines/touchIndex.ts';
import { call, edits, reads, said } from '../../../support/sessions/madeEntries.ts';
import { at, row } from '../sessions/rows.ts';

interface SessionFixture {
  readonly id: string;
  entries: NormalizedEntry[];
  day: number;
  open?: number[];
  recording?: boolean;
  broken?: boolean;
}

function indexOf(sessions: SessionFixture[]) {
  const read: string[] = [];
  let opened = 0;
  const idOf = ({ id }: SessionFixture): string => row(id).session_id;
  const handleOf = (session: SessionFixture): SessionHandle => {
    opened += 1;
    return {
      summary: () => ({ project_dir: '/w', recording: session.recording === true }),
      entryCount: () => session.entries.length,
      openIndexes: () => session.open ?? [],
      read: (from: number, to: number) => {
        read.push(`${session.id} ${from}-${to}`);
        return Promise.resolve(session.entries.slice(from, to));
      },
      dispose: () => (opened -= 1),
    } as unknown as SessionHandle;
  };
  const reported: string[] = [];
  const index = new TouchIndex(
    {
      findSessionsTouching: () =>
        Promise.resolve({
          sessions: sessions.map((session) => row(session.id, { updated_at: at(session.day, 12) })),
          searched: sessions.length,
        }),
      open: (id) => {
        const found = sessions.find((session) => idOf(session) === id);
        if (found === undefined || found.broken === true) return Promise.reject(new Error('damaged'));
        return Promise.resolve(handleOf(found));
      },
    },
    { info: (message) => reported.push(message) },
  );
  return { index, read, reported, opened: () => opened, idOf };
}

const turn = (from: number): NormalizedEntry[] => [
  said(from, 'Please.', 'user_message'),
  call(from + 1, reads('/w/a.ts')),
  call(from + 2, edits('b.ts', 'x', 'y')),
];

describe('which sessions touched a file', () => {
  it('are found by absolute path, newest first, with step and prompt', async () => {
    const old: SessionFixture = { id: 'a', entries: turn(0), day: 1 };
    const fresh: SessionFixture = { id: 'b', entries: [...turn(0), ...turn(3)], day: 2 };
    const { index, opened, idOf } = indexOf([old, fresh]);
    const touches = await index.touchesOf('/w/b.ts');
    assert.deepEqual(
      touches.map(({ session, file }) => [session, file.steps]),
      [
        [idOf(fresh), [2, 5]],
        [idOf(old), [2]],
      ],
    );
    assert.deepEqual(await index.touchesOf('/w/c.ts'), []);
    assert.deepEqual([index.promptOf(idOf(fresh), 5), index.promptOf(idOf(fresh), 2)], [3, 0]);
    assert.equal(index.numberOf(idOf(fresh), 5), '4');
    assert.equal(opened(), 0, 'every session is closed');
  });

  it('reads each record once, then only added and unsettled entries', async () => {
    const session: SessionFixture = { id: 'a', entries: [...turn(0), ...turn(3)], day: 1, open: [4] };
    const { index, read } = indexOf([session]);
    await Promise.all([index.touchesOf('/w/a.ts'), index.touchesOf('/w/b.ts')]);
    assert.deepEqual(read, ['a 0-4']);
    assert.deepEqual((await index.touchesOf('/w/a.ts'))[0]?.file.steps, [1]);
    Object.assign(session, { open: [], day: 2, entries: [...session.entries, ...turn(6)] });
    assert.deepEqual((await index.touchesOf('/w/a.ts'))[0]?.file.steps, [1, 4, 7]);
    assert.deepEqual(read, ['a 0-4', 'a 4-9']);
  });

  it('excludes recordings and damaged records, with their number', async () => {
    const all: SessionFixture[] = [
      { id: 'a', entries: turn(0), day: 3, recording: true },
      { id: 'b', entries: turn(0), day: 2, broken: true },
      { id: 'c', entries: turn(0), day: 1 },
    ];
    const { index, reported, idOf } = indexOf(all);
    assert.deepEqual(
      (await index.touchesOf('/w/b.ts')).map(({ session }) => session),
      [idOf(all[2]!)],
    );
    assert.deepEqual([index.sessions, index.skipped], [3, 1]);
    assert.match(reported.join(), /damaged/);
  });

  it('stops at a limit, newest first', async () => {
    const many = Array.from({ length: 230 }, (_, at_): SessionFixture => ({
      id: `${at_}`,
      entries: turn(0),
      day: 1 + (at_ % 28),
    }));
    const { index } = indexOf(many);
    assert.equal((await index.touchesOf('/w/b.ts')).length, 50);
    assert.deepEqual([index.sessions, index.skipped], [230, 180]);
  });

  it('forgets a deleted session', async () => {
    const sessions: SessionFixture[] = [{ id: 'a', entries: turn(0), day: 1 }];
    const { index } = indexOf(sessions);
    assert.equal((await index.touchesOf('/w/b.ts')).length, 1);
    sessions.pop();
    assert.deepEqual(await index.touchesOf('/w/b.ts'), []);
  });
});
