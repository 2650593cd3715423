import type { Job, Registration } from '../../../src/coordinator/api.ts';
import { createRunSchema, registrationSchema, type CreateRunRequest } from '../../../src/coordinator/api.ts';
import { Coordinator } from '../../../src/coordinator/coordinator.ts';
import { runnerId } from '../../../src/engine/ids.ts';

/** A coordinator with manual clocks. */
export class StillCoordinator {
  /** Wall-clock time, which may jump, and monotonic time. */
  wall: number;
  mono = 0;
  readonly changes: Job[] = [];
  readonly core: Coordinator;
  #ids = 0;

  constructor(saved: readonly Job[] = [], wall = Date.parse('2026-01-01T00:00:00Z')) {
    this.wall = wall;
    this.core = new Coordinator(
      {
        clock: () => this.wall,
        monotonic: () => this.mono,
        runnerId,
        newRunId: () => `run_${this.#next()}`,
        newSessionId: () => `ses_${this.#next()}`,
        onChange: (job) => this.changes.push(job),
      },
      saved,
    );
  }

  /** Advances the clock second by second, with a tick for each. */
  advance(ms: number): void {
    for (let left = ms; left > 0; left -= 1000) this.sleep(Math.min(left, 1000));
  }

  /** Advances the clock without ticks, as in a suspended process. */
  sleep(ms: number): void {
    this.wall += ms;
    this.mono += ms;
    this.core.tick();
  }

  create(request: Partial<CreateRunRequest> = {}) {
    return this.core.create(createRunSchema.parse({ executor_type: 'claude-code', prompt: 'Do it', ...request }));
  }

  register(registration: Partial<Registration> = {}) {
    const instance = registration.instance ?? 'instance-1';
    const base = { hostname: 'here', project_dir: '/w', executor_type: 'claude-code' };
    const { runner_id } = this.core.register(registrationSchema.parse({ ...base, ...registration, instance }));
    return { runner_id, instance };
  }

  run(id: string) {
    const found = this.core.runs().find(({ run_id }) => run_id === id);
    if (found === undefined) throw new Error(`no run ${id}`);
    return found;
  }

  #next(): string {
    this.#ids += 1;
    return this.#ids.toString(16).padStart(12, '0');
  }
}
