import assert from 'node:assert/strict';
import { readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { DaemonConnection } from '../../../../src/client/connection.ts';
import { verifyRecord } from '../../../../src/engine/record/chain/verify.ts';
import { isAlive } from '../../../../src/engine/process/identity/identity.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { requestMetadataSchema } from '../../../../src/model/agent/request.ts';
import type { SessionUpdate } from '../../../../src/protocol/daemon/session.ts';
import { DaemonBench } from '../../../support/daemon/bench.ts';
import { prompt } from '../../../support/fakeAgent/engine.ts';
import { until } from '../../../support/until.ts';

const kills = Number(process.env['VITRINE_KILLS'] ?? 10);
/** Kills of one session: the first of each starts it, the others resume it. */
const perSession = 10;
const turns = 8;

/** What a client was told of one session: it must be there after every crash. */
interface AcknowledgedState {
  readonly entries: Map<number, NormalizedEntry>;
  /** Ids of requests whose answer was accepted. */
  readonly answered: Set<string>;
  readonly said: string[];
}

const isRequest = ({ type }: NormalizedEntry): boolean => type.kind === 'system_message' && type.subtype === 'request';

describe('a daemon that is killed', function () {
  this.timeout(60_000 + kills * 20_000);
  let place: DaemonBench;
  before(() => (place = new DaemonBench()));
  after(() => place.close());

  const steps = (kill: number) => [
    { init: true },
    { note: place.bench.pidFile },
    ...Array.from({ length: turns }, (_, turn) => [
      ...Array.from({ length: 10 }, (_word, at) => ({ say: `${kill}-${turn}-${at} `.repeat(at === 9 ? 5000 : 5) })),
      { ask: { id: `req-${kill}-${turn}` } },
    ]).flat(),
    { forever: true },
  ];

  /** Follows the session, answers what it asks and sends it messages; kills the daemon at batch `moment`. */
  async function workUntilKilled(
    connection: DaemonConnection,
    session_id: string,
    known: AcknowledgedState,
    { kill, moment }: { readonly kill: number; readonly moment: number },
  ): Promise<void> {
    const work: Promise<unknown>[] = [];
    const asked = new Set<string>();
    let batches = 0;
    const answer = async (request_id: string): Promise<void> => {
      const text = `message ${request_id}`;
      const said = connection.call('say', { session_id, text, how: 'queue' }).then(() => known.said.push(text));
      const allow = { kind: 'allow', scope: 'once' } as const;
      const { accepted } = await connection.call('answer', { session_id, request_id, answer: allow });
      if (accepted) known.answered.add(request_id);
      await said;
    };
    const take = ({ updates, state }: Pick<SessionUpdate, 'updates' | 'state'>): void => {
      batches += 1;
      for (const update of updates)
        if (update.op === 'put' && update.open !== true) known.entries.set(update.entry.index, update.entry);
      for (const { id } of state.requests) {
        if (asked.has(id)) continue;
        asked.add(id);
        // The daemon is killed while some of these are on their way.
        work.push(answer(id).catch(() => undefined));
      }
      if (batches >= moment || state.requests.some(({ id }) => id === `req-${kill}-${turns - 1}`))
        process.kill(connection.daemon.pid, 'SIGKILL');
    };
    const followed = connection.follow(session_id, (update) => {
      take(update);
      return Promise.resolve();
    });
    const started = followed.then(
      ({ state }) => {
        take({ updates: [], state });
      },
      () => undefined,
    );
    await Promise.all([started, connection.closed]);
    await Promise.all(work);
  }

  async function check(connection: DaemonConnection, session_id: string, known: AcknowledgedState, kill: number) {
    const { state } = await connection.follow(session_id, () => Promise.resolve());
    assert.equal(state.summary.outcome, 'interrupted', `kill ${kill}`);
    assert.equal(state.live, false);
    const found: NormalizedEntry[] = [];
    for (let from: number | null = 0; from !== null;) {
      const page: { entries: NormalizedEntry[]; next: number | null } = await connection.call('read', {
        session_id,
        from,
        to: state.total,
      });
      found.push(...page.entries);
      from = page.next;
    }
    assert.deepEqual(
      found.map(({ index }) => index),
      Array.from({ length: state.total }, (_, index) => index),
      `kill ${kill}`,
    );
    for (const [index, { type, content }] of known.entries) {
      assert.equal(found[index]?.type.kind, type.kind, `kill ${kill}, entry ${index}`);
      // What a request says changes when it is answered.
      if (!isRequest(found[index])) assert.equal(found[index].content, content, `kill ${kill}`);
    }
    const decided = found.flatMap(({ metadata }) => {
      const { data } = requestMetadataSchema.safeParse(metadata);
      return data?.decision?.by === 'user' ? [data.request.id] : [];
    });
    for (const id of known.answered) assert.ok(decided.includes(id), `kill ${kill}: answer to ${id}`);
    for (const text of known.said)
      assert.ok(
        found.some(({ type, content }) => type.kind !== 'assistant_message' && content.includes(text)),
        `kill ${kill}: ${text}`,
      );
  }

  it(`loses nothing acknowledged, leaves no agent, and its sessions can be resumed, ${kills} times`, async () => {
    let state = 11;
    let session_id = '';
    let known: AcknowledgedState = { entries: new Map(), answered: new Set(), said: [] };
    for (let kill = 0; kill < kills; kill += 1) {
      state = (state * 75 + 74) % 65_537;
      await rm(place.bench.pidFile, { force: true });
      const connection = await place.connect();
      const { context, request } = place.startParams(steps(kill));
      if (kill % perSession === 0) {
        known = { entries: new Map(), answered: new Set(), said: [] };
        ({ session_id } = await connection.call('start', { context, request }));
      } else {
        const resumed = { context, session_id, request: { prompt: prompt(steps(kill)) } };
        await connection.call('resume', resumed);
      }
      await workUntilKilled(connection, session_id, known, { kill, moment: state % 40 });

      const next = await place.connect();
      assert.notEqual(next.daemon.pid, connection.daemon.pid);
      await check(next, session_id, known, kill);
      const noted = await readFile(place.bench.pidFile, 'utf8').catch(() => '');
      for (const pid of noted.split('\n').filter((line) => line !== ''))
        await until('the agent to end', async () => !(await isAlive({ pid: Number(pid), startTime: null })));
      assert.deepEqual(await readdir(path.join(place.store, 'leases')), [], 'no agent is left');
      next.close();
      if (kill % perSession === perSession - 1 || kill === kills - 1) {
        const { verdict } = await verifyRecord(path.join(place.store, 'sessions', session_id, 'record.jsonl'));
        assert.equal(verdict, 'intact', `kill ${kill}`);
      }
    }
  });
});
