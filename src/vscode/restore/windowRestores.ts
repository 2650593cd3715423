import type { DaemonLink } from '../../client/reconnectingLink.ts';
import type { EngineFailure } from '../../engine/failures/failures.ts';
import type { RestoreResult, RestorePreview, RestoreTarget } from '../../model/files/restore.ts';
import type { ClientContext } from '../../protocol/daemon/context.ts';

interface Deps {
  readonly call: DaemonLink<EngineFailure>['call'];
  readonly contextFor: (sessionId: string) => Promise<ClientContext>;
}

/** The daemon's copies of files at prompts, for this window. All calls throw EngineFailure. */
export class WindowRestores {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async preview(session_id: string, target: RestoreTarget): Promise<RestorePreview> {
    return this.#deps.call('previewRestore', { ...(await this.#paramsOf(session_id)), target });
  }

  /** Text of a file in a preview; `null`: none, or not text. */
  async content(session_id: string, object: string): Promise<string | null> {
    return (await this.#deps.call('restoreContent', { ...(await this.#paramsOf(session_id)), object })).text;
  }

  /** `now`: of the preview that the user saw. */
  async restore(session_id: string, target: RestoreTarget, now: string): Promise<RestoreResult> {
    return this.#deps.call('restoreFiles', { ...(await this.#paramsOf(session_id)), target, now });
  }

  async #paramsOf(session_id: string): Promise<{ readonly session_id: string; readonly context: ClientContext }> {
    return { session_id, context: await this.#deps.contextFor(session_id) };
  }
}
