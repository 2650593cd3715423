import { menu } from './menu.js';

const DISCOUNT_FROM_GUESTS = 4;
const DISCOUNT_PERCENT = 10;

/** The lines of a bill: one per dish, in the order of the first order. */
export function lines(orders) {
  const counts = new Map();
  for (const dish of orders) counts.set(dish, (counts.get(dish) ?? 0) + 1);
  return [...counts].map(([dish, count]) => {
    const entry = menu.get(dish);
    if (!entry) throw new Error(`not on the menu: ${dish}`);
    return { title: entry.title, count, amount: entry.price * count };
  });
}

/** What the table owes, in cents. */
export function total(orders, guests) {
  const sum = lines(orders).reduce((all, line) => all + line.amount, 0);
  return guests > DISCOUNT_FROM_GUESTS ? Math.round(sum * (1 - DISCOUNT_PERCENT / 100)) : sum;
}

export function format(cents) {
  return `${(cents / 100).toFixed(2)} EUR`;
}
