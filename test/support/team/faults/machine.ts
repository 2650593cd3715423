import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { Outbox } from '../../../../src/daemon/team/outbox.ts';
import { OutboxFiles, type OutboxState } from '../../../../src/daemon/team/outboxFile.ts';
import { TeamQueue } from '../../../../src/daemon/team/runs/teamQueue.ts';
import { TeamRunners } from '../../../../src/daemon/team/runs/teamRunners.ts';
import { createRunSchema } from '../../../../src/coordinator/api.ts';
import { sessionId } from '../../../../src/engine/ids.ts';
import { Redactor } from '../../../../src/formats/redaction/redactor.ts';
import type { Run } from '../../../../src/model/session/session.ts';
import { TeamLink } from '../../../../src/team/database/link.ts';
import { aSummary } from '../../sessions/records.ts';
import { silentLog } from '../../silentLog.ts';
import type { TeamDatabase } from '../database.ts';
import type { HistoryEvent } from './history.ts';
import { FaultyNetwork } from './proxy.ts';

const randomHex = (digits: number): string =>
  randomBytes(Math.ceil(digits / 2))
    .toString('hex')
    .slice(0, digits);
const localId = 'lnch_000000000000';
const beatMs = 5000;
const maxRuns = 2;
const quiet = (): void => undefined;

interface MachineDeps {
  readonly database: TeamDatabase;
  readonly user: string;
  readonly folder: string;
  readonly tags: readonly string[];
  readonly record: (event: HistoryEvent) => void;
}

/** Files of a machine whose disk can be full. */
class Disk extends OutboxFiles {
  isFull = false;

  override async write(id: string, state: OutboxState): Promise<void> {
    if (this.isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    await super.write(id, state);
  }
}

/**
 * A machine in a team: Vitrine's connection, queue, runner and outbox, with an agent that only takes its time. It writes down
 * what it sees.
 */
export class FaultyMachine {
  readonly session = sessionId(randomHex);
  readonly network: FaultyNetwork;
  readonly disk: Disk;
  /** Difference of its time of day, in ms. */
  clockMs = 0;
  readonly #deps: MachineDeps;
  readonly #agents = new Map<string, { readonly token: string; readonly timer: NodeJS.Timeout }>();
  #lines = 0;
  #wants = false;
  #isClaiming = false;
  #link: TeamLink | undefined;
  #queue: TeamQueue | undefined;
  #outbox: Outbox | undefined;
  #instance = '';
  #timer: NodeJS.Timeout | undefined;

  private constructor(deps: MachineDeps, network: FaultyNetwork) {
    this.#deps = deps;
    this.network = network;
    this.disk = new Disk(path.join(deps.folder, 'outbox'));
  }

  static async start(deps: MachineDeps): Promise<FaultyMachine> {
    const machine = new FaultyMachine(deps, await FaultyNetwork.open(deps.database.server.port));
    mkdirSync(path.join(deps.folder, machine.session), { recursive: true });
    machine.#append({ kind: 'header', session_id: machine.session });
    await machine.boot();
    await machine.#outbox?.share(machine.session, 'records', 'person');
    return machine;
  }

  get lines(): number {
    return this.#lines;
  }

  /** Starts its processes. */
  async boot(): Promise<void> {
    const { database, user, folder, tags } = this.#deps;
    const login = database.login(user);
    const opened: { queue?: TeamQueue; outbox?: Outbox } = {};
    const link = await TeamLink.open(
      { ...login, address: { ...login.address, port: this.network.port } },
      {
        log: silentLog,
        onHint: ({ kind, id }) => void (kind === 'run' && opened.queue?.handleChange(id)),
        onConnected: () => {
          void opened.queue?.resume();
          void opened.outbox?.resume();
        },
      },
    );
    const use = link.withDatabase.bind(link);
    const isConnected = (): boolean => link.isConnected;
    const runners = new TeamRunners({ use, isConnected, monotonic: () => performance.now(), log: silentLog });
    const instance = randomHex(16);
    const tokens = new Map<string, string>();
    const queue = new TeamQueue({
      ...{ runners, use, isConnected, randomHex, log: silentLog },
      redactor: () => new Redactor(() => ''),
      onRun: (run) => void this.#handleRun(run, instance, tokens),
      onClaimed: ({ job, token }) => tokens.set(job.run.run_id, token ?? ''),
      onEnded: quiet,
    });
    const outbox = new Outbox({
      ...{ files: this.disk, use, isConnected, hostname: folder, log: silentLog },
      recordPath: (id) => path.join(folder, id, 'record.jsonl'),
      summary: (id) => Promise.resolve(this.#summary(id)),
      redactor: () => new Redactor(() => ''),
    });
    Object.assign(opened, { queue, outbox });
    [this.#link, this.#queue, this.#outbox, this.#instance] = [link, queue, outbox, instance];
    this.#timer = setInterval(() => void queue.sendHeartbeats(), beatMs);
    const place = { hostname: 'host', project_dir: folder, executor_type: 'claude-code' };
    await runners.add({ ...place, tags: [...tags], limit: maxRuns, instance }, localId);
    await queue.resume();
  }

  /** Ends its processes at once, without a notice. */
  async kill(): Promise<void> {
    clearInterval(this.#timer);
    this.#instance = '';
    for (const [run, { token, timer }] of this.#agents) {
      clearTimeout(timer);
      this.#record({ kind: 'ended', run, token });
    }
    this.#agents.clear();
    const [link, outbox] = [this.#link, this.#outbox];
    this.network.set({ kind: 'cut' });
    await outbox?.close();
    await link?.close();
    this.network.set({ kind: 'open' });
  }

  async close(): Promise<void> {
    await this.kill();
    await this.network.close();
  }

  /** Queues a run; `null`: it was not acknowledged. */
  async queue(tag: string): Promise<string | null> {
    const request = { executor_type: 'claude-code', prompt: 'x', retry: true, additional_demands: { tags: [tag] } };
    try {
      const run = await this.#queue?.create(createRunSchema.parse(request));
      if (run === undefined) return null;
      this.#record({ kind: 'queued', run: run.run_id });
      return run.run_id;
    } catch {
      return null;
    }
  }

  /** Its session gets another line. */
  write(): void {
    this.#append({ kind: 'decision', n: this.#lines });
    this.#outbox?.enqueueSession(this.session);
  }

  #append(line: object): void {
    appendFileSync(path.join(this.#deps.folder, this.session, 'record.jsonl'), `${JSON.stringify(line)}\n`);
    this.#record({ kind: 'written', session: this.session, line: this.#lines });
    this.#lines += 1;
  }

  #summary(id: string) {
    const updated_at = new Date(Date.now() + this.clockMs).toISOString();
    return aSummary({ session_id: id, status: 'finished', updated_at });
  }

  async #handleRun(run: Run, instance: string, tokens: ReadonlyMap<string, string>): Promise<void> {
    if (instance !== this.#instance) return;
    const agent = this.#agents.get(run.run_id);
    if (run.status === 'stopping' && agent !== undefined) {
      clearTimeout(agent.timer);
      this.#end(run.run_id, 'stopped');
    } else await this.#claim(tokens);
  }

  /** One claim at a time, as a runner does it. */
  async #claim(tokens: ReadonlyMap<string, string>): Promise<void> {
    const instance = this.#instance;
    this.#wants = true;
    if (this.#isClaiming) return;
    this.#isClaiming = true;
    while (this.#wants && instance === this.#instance && this.#agents.size < maxRuns) {
      this.#wants = false;
      const has = [...this.#agents.keys()];
      const id = (await this.#queue?.claim({ runner_id: localId, instance, has }))?.run.run_id;
      const token = id === undefined ? undefined : tokens.get(id);
      if (id === undefined || token === undefined || instance !== this.#instance) continue;
      this.#wants = true;
      this.#record({ kind: 'started', run: id, token, by: this.#deps.user });
      const timer = setTimeout(() => this.#end(id, 'completed'), 200 + Math.random() * 600);
      this.#agents.set(id, { token, timer });
      this.#report(id, 'running');
    }
    this.#isClaiming = false;
  }

  #end(run: string, status: 'completed' | 'stopped'): void {
    const agent = this.#agents.get(run);
    if (agent === undefined) return;
    this.#agents.delete(run);
    this.#record({ kind: 'ended', run, token: agent.token });
    this.#report(run, status);
  }

  #report(run_id: string, status: 'running' | 'completed' | 'stopped'): void {
    try {
      this.#queue?.report({ runner_id: localId, instance: this.#instance }, { run_id, status });
    } catch {
      // Another runner has it.
    }
  }

  #record(event: DistributiveOmit<HistoryEvent, 'at'>): void {
    this.#deps.record({ at: performance.now(), ...event });
  }
}

type DistributiveOmit<T, K extends string> = T extends unknown ? Omit<T, K> : never;
