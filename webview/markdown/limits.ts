/** Elements that one block may take; what is over it is shown as text. */
export const mostInline = 400;
export const mostItems = 200;
export const deepest = 12;
