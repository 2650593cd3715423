import type { Disposable, Log } from '../../engine/api.ts';
import type { BlueprintAccess } from '../../engine/blueprints/access.ts';
import { blueprintResumeRequest } from '../../engine/blueprints/resume.ts';
import { isRecordedRefusal } from '../../engine/children/recordedRefusal.ts';
import type { Engine } from '../../engine/engine.ts';
import { EngineFailure, failures } from '../../engine/failures/failures.ts';
import { type DueFollowUp, FollowUpScheduler } from '../../engine/followUps/scheduler.ts';
import { logLine } from '../../engine/log/logLine.ts';
import type { FollowUpsState } from '../../protocol/daemon/followUps.ts';
import type { ClientContexts } from '../clients/contexts.ts';

export interface FollowUpPlannerDeps {
  readonly engine: Engine;
  readonly blueprints: BlueprintAccess;
  readonly contexts: ClientContexts;
  readonly log: Log;
  /** No more runs start. */
  readonly isRetiring: () => boolean;
  readonly onChange: (state: FollowUpsState) => void;
  /** Only a person can resume the session: its agent was changed. */
  readonly onRefused: (sessionId: string, failure: EngineFailure) => void;
}

/** Follow-ups of sessions in folders that windows trust. */
export class FollowUpPlanner implements Disposable {
  readonly #deps: FollowUpPlannerDeps;
  readonly #scheduler: FollowUpScheduler;
  #isPaused = false;
  #activeCheck: Promise<void> | undefined;
  #isCheckRequested = false;

  constructor(deps: FollowUpPlannerDeps) {
    const { engine, contexts, log, isRetiring } = deps;
    this.#deps = deps;
    this.#scheduler = new FollowUpScheduler({
      engine,
      clock: Date.now,
      log,
      mayGetFollowUps: ({ project_dir: folder }) =>
        folder !== undefined && !isRetiring() && contexts.isTrustedByWindow(folder),
      send: (due) => this.#send(due),
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return { dispose: () => clearTimeout(timer) };
      },
    });
    this.#scheduler.changed.on(() => this.#notify());
    void engine.followUps.isPaused().then((paused) => {
      this.#isPaused = paused;
      if (paused) this.#notify();
    });
  }

  state(): FollowUpsState {
    const due = this.#scheduler.due().map(({ sessionId, title, trigger: { type }, prompt, at }) => ({
      session_id: sessionId,
      title,
      trigger_type: type,
      prompt,
      at,
    }));
    return { due, paused: this.#isPaused };
  }

  /** Call this when a window reports trust, settings or agents. Never rejects. */
  async checkAll(): Promise<void> {
    this.#isCheckRequested = true;
    this.#activeCheck ??= this.#checkWhileRequested().finally(() => (this.#activeCheck = undefined));
    await this.#activeCheck;
  }

  /** Cancels the due follow-up. @throws EngineFailure */
  cancel(sessionId: string): Promise<void> {
    return this.#scheduler.cancel(sessionId);
  }

  async pause(paused: boolean): Promise<void> {
    const { followUps } = this.#deps.engine;
    await (paused ? followUps.pause() : followUps.resume());
    if (paused === this.#isPaused) return;
    this.#deps.log.info(logLine(paused ? 'follow-ups paused' : 'follow-ups resumed'));
    this.#isPaused = paused;
    if (paused) this.#scheduler.dropAll();
    this.#notify();
    if (!paused) await this.checkAll();
  }

  dispose(): void {
    this.#scheduler.dispose();
  }

  #notify(): void {
    this.#deps.onChange(this.state());
  }

  async #checkWhileRequested(): Promise<void> {
    while (this.#isCheckRequested) {
      this.#isCheckRequested = false;
      try {
        await this.#scheduler.checkAll();
      } catch (error) {
        this.#deps.log.error(logLine('follow-ups not planned', { error: String(error) }));
      }
    }
  }

  /** Settles when the run has ended. @throws EngineFailure, FollowUpRefused */
  async #send({ sessionId, prompt, trigger }: DueFollowUp): Promise<void> {
    try {
      const run = await this.#resume(sessionId, prompt, trigger);
      await run.done;
      run.dispose();
    } catch (error) {
      if (EngineFailure.is(error, 'child_refused') && !isRecordedRefusal(error)) this.#deps.onRefused(sessionId, error);
      throw error;
    }
  }

  async #resume(sessionId: string, prompt: string, trigger: DueFollowUp['trigger']) {
    const { engine, blueprints } = this.#deps;
    const { load, use, chosen } = blueprints;
    const opened = await engine.open(sessionId);
    const summary = opened.summary();
    opened.dispose();
    const { agent_name: name, project_dir: projectDir = '' } = summary;
    const request = await blueprintResumeRequest(sessionId, prompt, { engine, blueprints: load, use, projectDir });
    if (name !== undefined && request.blueprint === undefined) throw failures.blueprintUnknown(name, []);
    return engine.resume(sessionId, { ...(chosen?.(summary, request) ?? request), trigger });
  }
}
