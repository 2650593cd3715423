import type * as drawing from './placedEdit.ts';
import type { EditPreview } from '../../src/model/transcript/editPreview.ts';
import type { HostLink } from '../host/link.ts';

/** Previews of one request's files, with the module that draws them. */
export interface PreviewedRequest {
  readonly previews: readonly EditPreview[];
  readonly drawing: typeof drawing;
}

/** Previews of requested edits in the current files, by request id. */
export class EditPreviews {
  readonly #link: Pick<HostLink, 'request'>;
  readonly #changed: () => void;
  readonly #known = new Map<string, PreviewedRequest>();
  readonly #asked = new Set<string>();

  constructor(link: Pick<HostLink, 'request'>, changed: () => void) {
    this.#link = link;
    this.#changed = changed;
  }

  /** `undefined` until the host has read the files. */
  of(id: string): PreviewedRequest | undefined {
    return this.#known.get(id);
  }

  /** Asks the host once per drawn request. */
  drawn(ids: Iterable<string>): void {
    for (const id of ids) if (!this.#asked.has(id)) void this.#ask(id);
  }

  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#asked) if (!ids.has(id)) this.#asked.delete(id);
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
  }

  /** Call when files may have changed. */
  again(): void {
    for (const id of this.#asked) void this.#ask(id);
  }

  async #ask(id: string): Promise<void> {
    this.#asked.add(id);
    const [answer, module] = await Promise.all([
      this.#link.request((request) => ({ type: 'getEditPreviews', request, id })),
      import('./placedEdit.ts'),
    ]);
    if (answer.type !== 'editPreviews' || !this.#asked.has(id)) return;
    this.#known.set(id, { previews: answer.previews, drawing: module });
    this.#changed();
  }
}
