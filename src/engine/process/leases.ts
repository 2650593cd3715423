import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { runIdSchema, sessionIdSchema } from '../../model/session/session.ts';
import type { Log } from '../api.ts';
import { stateOfHolder } from './identity/holder.ts';

const identitySchema = z.object({ pid: z.number().int().positive(), startTime: z.string().nullable() });

const leaseSchema = z.object({
  run_id: runIdSchema,
  session_id: sessionIdSchema,
  program: z.string(),
  hostname: z.string(),
  /** Absent in leases of earlier versions. */
  machine: z.string().optional(),
  /** ISO 8601. */
  at: z.string(),
  /** The agent, leader of its process group; `null` until it has started. */
  process: identitySchema.nullable(),
  /** The process that started the agent. */
  owner: identitySchema,
});
export type ProcessLease = z.infer<typeof leaseSchema>;

/** One file per running agent, which tells the next process after a crash what is left and who started it. */
export class ProcessLeases {
  readonly #dir: string;
  readonly #log: Pick<Log, 'warn'>;

  constructor(dir: string, log: Pick<Log, 'warn'>) {
    this.#dir = dir;
    this.#log = log;
  }

  /** Atomic, even if this process dies. If the disk is full, the agent runs without a lease. */
  async write(lease: ProcessLease): Promise<void> {
    const file = this.#fileOf(lease.run_id);
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      await writeFile(`${file}.new`, JSON.stringify(lease), { mode: 0o600 });
      await rename(`${file}.new`, file);
    } catch (error) {
      this.#log.warn(`No lease for ${lease.run_id}; after a crash, its process would keep running: ${String(error)}`);
    }
  }

  /** Folder for private files of a run's agent; deleted with the lease. */
  privateFolder(runId: string): string {
    return path.join(this.#dir, `${runId}.private`);
  }

  async remove(runId: string): Promise<void> {
    await rm(this.privateFolder(runId), { recursive: true, force: true });
    await rm(this.#fileOf(runId), { force: true });
  }

  /** Leases of this machine whose owner is dead. Skips invalid files. */
  async findOrphaned(): Promise<ProcessLease[]> {
    const names = await readdir(this.#dir).catch(() => []);
    const leases = await Promise.all(names.filter((name) => name.endsWith('.json')).map((name) => this.#read(name)));
    const areDead = await Promise.all(
      leases.map(async (lease) => {
        if (lease === undefined) return false;
        const { hostname, machine, owner } = lease;
        return (await stateOfHolder({ ...owner, hostname, machine })) === 'gone';
      }),
    );
    return leases
      .filter((lease, index) => lease !== undefined && areDead[index] === true)
      .filter((lease) => lease !== undefined);
  }

  #fileOf(runId: string): string {
    return path.join(this.#dir, `${runId}.json`);
  }

  async #read(name: string): Promise<ProcessLease | undefined> {
    try {
      const json: unknown = JSON.parse(await readFile(path.join(this.#dir, name), 'utf8'));
      return leaseSchema.safeParse(json).data;
    } catch {
      return undefined;
    }
  }
}
