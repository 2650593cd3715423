import path from 'node:path';
import * as vscode from 'vscode';
import type { ExportReport } from '../../engine/archive/exportSession.ts';
import { ReadOnlyPages } from './readOnlyPages.ts';

const scheme = 'vitrine-masked';
const { t } = vscode.l10n;

type Masking = NonNullable<ExportReport['redaction']>;

/** Maximum number of lists to keep while the window is open. */
const maxMaskings = 10;

/** Lists what was masked in an export, without the secrets. */
export class MaskedPages implements vscode.Disposable {
  readonly #maskings = new Map<string, Masking>();
  readonly #pages = new ReadOnlyPages(scheme, (uri) => Promise.resolve(this.#renderPage(uri.query)));

  show(file: string, masking: Masking): Promise<void> {
    this.#maskings.delete(file);
    this.#maskings.set(file, masking);
    const [oldest] = this.#maskings.keys();
    if (this.#maskings.size > maxMaskings && oldest !== undefined) this.#maskings.delete(oldest);
    const title = t('Secrets Masked in {0}', path.basename(file));
    return this.#pages.show(vscode.Uri.from({ scheme, path: `/${title}`, query: file }));
  }

  dispose(): void {
    this.#pages.dispose();
  }

  #renderPage(file: string): string {
    const found = this.#maskings.get(file);
    if (found === undefined) return t('This list is no longer available. Export again to see what is masked.');
    const rows = found.masked.map(({ entry, field, rule, length, tag }) =>
      entry === undefined
        ? t('{0} hmac:{1}, {2} characters in {3}', rule, tag, length, field)
        : t('{0} hmac:{1}, {2} characters in entry {3}, {4}', rule, tag, length, entry, field),
    );
    const unlisted = found.total - found.masked.length;
    return [...rows, ...(unlisted > 0 ? [t('{0} more', unlisted)] : []), ''].join('\n');
  }
}
