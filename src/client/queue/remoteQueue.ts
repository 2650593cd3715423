import { accepted } from '../../coordinator/acceptedRuns.ts';
import { createRunSchema, type CreateRun, type RunFilter } from '../../coordinator/api.ts';
import type { ListedRunner } from '../../model/session/runner.ts';
import type { Run } from '../../model/session/session.ts';
import type { CallName, GivenParams, ResultOf } from '../../protocol/daemon/calls.ts';

export interface QueueCaller {
  call<N extends CallName>(name: N, params: GivenParams<N>): Promise<ResultOf<N>>;
}

/** The daemon's queue. */
export class RemoteQueue {
  readonly #daemon: QueueCaller;

  constructor(daemon: QueueCaller) {
    this.#daemon = daemon;
  }

  /** @throws CoordinatorError if the request is invalid, DaemonError if the daemon refuses it */
  async createRun(request: CreateRun): Promise<Run> {
    return this.#daemon.call('queueRun', accepted(createRunSchema, request));
  }

  /** @throws DaemonError */
  async stopRun(run_id: string): Promise<Run> {
    return this.#daemon.call('stopQueued', { run_id });
  }

  /** In order of arrival. @throws DaemonError */
  async runs(filter: RunFilter = {}): Promise<readonly Run[]> {
    const all: Run[] = [];
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
