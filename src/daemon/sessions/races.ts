import type { Engine } from '../../engine/engine.ts';
import { Races, type RaceCaller } from '../../engine/race/races.ts';
import type { Log, SessionHandle } from '../../engine/api.ts';
import type { ParamsOf, ResultOf } from '../../protocol/daemon/calls.ts';
import type { ClientContext } from '../../protocol/daemon/context.ts';
import type { Clients, ConnectedClient } from '../clients/clients.ts';
import type { ClientContexts } from '../clients/contexts.ts';
import { daemonRetiringFailure, folderUntrusted } from '../failures.ts';
import type { Lifetime } from '../lifetime.ts';

interface RaceCallsDeps {
  readonly engine: Engine;
  readonly storeDir: string;
  readonly contexts: ClientContexts;
  readonly clients: Clients;
  readonly lifetime: Lifetime;
  readonly randomHex: (digits: number) => string;
  readonly log: Log;
}

/** Races for clients: trusted folders only, and with the environment of the client that asks. */
export class RaceCalls {
  readonly races: Races;
  readonly #deps: RaceCallsDeps;

  constructor(deps: RaceCallsDeps) {
    this.#deps = deps;
    const { engine, lifetime } = deps;
    this.races = new Races({
      ...deps,
      clock: Date.now,
      open: (id) => engine.open(id),
      stop: (id) => engine.stop(id),
      relink: (id, folder) => engine.relink(id, folder),
      onCount: (count) => lifetime.setRaces(count),
    });
  }

  start(client: ConnectedClient, { context, request }: ParamsOf<'startRace'>): Promise<ResultOf<'startRace'>> {
    if (this.#deps.lifetime.isRetiring) throw daemonRetiringFailure();
    this.#assertTrusted(context, request.cwd);
    const kind = this.#deps.clients.describe(client)?.kind ?? 'api';
    const start: RaceCaller['start'] = (asked, variables, signal) => {
      const { contexts, engine } = this.#deps;
      // Its worktree is as trusted as the folder that it was made from.
      const own = { ...context, folder: asked.cwd, environment: { ...context.environment, ...variables } };
      contexts.add(own, kind);
      return contexts.withContext(own, (): Promise<SessionHandle> => engine.start(asked, signal));
    };
    return this.races.start(request, { start, environment: context.environment });
  }

  list(): Promise<ResultOf<'races'>> {
    return this.races.list();
  }

  next({ race_id, revision, wait_ms }: ParamsOf<'race'>): Promise<ResultOf<'race'>> {
    return this.races.next(race_id, revision, wait_ms);
  }

  stop({ race_id }: ParamsOf<'stopRace'>): Promise<ResultOf<'stopRace'>> {
    return this.races.stop(race_id);
  }

  async compare({ race_id, context }: ParamsOf<'compareRace'>): Promise<ResultOf<'compareRace'>> {
    return this.races.compare(race_id, await this.#trustedEnvironment(race_id, context));
  }

  async apply({ race_id, context, ...asked }: ParamsOf<'applyRace'>): Promise<ResultOf<'applyRace'>> {
    return this.races.apply(race_id, asked, await this.#trustedEnvironment(race_id, context));
  }

  async undo({ race_id, context }: ParamsOf<'undoRace'>): Promise<ResultOf<'undoRace'>> {
    return { files: [...(await this.races.undo(race_id, await this.#trustedEnvironment(race_id, context)))] };
  }

  async clean({ race_id, context, force }: ParamsOf<'cleanRace'>): Promise<ResultOf<'cleanRace'>> {
    const { removed, losses } = await this.races.clean(
      race_id,
      { force },
      await this.#trustedEnvironment(race_id, context),
    );
    return { removed, losses: losses.map(({ files, ...loss }) => ({ ...loss, files: files && [...files] })) };
  }

  async #trustedEnvironment(id: string, context: ClientContext): Promise<RaceCaller['environment']> {
    this.#assertTrusted(context, (await this.races.get(id)).folder);
    return context.environment;
  }

  #assertTrusted(context: ClientContext, folder: string): void {
    if (!context.trusted || context.folder !== folder) throw folderUntrusted(folder);
  }
}
