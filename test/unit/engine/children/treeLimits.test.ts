import assert from 'node:assert/strict';
import type { Blueprint } from '../../../../src/engine/blueprints/load.ts';
import { TreeLimits } from '../../../../src/engine/children/treeLimits.ts';
import type { Session } from '../../../../src/model/session/session.ts';

const at = '2026-11-27T10:00:00.000Z';
const idOf = (n: number): string => `ses_${String(n).padStart(12, '0')}`;

/** `status: 'pending'`: it waits for a runner. */
function session(n: number, parent?: number, overrides: Partial<Session> = {}): Session {
  return {
    ...{ session_id: idOf(n), status: 'running', created_at: at, execution_mode: 'sync', agent_name: `agent-${n}` },
    executor_session_ids: [],
    ...(parent !== undefined && { parent_session_id: idOf(parent) }),
    ...overrides,
  };
}

describe('the limits of a tree of agents', () => {
  let files: Record<string, object>;
  let limits: TreeLimits;
  beforeEach(() => {
    files = {};
    limits = new TreeLimits(() =>
      Promise.resolve(Object.entries(files).map(([name, of]) => ({ name, agent: { name, limits: of } }) as Blueprint)),
    );
  });
  const reached = async (asking: Session, of: { children: number; depth: number }, all: readonly Session[]) =>
    (await limits.findReachedLimit({ session: asking, limits: of }, all))?.message ?? null;
  const wide = { children: 10, depth: 5 };

  it('count what children start, wherever it runs or waits', async () => {
    const [top, middle] = [session(1), session(2, 1)];
    const all = [
      ...[top, middle, session(3, 2, { status: 'pending' }), session(4, 3, { hostname: 'elsewhere' })],
      session(9),
    ];
    assert.equal(await reached(top, { children: 4, depth: 5 }, all), null);
    assert.match((await reached(top, { children: 3, depth: 5 }, all)) ?? '', /its maximum of 3 child sessions/);
  });

  it('include those of every ancestor, as of its request or in its file', async () => {
    const [top, middle, low] = [session(1), session(2, 1), session(3, 2)];
    const all = [top, middle, low];
    assert.equal(await reached(top, { children: 2, depth: 5 }, [top]), null);
    files['agent-1'] = { max_children: 100, max_depth: 5 };
    files['agent-2'] = { max_children: 1, max_depth: 5 };
    assert.match((await reached(low, wide, all)) ?? '', /Agent "agent-2" .* maximum of 1 child/);
    files['agent-2'] = { max_children: 5, max_depth: 5 };
    assert.match((await reached(low, wide, all)) ?? '', /Agent "agent-1" .* maximum of 2 child/);
  });

  it('count one that has begun and is not listed yet, once', async () => {
    const [top, middle] = [session(1), session(2, 1)];
    limits.addPendingChild(idOf(2), idOf(1));
    assert.match((await reached(top, { children: 1, depth: 5 }, [top])) ?? '', /maximum of 1 child/);
    assert.equal(await reached(top, { children: 2, depth: 5 }, [top, middle]), null);
    assert.equal(await reached(top, { children: 1, depth: 5 }, [top]), null, 'it was deleted');
  });

  it('stop at a cycle of parents, and do not apply to a session without an agent file', async () => {
    const ring = [session(1, 2), session(2, 1)];
    const [one = session(1)] = ring;
    files['agent-2'] = { max_children: 5, max_depth: 9 };
    assert.match((await reached(one, { children: 1, depth: 9 }, ring)) ?? '', /maximum of 1 child/);
    const person = session(5);
    delete person.agent_name;
    assert.equal(await reached(session(6, 5), wide, [person, session(6, 5)]), null);
  });
});
