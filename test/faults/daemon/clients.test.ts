import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import { isAlive } from '../../../src/engine/process/identity/identity.ts';
import { verifyRecord } from '../../../src/engine/record/chain/verify.ts';
import { requestMetadataSchema } from '../../../src/model/agent/request.ts';
import type { SessionUpdate } from '../../../src/protocol/daemon/session.ts';
import { DaemonBench, type Command } from '../../support/daemon/bench.ts';
import { fakeAgent, prompt } from '../../support/fakeAgent/engine.ts';
import { until } from '../../support/until.ts';

/** Clients that come and go, and answers that race; half as many start at once. */
const clients = Number(process.env['VITRINE_CLIENTS'] ?? 12);

const allow = { kind: 'allow', scope: 'once' } as const;
const deny = { kind: 'deny', reason: 'not now' } as const;

/** Notes the client that decided, by its id; one without is of the kind that it is. */
function addDecision(metadata: unknown, seen: Map<string, string> | undefined): void {
  const { data } = requestMetadataSchema.safeParse(metadata);
  const client = data?.decision?.client;
  if (data !== undefined && client !== undefined) seen?.set(data.request.id, client.id ?? client.kind);
}

describe('many clients of a daemon', function () {
  this.timeout(60_000 + clients * 20_000);
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  const window = (id: string): Promise<DaemonConnection> =>
    place.connect({ client: { kind: 'window', person: true, id } });
  const terminal = (id: string): Promise<DaemonConnection> =>
    place.connect({ client: { kind: 'terminal', person: true, id } });
  const asking = (count: number) =>
    Array.from({ length: count }, (_, at) => [{ say: `before ${at}` }, { ask: { id: `req-${at}` } }]).flat();

  it(`that start at once with no daemon get one: ${Math.ceil(clients / 2)} processes`, async () => {
    const commands = Array.from({ length: Math.ceil(clients / 2) }, () =>
      place.vitrine(
        ...['run', '--detach', '--json', '--agent', 'claude-code', '--program', fakeAgent],
        prompt([{ init: true }, { result: {} }]),
      ),
    );
    const ended = await Promise.all(commands.map((command) => command.ended));
    for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
    const leases = (await readdir(place.folder)).filter((name) => /^writer\.\d+\.json$/.test(name));
    assert.equal(leases.length, 1, leases.join(', '));
    const listed = await place.vitrine('sessions', '--json').ended;
    assert.equal(listed.stdout.trimEnd().split('\n').length, commands.length);
  });

  it(`answer, each in turn and then two at once: one answer counts, and all see which, ${clients} times`, async () => {
    const names = ['one', 'two', 'three'];
    const three = await Promise.all([window('one'), window('two'), terminal('three')]);
    const steps = [{ init: true }, ...asking(names.length + clients), { result: {} }];
    const { session_id } = await three[0].call('start', place.startParams(steps));
    const attached = place.vitrine('attach', session_id, '--json');
    /** Who answered which request: as the daemon told those who answered, and as each client was shown. */
    const accepted = new Map<string, string>();
    const seen = three.map(() => new Map<string, string>());
    const winners = new Set<string>();
    const answered = new Set<string>();
    const answers: Promise<void>[] = [];

    const answer = async (request_id: string, turn: number): Promise<void> => {
      // The third is answered at the keyboard of another terminal.
      if (turn === 2) {
        const line = { answer: { request: request_id, decision: 'allow' } };
        attached.process.stdin?.write(`${JSON.stringify(line)}\n`);
        accepted.set(request_id, 'terminal');
        return;
      }
      const absent = turn % names.length;
      const pair = names.map((_, at) => at).filter((at) => at !== absent);
      // Who speaks first alternates.
      const speakers = turn < 2 ? [turn] : turn % 2 === 0 ? pair : pair.toReversed();
      const won: string[] = [];
      const speak = async (at: number): Promise<void> => {
        const [connection, name] = [three[at], names[at]];
        assert.ok(connection !== undefined && name !== undefined);
        const params = { session_id, request_id, answer: at % 2 === 0 ? allow : deny };
        if ((await connection.call('answer', params)).accepted) won.push(name);
      };
      await Promise.all(speakers.map(speak));
      assert.equal(won.length, 1, request_id);
      accepted.set(request_id, won[0] ?? '');
      if (speakers.length > 1) winners.add(won[0] ?? '');
    };
    const take = ({ updates, state }: Pick<SessionUpdate, 'updates' | 'state'>, at: number): void => {
      for (const update of updates) if (update.op === 'put') addDecision(update.entry.metadata, seen[at]);
      for (const { id } of state.requests) {
        if (answered.has(id)) continue;
        answers.push(answer(id, answered.size));
        answered.add(id);
      }
    };
    const ended = three.map(async (connection, at) => {
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const { state } = await connection.follow(session_id, (update) => {
        take(update, at);
        if (!update.state.live) end();
        return Promise.resolve();
      });
      take({ updates: [], state }, at);
      await ended;
    });
    await Promise.all(ended);
    await Promise.all(answers);
    assert.equal(accepted.size, names.length + clients);
    const { code, stdout, stderr } = await attached.ended;
    assert.equal(code, 0, stderr);
    const printed = new Map<string, string>();
    for (const line of stdout.trimEnd().split('\n'))
      addDecision((JSON.parse(line) as { metadata?: unknown }).metadata, printed);
    for (const decisions of [...seen, printed]) assert.deepEqual([...decisions].sort(), [...accepted].sort());
    assert.ok(winners.size > 1, 'not always the same one wins');
  });

  it(`that reload, close and are killed end no run and lose nothing, ${clients} times`, async () => {
    const { pidFile: note } = place.bench;
    const steps = [{ init: true }, { note }, ...asking(clients), { say: 'the end' }, { result: {} }];
    const keeper = await place.connect();
    const ids = await Promise.all(
      [0, 1, 2].map(async () => (await keeper.call('start', place.startParams(steps))).session_id),
    );
    let random = 7;
    const next = (below: number): number => (random = (random * 75 + 74) % 65_537) % below;
    const attached: Command[] = [];
    for (let turn = 0; turn < clients; turn += 1) {
      const session_id = ids[turn % ids.length] ?? '';
      const request_id = `req-${Math.floor(turn / ids.length)}`;
      await place.stateOf(session_id, ({ requests }) => requests.some(({ id }) => id === request_id));
      switch (next(4)) {
        case 0: {
          // A window that reloads: gone in the middle of what it follows, and back with an answer.
          const before = await window('reloads');
          await before.follow(session_id, () => new Promise(() => undefined));
          before.close();
          const after = await window('reloads');
          assert.deepEqual(await after.call('answer', { session_id, request_id, answer: allow }), { accepted: true });
          after.close();
          break;
        }
        case 1: {
          const terminal = place.vitrine('attach', session_id, '--json');
          attached.push(terminal);
          const answer = { answer: { request: request_id, decision: 'allow' } };
          terminal.process.stdin?.write(`${JSON.stringify(answer)}\n`);
          await place.stateOf(session_id, ({ requests }) => requests.every(({ id }) => id !== request_id));
          terminal.process.kill('SIGKILL');
          break;
        }
        case 2: {
          const terminal = place.vitrine('show', session_id, '--follow', '--json');
          attached.push(terminal);
          await new Promise((resolve) => terminal.process.stdout?.once('data', resolve));
          terminal.process.kill(next(2) === 0 ? 'SIGKILL' : 'SIGINT');
          await keeper.call('answer', { session_id, request_id, answer: allow });
          break;
        }
        default: {
          const closing = await window('closes');
          await closing.follow(session_id, () => Promise.resolve());
          await closing.call('answer', { session_id, request_id, answer: allow });
          closing.close();
        }
      }
    }
    await Promise.all(attached.map(({ ended }) => ended));
    assert.equal((await keeper.call('status', {})).runs, ids.length);
    for (const [at, session_id] of ids.entries()) {
      const done = Math.floor((clients - at - 1) / ids.length) + 1;
      await finish(keeper, session_id, done);
      await check(session_id);
    }
    for (const pid of (await readFile(note, 'utf8')).trim().split('\n'))
      await until('the agent to end', async () => !(await isAlive({ pid: Number(pid), startTime: null })));
    assert.deepEqual(await readdir(path.join(place.store, 'leases')), [], 'no agent is left');
  });

  /** Answers what is left. */
  async function finish(keeper: DaemonConnection, session_id: string, done: number): Promise<void> {
    for (let at = done; at < clients; at += 1) {
      const request_id = `req-${at}`;
      await place.stateOf(session_id, ({ requests }) => requests.some(({ id }) => id === request_id));
      await keeper.call('answer', { session_id, request_id, answer: allow });
    }
    const { summary } = await place.stateOf(session_id, ({ live }) => !live);
    assert.equal(summary.outcome, 'completed');
  }

  async function check(session_id: string): Promise<void> {
    const file = path.join(place.store, 'sessions', session_id, 'record.jsonl');
    const { verdict } = await verifyRecord(file);
    assert.equal(verdict, 'intact');
    const { stdout } = await place.vitrine('show', session_id, '--json').ended;
    const entries = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { index: number; content: string; metadata?: unknown });
    assert.deepEqual(
      entries.map(({ index }) => index),
      entries.map((_, index) => index),
    );
    const said = entries.filter(({ content }) => /^before \d+$/.test(content)).map(({ content }) => content);
    assert.deepEqual(
      said,
      Array.from({ length: clients }, (_, at) => `before ${at}`),
    );
    const decided = entries.flatMap(({ metadata }) => {
      const { data } = requestMetadataSchema.safeParse(metadata);
      return data?.decision?.by === 'user' ? [data.request.id] : [];
    });
    assert.deepEqual(
      decided,
      Array.from({ length: clients }, (_, at) => `req-${at}`),
    );
  }
});
