import * as z from 'zod';
import { totalTokens, type PriceTableRef, type TokenUsage } from '../model/usage.ts';

const ratesSchema = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
  /** Per thousand searches. */
  webSearch: z.number().nonnegative().optional(),
});

/** US dollars per million tokens. Where cache rates are absent, the cache costs what other input costs. */
const modelPriceSchema = ratesSchema.extend({
  /** Rates of a request with more input than `over` tokens. */
  long: z.object({ over: z.number(), rates: ratesSchema.partial() }).optional(),
});
export type ModelPrice = z.infer<typeof modelPriceSchema>;

const priceTableSchema = z.object({
  name: z.string(),
  date: z.string(),
  models: z.record(z.string(), modelPriceSchema),
  /** Further names of the models above. */
  aliases: z.record(z.string(), z.string()),
});
export type PriceTable = z.infer<typeof priceTableSchema>;

/** Prices of a user: of models that the table does not know, or that cost this user something else. */
const ownPricesSchema = priceTableSchema.omit({ name: true }).partial({ models: true, aliases: true });

let loading: Promise<PriceTable> | undefined;

/**
 * The table that Vitrine ships, read when it is first asked for; with `own` (as a user wrote it) before it. What is no price
 * table counts not at all: see `pricesProblem`.
 */
export async function loadPrices(own?: unknown): Promise<PriceTable> {
  loading ??= import('./prices.json', { with: { type: 'json' } }).then((file) => priceTableSchema.parse(file.default));
  const shipped = await loading;
  const parsed = own === undefined ? undefined : ownPricesSchema.safeParse(own).data;
  if (parsed === undefined) return shipped;
  const models = lowerKeys(parsed.models ?? {});
  const aliases = Object.entries(shipped.aliases).filter(([name]) => !Object.hasOwn(models, name));
  return {
    name: `your own, else ${shipped.name} of ${shipped.date}`,
    date: parsed.date,
    models: { ...shipped.models, ...models },
    aliases: { ...Object.fromEntries(aliases), ...lowerKeys(lowerValues(parsed.aliases ?? {})) },
  };
}

/** What is wrong with prices that a user wrote; `null` for nothing. */
export function pricesProblem(own: unknown): string | null {
  const issue = own === undefined ? undefined : ownPricesSchema.safeParse(own).error?.issues[0];
  return issue === undefined ? null : `${issue.path.join('.')}: ${issue.message}`;
}

function lowerKeys<T>(values: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
}

function lowerValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.toLowerCase()]));
}

export function priceTableRef({ name, date }: PriceTable): PriceTableRef {
  return { name, date };
}

/**
 * The price of exactly that model. Tried one after the other: the name as it is; without the provider before it
 * (`anthropic/`, `us.anthropic.`); without what marks the context (`[1m]`) or the platform's version (`-v1:0`); without a
 * date (`-20250929`, `-2025-09-29`, `@20250929`) or `-latest`. Never a shorter name: the price of `claude-sonnet-5` is not
 * the one of `claude-sonnet-5-5`.
 */
export function findPrice(table: PriceTable, model: string): ModelPrice | undefined {
  let name = model.trim().toLowerCase();
  const steps = [/^.*\//, /^(?:[a-z-]+\.)?anthropic\./, /\[[^\]]*\]$/, /-v\d+(?::\d+)?$/, datePattern, /-latest$/];
  for (const step of [/^$/, ...steps]) {
    name = name.replace(step, '');
    const known = Object.hasOwn(table.aliases, name) ? (table.aliases[name] ?? name) : name;
    if (Object.hasOwn(table.models, known)) return table.models[known];
  }
  return undefined;
}

const datePattern = /[-@](?:\d{8}|\d{4}-\d\d-\d\d)$/;

/** US dollars for one request, to 12 significant digits. */
export function priceOfRequest(usage: TokenUsage, price: ModelPrice): number {
  const given = (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
  const { long } = price;
  if (long === undefined || given <= long.over) return priceOf(usage, price);
  const { input = price.input, output = price.output, ...others } = long.rates;
  return priceOf(usage, { ...price, ...others, input, output });
}

/** US dollars for a sum over requests, none of them long; to 12 significant digits. */
export function priceOf(usage: TokenUsage, price: ModelPrice): number {
  const perMillion =
    (usage.input ?? 0) * price.input +
    (usage.output ?? 0) * price.output +
    (usage.cacheRead ?? 0) * (price.cacheRead ?? price.input) +
    (usage.cacheWrite ?? 0) * (price.cacheWrite ?? price.input);
  const searches = ((usage.webSearches ?? 0) * (price.webSearch ?? 0)) / 1000;
  return Number((perMillion / 1e6 + searches).toPrecision(12));
}

/** Nothing that a price would be asked for. */
export function isEmptyUsage(usage: TokenUsage): boolean {
  return totalTokens(usage) === 0 && (usage.webSearches ?? 0) === 0;
}
