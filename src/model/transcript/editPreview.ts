/**
 * One line of a change; `before` and `after` are its 1-based numbers in the file. A `gap` stands for unchanged lines.
 */
export interface DiffLine {
  readonly kind: 'same' | 'add' | 'del' | 'gap';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** The current text of a file, or why it is not available. */
export type FileText =
  | { readonly state: 'text'; readonly text: string; readonly changedAt: number }
  | { readonly state: 'missing' | 'outside' | 'unreadable' | 'tooLarge' };

/**
 * Preview of an edit that waits for approval, in the current version of one file. `placed`: its changed lines with
 * those around them. Otherwise the reason why there is no preview: the file is `missing`, `outside` the session's
 * folder, `unreadable` (not text, or access is refused) or `tooLarge`; the text to replace is `notFound` in it; the
 * agent does not say where the text goes (`unplaced`); or the change is too `long`.
 */
export type EditPreview = { readonly path: string } & (
  | {
      readonly state: 'placed';
      readonly lines: readonly DiffLine[];
      /** `replaced`: a new text for an existing file. */
      readonly file: 'new' | 'replaced' | 'edited' | 'deleted';
      /**
       * Number of occurrences of the text to replace. With `all`, the edit replaces each; otherwise, the first is
       * shown.
       */
      readonly places: number;
      readonly all: boolean;
      /** Epoch milliseconds of the file's last change. */
      readonly changedAt: number | null;
    }
  | { readonly state: 'missing' | 'outside' | 'unreadable' | 'tooLarge' | 'notFound' | 'unplaced' | 'long' }
);
