/** Maximum elements of one block; the rest is shown as text. */
export const mostInline = 400;
export const mostItems = 200;
export const deepest = 12;
