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
  readonly #onChange: () => void;
  readonly #previews = new Map<string, PreviewedRequest>();
  readonly #requestedIds = new Set<string>();

  constructor(link: Pick<HostLink, 'request'>, changed: () => void) {
    this.#link = link;
    this.#onChange = changed;
  }

  /** `undefined` until the host has read the files. */
  previewOf(id: string): PreviewedRequest | undefined {
    return this.#previews.get(id);
  }

  /** Asks the host once per drawn request. */
  requestPreviews(ids: Iterable<string>): void {
    for (const id of ids) if (!this.#requestedIds.has(id)) void this.#ask(id);
  }

  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#requestedIds) if (!ids.has(id)) this.#requestedIds.delete(id);
    for (const id of this.#previews.keys()) if (!ids.has(id)) this.#previews.delete(id);
  }

  /** Call when files may have changed. */
  reload(): void {
    for (const id of this.#requestedIds) void this.#ask(id);
  }

  async #ask(id: string): Promise<void> {
    this.#requestedIds.add(id);
    const [answer, module] = await Promise.all([
      this.#link.request((request) => ({ type: 'getEditPreviews', request, id })),
      import('./placedEdit.ts'),
    ]);
    if (answer.type !== 'editPreviews' || !this.#requestedIds.has(id)) return;
    this.#previews.set(id, { previews: answer.previews, drawing: module });
    this.#onChange();
  }
}
