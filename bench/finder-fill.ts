// A catalogue of invented facts and words, written by COPY: a million products in a minute.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ConnectionSettings } from '../src/database/database.ts';
import { lane } from '../src/database/families.ts';
import { FACT_NAMES, type FactName } from '../src/search/fact.ts';
import { categoryKeys, textKey } from '../src/search/word.ts';

const MAIN_CATEGORIES = 20;
const PER_CATEGORY = 20;
const LEAVES_PER_CATEGORY = 10;
const BRANDS = 20_000;
const SELLERS = 3_000;
const THINGS = ['kettle', 'lamp', 'grinder', 'bottle', 'blanket', 'speaker', 'puzzle', 'knife'];
const STYLES = ['steel', 'black', 'navy', 'wooden', 'matte', 'folding', 'travel', 'family'];

export const mainCategory = (index: number) => `Department ${index % MAIN_CATEGORIES}`;
export const middleCategory = (index: number) =>
  `Shelf ${index % (MAIN_CATEGORIES * PER_CATEGORY)}`;
export const leafCategory = (index: number) =>
  `Kind ${index % (MAIN_CATEGORIES * PER_CATEGORY * LEAVES_PER_CATEGORY)}`;
export const brand = (index: number) => `Brand ${index % BRANDS}`;

/** The same numbers in every run: a linear congruential generator. */
function repeatable(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Product = { code: string; path: string[]; brand: string; rank: number | null; name: string };

function productAt(index: number, random: () => number): Product {
  // Multiplied by primes, so that categories, brands and codes are independent of each other.
  const leaf = (index * 7_919) % (MAIN_CATEGORIES * PER_CATEGORY * LEAVES_PER_CATEGORY);
  const middle = leaf % (MAIN_CATEGORIES * PER_CATEGORY);
  const maker = (index * 104_729) % BRANDS;
  const word = (list: readonly string[]) => list[Math.floor(random() * list.length)] as string;
  return {
    code: String(500_000_000 + index),
    path: [mainCategory(middle), middleCategory(middle), leafCategory(leaf)],
    brand: brand(maker),
    rank: random() < 0.95 ? 1 + Math.floor(random() * 2_500) : null,
    name: `Maker${maker} ${word(STYLES)} ${word(STYLES)} ${word(THINGS)} model${index % 50_000}`,
  };
}

/** Skewed as facts are: most products sell little, have few reviews and seldom change. */
function valuesOf(rank: number | null, random: () => number): Record<FactName, number | null> {
  const often = (part: number, value: () => number) => (random() < part ? Math.round(value()) : 0);
  const change = (part: number) => often(part, () => (random() - 0.5) * 8_000);
  const hasBox = random() < 0.97;
  const price = hasBox ? Math.round(300 + 1_000 * Math.exp(random() * 4)) : null;
  const moved = (part: number) => (hasBox && random() < 0.9 ? change(part) : null);
  const ranked = () => (rank !== null && random() < 0.9 ? change(0.95) : null);
  return {
    price,
    price_change_1d: moved(0.1),
    price_change_7d: moved(0.3),
    price_change_30d: moved(0.6),
    price_change_90d: moved(0.8),
    rank,
    rank_change_1d: ranked(),
    rank_change_7d: ranked(),
    rank_change_30d: ranked(),
    rank_change_90d: ranked(),
    sellers: 1 + Math.floor(random() ** 3 * 20),
    stock: random() < 0.8 ? Math.round(random() ** 4 * 2_000) : null,
    rating: random() < 0.8 ? 100 + Math.round(400 * Math.sqrt(random())) : null,
    reviews: random() < 0.9 ? Math.round(Math.exp(random() * 10)) : null,
    units_per_day: rank === null ? null : Math.round((50_000 / rank) * random()),
    out_of_stock_30d: often(0.3, () => random() ** 3 * 10_000),
    out_of_stock_90d: often(0.4, () => random() ** 3 * 10_000),
    lowest_in_days: hasBox ? Math.min(365, Math.round(random() ** 3 * 500)) : null,
  };
}

const keys = new Map<string, string>();
const keyOf = (text: string) => {
  const cached = keys.get(text);
  if (cached !== undefined) return cached;
  const key = textKey(text);
  keys.set(text, key);
  return key;
};
const pathKeys = new Map<string, string>();
const keysOf = (path: readonly string[]) => {
  const name = path.join('>');
  const cached = pathKeys.get(name);
  if (cached !== undefined) return cached;
  const text = `{${categoryKeys(path).join(',')}}`;
  pathKeys.set(name, text);
  return text;
};

const OBSERVED_AT = '2026-11-15T12:00:00Z';
const tsv = (cells: readonly (string | number | null)[]) =>
  `${cells.map((cell) => cell ?? '\\N').join('\t')}\n`;

function* factLines(count: number): Generator<string> {
  const random = repeatable();
  for (let index = 0; index < count; index++) {
    const product = productAt(index, random);
    const values = valuesOf(product.rank, random);
    const seller = values.price === null ? null : `Seller ${Math.floor(random() * SELLERS)}`;
    yield tsv([
      lane(product.code),
      product.code,
      product.rank ?? 1_000_000_001 + index,
      keyOf(product.brand),
      seller === null ? null : keyOf(seller),
      keysOf(product.path),
      seller,
      ...FACT_NAMES.map((name) => values[name]),
      10_000,
      OBSERVED_AT,
      OBSERVED_AT,
    ]);
  }
}

function* wordLines(count: number): Generator<string> {
  const random = repeatable();
  for (let index = 0; index < count; index++) {
    const { code, name, path, rank } = productAt(index, random);
    valuesOf(rank, random);
    const words = new Set(`${name} ${path.join(' ')}`.toLowerCase().split(' '));
    const vector = [...words].map((word) => `'${word}'`).join(' ');
    const band = rank === null ? 32 : 31 - Math.clz32(rank);
    yield tsv([lane(code), code, vector, band]);
  }
}

/** As many words as a large catalogue has, of six letters. */
function* vocabularyLines(): Generator<string> {
  const random = repeatable();
  const words = new Set([...THINGS, ...STYLES, 'department', 'shelf', 'kind']);
  const letter = () => String.fromCharCode(97 + Math.floor(random() * 26));
  while (words.size < 70_000) words.add(Array.from({ length: 6 }, letter).join(''));
  for (const word of words) yield tsv([lane(word), word]);
}

/** Lines in chunks: one write per line takes twice as long. */
function* inChunks(lines: Iterable<string>): Generator<string> {
  let chunk: string[] = [];
  for (const line of lines) {
    chunk.push(line);
    if (chunk.length < 1_000) continue;
    yield chunk.join('');
    chunk = [];
  }
  yield chunk.join('');
}

/** Fills the tables without their indexes and builds these afterwards, which is faster. */
export async function fillFinder(connection: ConnectionSettings, count: number): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const copy = async (table: string, columns: string, lines: Iterable<string>) => {
      const { rows: indexes } = await client.query<{ name: string; text: string }>(
        `select indexname as name, indexdef as text from pg_indexes
          where tablename = $1 and indexname not like '%pkey'`,
        [table],
      );
      for (const { name } of indexes) await client.query(`drop index ${name}`);
      const stream = client.query(copyFrom(`copy ${table} (${columns}) from stdin`));
      await pipeline(Readable.from(inChunks(lines)), stream);
      for (const { text } of indexes) await client.query(text);
      await client.query(`vacuum analyze ${table}`);
    };
    const facts = `lane, retailer_product_code, tie, brand_key, buybox_seller_key, category_keys,
      buybox_seller, ${FACT_NAMES.join(', ')}, observed_90d, observed_at, refreshed_at`;
    await copy('product_facts', facts, factLines(count));
    await copy('product_words', 'lane, retailer_product_code, words, rank_band', wordLines(count));
    await copy('search_words', 'lane, word', vocabularyLines());
  } finally {
    await client.end();
  }
}
