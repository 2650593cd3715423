import type { Engine } from '../../engine/engine.ts';
import type { ParamsOf, ResultOf } from '../../protocol/daemon/calls.ts';
import type { ClientContext } from '../../protocol/daemon/context.ts';
import type { ClientContexts } from '../clients/contexts.ts';
import { folderUntrusted } from '../failures.ts';

interface RestoreCallsDeps {
  readonly engine: Pick<Engine, 'restores' | 'open'>;
  readonly contexts: Pick<ClientContexts, 'withContext'>;
}

/** Restores files for clients: in trusted folders only, and with the environment of the client that asks. */
export class RestoreCalls {
  readonly #deps: RestoreCallsDeps;

  constructor(deps: RestoreCallsDeps) {
    this.#deps = deps;
  }

  preview({ session_id, context, target }: ParamsOf<'previewRestore'>): Promise<ResultOf<'previewRestore'>> {
    return this.#withRestores(session_id, context, (restores) => restores.preview(session_id, target));
  }

  content({ session_id, context, object }: ParamsOf<'restoreContent'>): Promise<ResultOf<'restoreContent'>> {
    return this.#withRestores(session_id, context, async (restores) => ({
      text: await restores.content(session_id, object),
    }));
  }

  restore({ session_id, context, target, now }: ParamsOf<'restoreFiles'>): Promise<ResultOf<'restoreFiles'>> {
    return this.#withRestores(session_id, context, (restores) => restores.restore(session_id, target, now));
  }

  async #withRestores<T>(
    sessionId: string,
    context: ClientContext,
    work: (restores: Engine['restores']) => Promise<T>,
  ): Promise<T> {
    const { engine, contexts } = this.#deps;
    const handle = await engine.open(sessionId);
    const { project_dir: folder = '' } = handle.summary();
    handle.dispose();
    if (!context.trusted || context.folder !== folder) throw folderUntrusted(folder);
    return contexts.withContext(context, () => work(engine.restores));
  }
}
