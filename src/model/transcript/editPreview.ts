/** One line of a change; `before` and `after` are its 1-based numbers in the file. A `gap` stands for unchanged lines. */
export interface DiffLine {
  readonly kind: 'same' | 'add' | 'del' | 'gap';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** A file as it is now, or why its text is not at hand. */
export type FileText =
  | { readonly state: 'text'; readonly text: string; readonly changedAt: number }
  | { readonly state: 'missing' | 'outside' | 'unreadable' | 'tooLarge' };

/**
 * What an edit that waits for approval would make of one file as it is now. `placed`: its changed lines with those around
 * them. Else the reason why they cannot be placed: the file is `missing`, lies `outside` of the session's folder, is
 * `unreadable` (no text, or refused) or `tooLarge`; the text to replace is `notFound` in it; the agent does not say where
 * the text goes (`unplaced`); or the change is too `long`.
 */
export type EditPreview = { readonly path: string } & (
  | {
      readonly state: 'placed';
      readonly lines: readonly DiffLine[];
      /** `replaced`: a new text for an existing file. */
      readonly file: 'new' | 'replaced' | 'edited' | 'deleted';
      /** Places that hold the text to replace: each is replaced where `all`, else the first is shown. */
      readonly places: number;
      readonly all: boolean;
      /** Epoch milliseconds of the file's last change. */
      readonly changedAt: number | null;
    }
  | { readonly state: 'missing' | 'outside' | 'unreadable' | 'tooLarge' | 'notFound' | 'unplaced' | 'long' }
);
