import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../until.ts';
import type { TeamDatabase } from '../database.ts';
import type { HistoryEvent } from './history.ts';
import { FaultyMachine } from './machine.ts';

export const faultKinds = [
  'runner killed',
  'connection cut',
  'half-open connection',
  'latency of 30 s',
  'clock off by 5 minutes',
  'disk of the machine full',
  'disk of the database full',
] as const;
type FaultKind = (typeof faultKinds)[number];

/** Time until recovery is given up, in ms. */
const patienceMs = 150_000;

interface CellDeps {
  readonly database: TeamDatabase;
  readonly users: readonly [string, string];
  readonly folder: string;
  readonly name: string;
  readonly record: (event: HistoryEvent) => void;
  /** When the database came back the last time. */
  readonly resumedAt: () => number;
  /** Half of the faults of the network last longer than a lease. */
  readonly holdsLong: boolean;
}

/** Two machines with the same work, of which the first has faults. */
export class Cell {
  readonly #deps: CellDeps;
  readonly #first: FaultyMachine;
  readonly #second: FaultyMachine;
  readonly #queued: string[] = [];
  /** Runs of the first machine that the database may still acknowledge. */
  readonly #asked = new Set<Promise<void>>();

  private constructor(deps: CellDeps, first: FaultyMachine, second: FaultyMachine) {
    this.#deps = deps;
    this.#first = first;
    this.#second = second;
  }

  static async open(deps: CellDeps): Promise<Cell> {
    const { database, users, folder, name, record } = deps;
    const [first, second] = await Promise.all(
      users.map((user, index) =>
        FaultyMachine.start({
          ...{ database, user, record, folder: `${folder}/${name}-${index}` },
          tags: [name, `${name}-${index}`],
        }),
      ),
    );
    if (first === undefined || second === undefined) throw new Error('two users are needed');
    return new Cell(deps, first, second);
  }

  get sessions(): readonly string[] {
    return [this.#first.session, this.#second.session];
  }

  async run(kind: FaultKind): Promise<void> {
    const { name, record, holdsLong } = this.#deps;
    await this.#work(4);
    await this.#begin(kind);
    // Longer than a lease, or than a beat.
    const isLong = kind === 'half-open connection' || kind === 'latency of 30 s' || kind === 'connection cut';
    const holdMs = holdsLong && isLong && Math.random() < 0.5 ? 26_000 : 2000;
    const [started, ends] = [performance.now(), performance.now() + (kind === 'runner killed' ? 0 : holdMs)];
    while (performance.now() < ends) await this.#work(1);
    await this.#end(kind);
    const ended = kind === 'runner killed' ? started : performance.now();
    this.#first.write();
    const probe = await until('a run to be accepted', async () => (await this.#second.queue(`${name}-0`)) ?? undefined);
    this.#addId(probe);
    if (kind === 'runner killed') {
      await this.#settled([probe]);
      await this.#first.boot();
    }
    // What waited for the database may be acknowledged only now, and has to end, too.
    await Promise.all(this.#asked);
    await this.#settled([]);
    record({
      ...{ at: performance.now(), kind: 'fault', name: kind },
      recoveredMs: performance.now() - Math.max(ended, this.#deps.resumedAt()),
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#first.close(), this.#second.close()]);
  }

  /** Both machines queue and write something. */
  async #work(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      this.#first.write();
      this.#second.write();
      // The first one may wait for the database as long as the fault lasts.
      const asked = this.#first.queue(this.#deps.name).then((id) => {
        this.#addId(id);
        this.#asked.delete(asked);
      });
      this.#asked.add(asked);
      this.#addId(await this.#second.queue(this.#deps.name));
      await delay(250);
    }
  }

  #addId(id: string | null): void {
    if (id !== null) this.#queued.push(id);
  }

  async #begin(kind: FaultKind): Promise<void> {
    const { network, disk } = this.#first;
    if (kind === 'runner killed') await this.#first.kill();
    else if (kind === 'connection cut') network.set({ kind: 'cut' });
    else if (kind === 'half-open connection') network.set({ kind: 'hang' });
    else if (kind === 'latency of 30 s') network.set({ kind: 'slow', ms: 30_000 });
    else if (kind === 'clock off by 5 minutes') this.#first.clockMs = (Math.random() < 0.5 ? -5 : 5) * 60_000;
    else if (kind === 'disk of the machine full') disk.isFull = true;
    else await this.#fillDatabase(true);
  }

  async #end(kind: FaultKind): Promise<void> {
    this.#first.clockMs = 0;
    this.#first.disk.isFull = false;
    if (kind === 'disk of the database full') await this.#fillDatabase(false);
    else if (kind !== 'runner killed') this.#first.network.set({ kind: 'open' });
  }

  /** For the login of the first machine. */
  async #fillDatabase(isFull: boolean): Promise<void> {
    const sql = isFull ? 'INSERT INTO public.full_disks VALUES ($1)' : 'DELETE FROM public.full_disks WHERE name = $1';
    await until('the database', () => this.#asAdmin(sql, [this.#deps.users[0]]));
  }

  /** Waits until all acknowledged runs but these have ended, and all lines have arrived. */
  async #settled(without: readonly string[]): Promise<void> {
    const machines = [this.#first, this.#second].slice(without.length === 0 ? 0 : 1);
    await until(
      `${this.#deps.name} to recover`,
      async () => {
        const expected = this.#queued.filter((id) => !without.includes(id));
        const rows = await this.#asAdmin(
          `SELECT count(*)::int AS n FROM vitrine.runs WHERE run_id = ANY ($1) AND status IN ('completed', 'failed', 'stopped')
           UNION ALL SELECT coalesce(sum(lines), 0)::int FROM vitrine.sessions WHERE session_id = ANY ($2)`,
          [expected, machines.map(({ session }) => session)],
        );
        if (rows === undefined) return undefined;
        await delay(200);
        return rows[0]?.n === expected.length && rows[1]?.n === machines.reduce((sum, { lines }) => sum + lines, 0);
      },
      patienceMs,
    );
  }

  /** `undefined`: the database is down. */
  #asAdmin(sql: string, values: unknown[]): Promise<readonly { readonly n?: number }[] | undefined> {
    const { server, name } = this.#deps.database;
    return server
      .asAdmin(async (client) => (await client.query<{ n: number }>(sql, values)).rows, name)
      .catch(() => undefined);
  }
}
