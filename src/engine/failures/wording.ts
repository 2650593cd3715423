/** A text with places for values, `{0}` and on, kept as data: whoever shows it can say it in another language. */
export interface Wording {
  readonly template: string;
  readonly values: readonly Value[];
}

type Value = string | number | Wording;

/** Tag of a text that people read. Values go in as they are; other wordings are translated with it. */
export function say(parts: TemplateStringsArray, ...values: readonly Value[]): Wording {
  return { template: parts.reduce((text, part, at) => `${text}{${at - 1}}${part}`), values };
}

/** What someone else said: in no list of translations. */
export function quote(text: string): Wording {
  return { template: '{0}', values: [text] };
}

export function english(wording: Wording): string {
  return inWords(wording, (template) => template);
}

/** Translated by `translate`, which is given a template and gives it in another language. */
export function inWords({ template, values }: Wording, translate: (template: string) => string): string {
  return translate(template).replace(/\{(\d+)\}/g, (place, at: string) => {
    const value = values[Number(at)];
    if (value === undefined) return place;
    return typeof value === 'object' ? inWords(value, translate) : String(value);
  });
}
