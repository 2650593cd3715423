import { parseInput } from '../../coordinator/acceptedRuns.ts';
import type * as z from 'zod';
import type { ChangeRun, RunFilter } from '../../coordinator/api.ts';
import type { ListedRunner } from '../../model/session/runner.ts';
import type { Run } from '../../model/session/session.ts';
import type { ListedRun } from '../../model/session/waiting.ts';
import type { CallName, GivenParams, ResultOf } from '../../protocol/daemon/calls.ts';
import { queueRunSchema } from '../../protocol/daemon/queue.ts';

export interface QueueCaller {
  call<N extends CallName>(name: N, params: GivenParams<N>): Promise<ResultOf<N>>;
}

export type QueueRunParams = z.input<typeof queueRunSchema>;

/** The daemon's queue. */
export class RemoteQueue {
  readonly #daemon: QueueCaller;

  constructor(daemon: QueueCaller) {
    this.#daemon = daemon;
  }

  /** @throws CoordinatorError if the request is invalid, DaemonError if the daemon refuses it */
  async createRun(request: QueueRunParams): Promise<ListedRun> {
    return this.#daemon.call('queueRun', parseInput(queueRunSchema, request));
  }

  /** @throws DaemonError */
  async stopRun(run_id: string): Promise<Run> {
    return this.#daemon.call('stopQueued', { run_id });
  }

  /** @throws DaemonError */
  async changeRun(change: ChangeRun): Promise<Run> {
    return this.#daemon.call('changeQueued', change);
  }

  /** In order of arrival. @throws DaemonError */
  async runs(filter: RunFilter = {}): Promise<readonly ListedRun[]> {
    const all: ListedRun[] = [];
    for (let from: number | null = 0; from !== null;) {
      const page: ResultOf<'queuedRuns'> = await this.#daemon.call('queuedRuns', { ...filter, from });
      all.push(...page.runs);
      from = page.next;
    }
    return all;
  }

  /** @throws DaemonError */
  async runners(): Promise<readonly ListedRunner[]> {
    return this.#daemon.call('runners', {});
  }
}
