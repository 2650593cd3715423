import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CoordinatorLink } from '../../../src/coordinator/api.ts';
import type { LocalCoordinator, LocalDeps } from '../../../src/engine/coordinator/local.ts';
import { openQueue, type OpenQueue } from '../../../src/engine/coordinator/openQueue.ts';

/** A folder with a queue, and the warnings and errors that it logged. */
export class CoordinatorStore {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'vitrine-coordinator-'));
  readonly log: string[] = [];
  readonly deps: LocalDeps;
  readonly #closing: (() => Promise<void>)[] = [];
  #ids = 0;

  constructor() {
    const add = (message: string): void => void this.log.push(message);
    const none = (): void => undefined;
    this.deps = {
      clock: Date.now,
      monotonic: () => performance.now(),
      randomHex: (digits) => {
        this.#ids += 1;
        return this.#ids.toString(16).padStart(digits, '0');
      },
      log: { debug: none, info: none, warn: add, error: add },
    };
  }

  /** Closed with the store, if not earlier. */
  async open(): Promise<OpenQueue> {
    const opened = await openQueue(this.folder, this.deps);
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => (closed ??= opened.close());
    this.atEnd(close);
    return { ...opened, close };
  }

  async coordinator(): Promise<LocalCoordinator> {
    return (await this.open()).coordinator;
  }

  atEnd(close: () => Promise<void>): void {
    this.#closing.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A link with some calls replaced. */
export function changedLink(link: CoordinatorLink, changes: Partial<CoordinatorLink>): CoordinatorLink {
  return {
    createRun: (request) => link.createRun(request),
    stopRun: (id) => link.stopRun(id),
    runs: (filter) => link.runs(filter),
    runners: () => link.runners(),
    register: (registration) => link.register(registration),
    heartbeat: (runnerRef) => link.heartbeat(runnerRef),
    claim: (claim) => link.claim(claim),
    report: (runnerRef, report) => link.report(runnerRef, report),
    leave: (runnerRef) => link.leave(runnerRef),
    onRun: (listener) => link.onRun(listener),
    ...changes,
  };
}
