import type { ObservedAgent } from '../../../model/session/observed.ts';
import type { Store } from '../groups.ts';
import { readNotes } from '../records.ts';
import type { Notes } from './sessionReader.ts';

/** Content of shared files, reread only if one of them changed. */
export class NotesMemory {
  readonly #known = new Map<ObservedAgent, { readonly key: string; readonly notes: Notes }>();

  /** Returns the same object as long as nothing changed. */
  async notesOf({ format, shared }: Pick<Store, 'format' | 'shared'>): Promise<Notes> {
    const key = shared.map(({ path, size, mtimeMs }) => `${path}\n${size}\n${mtimeMs}`).join('\n');
    const known = this.#known.get(format.agent);
    if (known?.key === key) return known.notes;
    const notes = await readNotes(format, shared);
    this.#known.set(format.agent, { key, notes });
    return notes;
  }
}
