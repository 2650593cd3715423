/**
 * Writes src/insight/prices/prices.json from the `@pydantic/genai-prices` package: `node
 * test/support/package/makePrices.ts`. Run it after an update of that package, with its publication date below.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { findProvider, type MatchLogic, type ModelPrice, type TieredPrices } from '@pydantic/genai-prices';
import * as z from 'zod';

/** Publication date of the pinned version, which dates its prices. */
const publication = { version: '0.1.8', date: '2026-09-23' };
const providers = ['anthropic', 'openai', 'google'];
/** Open models have no standard price: each provider sets its own, and many users run them locally. */
const openModels = /^(?:gpt-oss|gemma|codegemma)/;
const target = path.join(import.meta.dirname, '../../../src/insight/prices/prices.json');

const rates = {
  input: 'input_mtok',
  output: 'output_mtok',
  cacheRead: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
  cacheWrite1h: 'cache_write_1h_mtok',
  webSearch: 'web_searches_kcount',
} as const;

type Prices = Record<string, number | { over: number; rates: Record<string, number> }>;

/**
 * Model names of a price. The package matches by prefix, so that `claude-sonnet-5` would match `claude-sonnet-5-5`.
 * Here, a prefix is a complete name.
 */
function namesOf(id: string, match: MatchLogic): string[] {
  const found = [id];
  const visit = (logic: MatchLogic): void => {
    if ('or' in logic) logic.or.forEach(visit);
    else if ('equals' in logic) found.push(logic.equals);
    else if ('starts_with' in logic) found.push(logic.starts_with);
  };
  visit(match);
  const whole = found.filter((name) => /^[a-z][a-z0-9.-]*[a-z0-9]$/.test(name) && !/-20\d\d$/.test(name));
  // Dates with dashes stay: snapshots of one name may differ in price.
  return whole.map((name) => name.replace(/-latest$/, '').replace(/-\d{8}$/, ''));
}

function ratesOf(price: ModelPrice): Prices | null {
  const own: Prices = {};
  const tiered: Record<string, number> = {};
  let over: number | undefined;
  for (const [name, key] of Object.entries(rates)) {
    const rate: number | TieredPrices | undefined = price[key];
    if (rate === undefined) continue;
    if (typeof rate === 'number') {
      own[name] = rate;
      continue;
    }
    own[name] = rate.base;
    const [tier, secondTier] = rate.tiers;
    if (tier === undefined) continue;
    if (secondTier !== undefined || (over !== undefined && over !== tier.start))
      throw new Error(`Unexpected tiers of ${name}`);
    over = tier.start;
    tiered[name] = tier.price;
  }
  if (own['input'] === undefined || own['output'] === undefined) return null;
  return over === undefined ? own : { ...own, long: { over, rates: tiered } };
}

function current(prices: ReturnType<typeof modelsOf>[number]['prices']): ModelPrice {
  if (!Array.isArray(prices)) return prices;
  const valid = prices.filter(({ constraint }) => {
    if (constraint === undefined) return true;
    return constraint.type === 'start_date' && constraint.start_date <= publication.date;
  });
  const last = valid.at(-1);
  if (last === undefined) throw new Error('No price without a time of day.');
  return last.prices;
}

function modelsOf(id: string) {
  const provider = findProvider({ providerId: id });
  if (provider === undefined) throw new Error(`No provider ${id}`);
  return provider.models;
}

const manifest: unknown = JSON.parse(
  readFileSync(
    path.join(path.dirname(createRequire(import.meta.url).resolve('@pydantic/genai-prices')), '../package.json'),
    'utf8',
  ),
);
const { version } = z.object({ version: z.string() }).parse(manifest);
if (version !== publication.version) throw new Error(`Version ${version} is installed: set its publication date here.`);

const models: Record<string, Prices> = {};
const aliases: Record<string, string> = {};
for (const provider of providers) {
  for (const { id, match, prices } of modelsOf(provider)) {
    const own = ratesOf(current(prices));
    const [name, ...others] = new Set(namesOf(id, match));
    // A model's own provider has priority over resellers.
    if (own === null || name === undefined || openModels.test(name) || name in models || name in aliases) continue;
    models[name] = own;
    for (const other of others) if (!(other in models)) aliases[other] ??= name;
  }
}
const table = { name: `genai-prices ${version}`, date: publication.date, models, aliases };
writeFileSync(target, `${JSON.stringify(table, undefined, 2)}\n`);
console.log(`${Object.keys(models).length} models, ${Object.keys(aliases).length} more names: ${target}`);
