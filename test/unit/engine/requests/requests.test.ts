import assert from 'node:assert/strict';
import { Requests, type RequestsDeps } from '../../../../src/engine/requests/requests.ts';
import type { ClientLine } from '../../../../src/model/transcript/clientLine.ts';

describe('requests', () => {
  const reported: ClientLine[] = [];
  const decided: string[] = [];
  const requests = (change: Partial<RequestsDeps> = {}): Requests => {
    reported.length = 0;
    decided.length = 0;
    return new Requests({
      clock: () => 1_700_000_000_000,
      requestMs: 60_000,
      workDir: '/work',
      interactive: true,
      record: (line) => void reported.push(line),
      onDecision: ({ id }, { by }) => void decided.push(`${id} ${by}`),
      onChange: () => undefined,
      ...change,
    });
  };
  const asked = { id: 'one', kind: 'permission', title: 'Run it' } as const;

  it('are denied at once if no user is present, and recorded', async () => {
    const decision = await requests({ interactive: false }).ask(asked);
    assert.equal(decision.by, 'nobody');
    assert.equal(decision.answer.kind, 'deny');
    assert.deepEqual(
      reported.map(({ type }) => type),
      ['request', 'decision'],
    );
    assert.deepEqual(decided, ['one nobody']);
  });

  it('take an edited text only for the file that they are about, where the agent accepts one', async () => {
    const action = { kind: 'file_write' as const, path: '/project/a.ts', content: 'x' };
    const edited = { path: '/project/a.ts', newText: 'y' };
    const allow = { kind: 'allow' as const, scope: 'session' as const };
    const all = requests();
    void all.ask({ ...asked, action });
    assert.equal(all.answer('one', { ...allow, edited }), false);
    const other = requests();
    const decision = other.ask({ ...asked, action, editable: true });
    assert.equal(other.answer('one', { ...allow, edited: { ...edited, path: '/project/b.ts' } }), false);
    assert.equal(other.answer('one', { ...allow, edited }), true);
    assert.deepEqual((await decision).answer, { kind: 'allow', scope: 'once', edited });
  });

  it('have a time and a place', () => {
    const all = requests();
    void all.ask(asked);
    const [request] = all.pending();
    assert.equal(request?.cwd, '/work');
    assert.equal(request.asked_at, '2023-11-14T22:13:20.000Z');
    assert.equal(request.expires_at, '2023-11-14T22:14:20.000Z');
    all.end();
    assert.deepEqual(decided, ['one run_over']);
  });

  it('are denied when the run ends', async () => {
    const all = requests();
    const first = all.ask(asked);
    all.end();
    assert.equal((await first).by, 'run_over');
    assert.equal((await all.ask({ ...asked, id: 'two' })).by, 'run_over');
    assert.equal(all.answer('one', { kind: 'allow', scope: 'once' }), false);
    assert.deepEqual(decided, ['one run_over', 'two run_over']);
  });

  it('are limited', async () => {
    const all = requests();
    for (let count = 0; count < 100; count++) void all.ask({ ...asked, id: `${count}` });
    assert.equal((await all.ask(asked)).by, 'policy');
    all.end();
  });

  it('can be withdrawn', async () => {
    const all = requests();
    assert.equal((await all.ask(asked, Promise.resolve())).by, 'withdrawn');
    assert.equal((await all.ask(asked, Promise.reject(new Error('gone')))).by, 'withdrawn');
  });
});
