/** What can be ordered; prices in cents. */
export const menu = new Map([
  ['sencha', { title: 'Sencha', price: 380 }],
  ['assam', { title: 'Assam', price: 340 }],
  ['oolong', { title: 'Oolong', price: 460 }],
  ['scone', { title: 'Scone with clotted cream', price: 290 }],
  ['madeleine', { title: 'Madeleine', price: 180 }],
]);
