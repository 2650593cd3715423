let bundle: Readonly<Record<string, string>> = {};
let language: string | undefined;
let numbers = new Intl.NumberFormat();

/** Uses the translations that arrived with the session; English until then. */
export function setLanguage(translations: Readonly<Record<string, string>>, locale: string): void {
  bundle = translations;
  language = isLocale(locale) ? locale : undefined;
  numbers = new Intl.NumberFormat(language);
  document.documentElement.lang = language ?? 'en';
}

function isLocale(locale: string): boolean {
  try {
    return Intl.getCanonicalLocales(locale).length > 0;
  } catch {
    return false;
  }
}

/** BCP 47, for `Intl`; `undefined` means the browser's language. */
export function locale(): string | undefined {
  return language;
}

/** `message` in the reader's language, with `{0}`, `{1}` … replaced. Call it with a literal, so that tools can collect it. */
export function t(message: string, ...values: readonly (string | number)[]): string {
  const text = Object.hasOwn(bundle, message) ? (bundle[message] ?? message) : message;
  return text.replace(/\{(\d+)\}/g, (slot, at: string) => String(values[Number(at)] ?? slot));
}

/** `one` for exactly 1, else `many`; both get the number as `{0}`. */
export function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : many.replace('{0}', numbers.format(count));
}
