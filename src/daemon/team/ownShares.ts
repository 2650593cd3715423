import type { Share } from '../../model/session/share.ts';
import type { OwnShare } from '../../protocol/daemon/team.ts';
import type { OutboxFiles } from './outboxFile.ts';

/** What the team sees of the sessions of this store, and what clients know of that. */
export class OwnShares {
  readonly #files: OutboxFiles;
  readonly #onChange: (sessionId: string, share: Share) => void;
  readonly #sharedIds = new Set<string>();

  constructor(files: OutboxFiles, onChange: (sessionId: string, share: Share) => void) {
    this.#files = files;
    this.#onChange = onChange;
  }

  /** Sessions of which the team sees something. */
  async list(): Promise<OwnShare[]> {
    const found: OwnShare[] = [];
    for (const id of await this.#files.ids()) {
      const state = await this.#files.read(id);
      if (state === null || state.share === 'nothing' || state.refused !== null) continue;
      found.push({ session_id: id, share: state.share });
      this.#sharedIds.add(id);
    }
    return found;
  }

  readonly changed = (id: string, share: Share): void => {
    if (share === 'nothing') this.#sharedIds.delete(id);
    else this.#sharedIds.add(id);
    this.#onChange(id, share);
  };

  /** The store has left the team. */
  forget(): void {
    for (const id of [...this.#sharedIds]) this.changed(id, 'nothing');
  }
}
