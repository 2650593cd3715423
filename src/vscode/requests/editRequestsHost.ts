import type { EngineHost } from '../engine/engineHost.ts';
import type { EditRequests } from './editRequests.ts';

/** Loads `EditRequests` when the user first edits a requested change. */
export class EditRequestsHost {
  readonly #engines: EngineHost;
  #edits: Promise<EditRequests> | undefined;

  constructor(engines: EngineHost) {
    this.#engines = engines;
  }

  readonly get = (): Promise<EditRequests> => {
    this.#edits ??= import('./editRequests.ts').then(({ EditRequests }) => new EditRequests(this.#engines));
    return this.#edits;
  };

  dispose(): void {
    void this.#edits?.then((edits) => edits.dispose());
  }
}
