/** Maximum elements of one block; the rest is shown as text. */
export const maxInline = 400;
export const maxItems = 200;
export const maxNesting = 12;
