/** A text with placeholders (`{0}`, `{1}`, …) as data, so that the UI can translate it. */
export interface Wording {
  readonly template: string;
  readonly values: readonly Value[];
}

type Value = string | number | Wording;

/** Template tag for user-visible text. Values are inserted unchanged; nested wordings are translated too. */
export function worded(parts: TemplateStringsArray, ...values: readonly Value[]): Wording {
  return { template: parts.reduce((text, part, at) => `${text}{${at - 1}}${part}`), values };
}

/** Text from elsewhere, which is not translated. */
export function quote(text: string): Wording {
  return { template: '{0}', values: [text] };
}

export function toEnglish(wording: Wording): string {
  return wordingText(wording, (template) => template);
}

/** Inserts the values. `translate` gets the template and returns it in another language. */
export function wordingText({ template, values }: Wording, translate: (template: string) => string): string {
  return translate(template).replace(/\{(\d+)\}/g, (place, at: string) => {
    const value = values[Number(at)];
    if (value === undefined) return place;
    return typeof value === 'object' ? wordingText(value, translate) : String(value);
  });
}
