import { format, lines, total } from './bill.js';

const orders = ['sencha', 'sencha', 'scone', 'oolong', 'madeleine'];
const guests = 3;

for (const { title, count, amount } of lines(orders)) {
  console.log(`${count} x ${title.padEnd(28)} ${format(amount).padStart(10)}`);
}
console.log(`${'Total'.padEnd(32)} ${format(total(orders, guests)).padStart(10)}`);
