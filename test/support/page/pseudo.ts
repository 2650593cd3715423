import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../host/install/cache.mjs';

const accented: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú', A: 'Á', E: 'É', O: 'Ó' };
/** Marks around a translated text. */
export const [begin, end] = ['⟦', '⟧'];

/** Pseudo-translation: 40% longer, with other letters, and with the placeholders. */
function pseudo(text: string): string {
  const letters = text
    .split(/(\{\d+\})/)
    .map((part) =>
      /^\{\d+\}$/.test(part) ? part : part.replace(/[aeiouAEO]/g, (letter) => accented[letter] ?? letter),
    )
    .join('');
  return `${begin}${letters}${'~'.repeat(Math.ceil(text.length * 0.4))}${end}`;
}

/** Pseudo-translations of all texts. */
export function pseudoLocale(): Readonly<Record<string, string>> {
  const english = JSON.parse(readFileSync(path.join(repository, 'l10n/bundle.l10n.json'), 'utf8')) as Record<
    string,
    string
  >;
  return Object.fromEntries(Object.keys(english).map((key) => [key, pseudo(key)]));
}
