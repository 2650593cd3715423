import type { RunFacts } from '../../model/usage/facts.ts';
import { addUsd, cleanUsd } from '../ledger/money.ts';
import * as z from 'zod';
import { totalTokens, type PriceTableRef, type TokenUsage } from '../../model/usage/usage.ts';
import { englishNumbers } from '../../text/numberFormat.ts';

const ratesSchema = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
  /** Cache writes for an hour; default: other cache writes. */
  cacheWrite1h: z.number().nonnegative().optional(),
  /** Per thousand searches. */
  webSearch: z.number().nonnegative().optional(),
});

const partialRatesSchema = ratesSchema.partial();

/** US dollars per million tokens. Absent cache rates equal the input rate. */
const modelPriceSchema = ratesSchema.extend({
  /** Rates of a request with more input than `over` tokens. */
  long: z.object({ over: z.number(), rates: partialRatesSchema }).optional(),
  /** Rates under other terms: `fast`, `batch`, `priority`, `geo:us`. */
  terms: z.record(z.string(), partialRatesSchema).optional(),
});
type PartialRates = z.infer<typeof partialRatesSchema>;
export type ModelPrice = z.infer<typeof modelPriceSchema>;

const priceTableSchema = z.object({
  name: z.string(),
  date: z.string(),
  models: z.record(z.string(), modelPriceSchema),
  /** Other names of the models above. */
  aliases: z.record(z.string(), z.string()),
});
export type PriceTable = z.infer<typeof priceTableSchema>;

/** A user's prices, for models that the table does not know or that cost this user something else. */
const ownPricesSchema = priceTableSchema.omit({ name: true }).partial({ models: true, aliases: true });

type OwnPrices = z.infer<typeof ownPricesSchema>;

let loading: Promise<PriceTable> | undefined;
/** The last result, so that unchanged prices are the same object. */
let lastOwn: { readonly own: unknown; readonly table: PriceTable } | undefined;

/**
 * Vitrine's price table, loaded on first use, with `own` (as a user wrote it) before it. An invalid `own` is ignored: see
 * `pricesProblem`.
 */
export async function loadPrices(own?: unknown): Promise<PriceTable> {
  loading ??= import('./prices.json', { with: { type: 'json' } }).then((file) => priceTableSchema.parse(file.default));
  const shipped = await loading;
  if (own === undefined) return shipped;
  if (lastOwn?.own === own) return lastOwn.table;
  const parsed = ownPricesSchema.safeParse(own).data;
  const table = parsed === undefined ? shipped : withOwn(shipped, parsed);
  lastOwn = { own, table };
  return table;
}

function withOwn(shipped: PriceTable, parsed: OwnPrices): PriceTable {
  const models = lowerKeys(parsed.models ?? {});
  const aliases = Object.entries(shipped.aliases).filter(([name]) => !Object.hasOwn(models, name));
  return {
    name: `your own, else ${shipped.name} of ${shipped.date}`,
    date: parsed.date,
    models: { ...shipped.models, ...models },
    aliases: { ...Object.fromEntries(aliases), ...lowerKeys(lowerValues(parsed.aliases ?? {})) },
  };
}

/** What is wrong with a user's prices; `null` if nothing. */
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
 * The price of exactly that model. Tried in order: the name as it is; without a provider prefix that charges the list price
 * (`anthropic/`, `us.anthropic.`), but no others, because `ollama/` runs a model locally; without marks of context (`[1m]`)
 * or platform version (`-v1:0`); without a compact date (`-20250929`, `@20250929`) or `-latest`. A date with dashes stays:
 * snapshots of an OpenAI name can differ in price. Never a shorter name: the price of `claude-sonnet-5` is not that of
 * `claude-sonnet-5-5`.
 */
export function findPrice(table: PriceTable, model: string): ModelPrice | undefined {
  let name = model.trim().toLowerCase();
  const steps: readonly ((text: string) => string)[] = [
    (text) => text,
    withoutProvider,
    (text) => text.replace(/^(?:[a-z-]+\.)?anthropic\./, ''),
    (text) => text.replace(/\[[^\]]*\]$/, ''),
    (text) => text.replace(/-v\d+(?::\d+)?$/, ''),
    (text) => text.replace(/[-@]\d{8}$/, ''),
    (text) => text.replace(/-latest$/, ''),
  ];
  for (const step of steps) {
    name = step(name);
    const known = Object.hasOwn(table.aliases, name) ? (table.aliases[name] ?? name) : name;
    if (Object.hasOwn(table.models, known)) return table.models[known];
  }
  return undefined;
}

/** Prefixes of providers that charge the list price. */
const listPriced = new Set(
  'anthropic openai google gemini google-ai-studio googleai vertex vertex_ai vertexai google-vertex bedrock openrouter'
    .concat(' google-vertex-anthropic amazon-bedrock azure azure-openai publishers models')
    .split(' '),
);

function withoutProvider(name: string): string {
  const parts = name.split('/');
  const model = parts.pop() ?? name;
  return parts.every((part) => listPriced.has(part)) ? model : name;
}

/** Input tokens of a request, or a sum over requests. */
function inputOf(usage: TokenUsage): number {
  return (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/** US dollars for one request, exact to `1e-12`. */
export function priceOfRequest(usage: TokenUsage, price: ModelPrice, terms: readonly string[] = []): number {
  const { long } = price;
  const sized = long === undefined || inputOf(usage) <= long.over ? price : withRates(price, long.rates);
  return priceOf(
    usage,
    terms.reduce((rates, term) => withRates(rates, termRates(price, term) ?? {}), sized),
  );
}

function withRates(price: ModelPrice, { input = price.input, output = price.output, ...others }: PartialRates) {
  return { ...price, ...others, input, output };
}

function termRates({ terms = {} }: ModelPrice, term: string): PartialRates | undefined {
  return Object.hasOwn(terms, term) ? terms[term] : undefined;
}

/** What `price` does not cover, so that a request may cost something else: one sentence each. */
export function missingRateReasons(usage: TokenUsage, price: ModelPrice, terms: readonly string[] = []): string[] {
  const unknown = terms.filter((term) => termRates(price, term) === undefined);
  return [
    ...unknown.map((term) => `The price table has no rate for ${termName(term)}: standard rates were used.`),
    ...((usage.webSearches ?? 0) > 0 && price.webSearch === undefined
      ? ['The price table has no rate for web searches: they are not included.']
      : []),
  ];
}

function termName(term: string): string {
  if (term === 'code_execution') return 'code execution on the server';
  return term.startsWith('geo:') ? `inference in the region “${term.slice(4)}”` : `the service tier “${term}”`;
}

/** The sentence for a sum over unknown requests, one of which may have been long. */
export function longContextReason(usage: TokenUsage, model: string, { long }: ModelPrice): string | undefined {
  if (long === undefined || inputOf(usage) <= long.over) return undefined;
  const over = englishNumbers.count(long.over);
  return `The agent reports only totals, and requests to ${model} with more than ${over} input tokens cost more, so this is a minimum.`;
}

/** US dollars for a sum over requests, none of them long; exact to `1e-12`. */
export function priceOf(usage: TokenUsage, price: ModelPrice): number {
  const write = price.cacheWrite ?? price.input;
  const hour = Math.min(usage.cacheWrite1h ?? 0, usage.cacheWrite ?? 0);
  const perMillion =
    (usage.input ?? 0) * price.input +
    (usage.output ?? 0) * price.output +
    (usage.cacheRead ?? 0) * (price.cacheRead ?? price.input) +
    ((usage.cacheWrite ?? 0) - hour) * write +
    hour * (price.cacheWrite1h ?? write);
  const searches = ((usage.webSearches ?? 0) * (price.webSearch ?? 0)) / 1000;
  return cleanUsd(perMillion / 1e6 + searches);
}

/** No tokens that cost anything. */
export function isEmptyUsage(usage: TokenUsage): boolean {
  return totalTokens(usage) === 0 && (usage.webSearches ?? 0) === 0;
}

/**
 * The minimum cost of a run by the price table: its messages whose model has a price; `usd` is `null` if none has.
 * `unpriced`: the first model without a price.
 */
export function pricedPart(
  { messages, model }: RunFacts,
  prices: PriceTable,
): { readonly usd: number | null; readonly unpriced?: string } {
  let usd: number | null = null;
  let unpriced: string | undefined;
  for (const { usage, terms, model: own } of messages) {
    const name = own ?? model;
    if (name === null || isEmptyUsage(usage)) continue;
    const price = findPrice(prices, name);
    if (price === undefined) unpriced ??= name;
    else usd = addUsd(usd ?? 0, priceOfRequest(usage, price, terms));
  }
  return { usd, ...(unpriced !== undefined && { unpriced }) };
}
