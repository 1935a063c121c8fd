// Pages of the finder and of search over a million products: the median of each typical question,
// 99 % of all of them, and the questions that read the most.
import { createProducts } from '../src/catalog/read-batched.ts';
import { FACT_NAMES, type FactName, storedRange, usualSign } from '../src/search/fact.ts';
import { findProducts } from '../src/search/find-products.ts';
import type { FactFilters, FactPlace, FactQuery } from '../src/search/product-facts.ts';
import { createProductSearch } from '../src/search/search-products.ts';
import { textKey } from '../src/search/word.ts';
import { type Bench, type Measure, measured } from './figure.ts';
import { brand, fillFinder, leafCategory, mainCategory, middleCategory } from './finder-fill.ts';

const PRODUCTS = 1_000_000;
const ROUNDS = 40;
const MEDIAN_MAX_MS = 50;
const PAGE = 51;

type Ranges = Partial<Record<FactName, { min?: number; max?: number }>>;
type Question = {
  ranges?: Ranges;
  categories?: string[];
  brands?: string[];
  sort?: FactName;
  isReversed?: boolean;
};
/** Each round asks with other values, so that no page is read twice. */
type QuestionOf = (round: number) => Question;

const TYPICAL: Readonly<Record<string, QuestionOf>> = {
  'category and price, best rank': (n) => ({
    categories: [middleCategory(n * 7)],
    ranges: { price: { min: 10 + n / 10, max: 40 } },
  }),
  'department and price, most sold': (n) => ({
    categories: [mainCategory(n)],
    ranges: { price: { min: 15 + n / 10, max: 60 } },
    sort: 'units_per_day',
  }),
  'price fell by 20 % in 30 days, good rank': (n) => ({
    ranges: { price_change_30d: { max: -20 - n / 10 }, rank: { max: 500 } },
    sort: 'price_change_30d',
  }),
  'few sellers, good sales, few reviews': (n) => ({
    ranges: { sellers: { max: 3 }, units_per_day: { min: 2 + n / 10 }, reviews: { max: 100 } },
    sort: 'units_per_day',
  }),
  'lowest price in 90 days': (n) => ({
    ranges: { lowest_in_days: { min: 90 }, rank: { max: 1000 }, price: { min: 10 + n / 10 } },
  }),
  'one brand, most sold': (n) => ({ brands: [brand(n * 31)], sort: 'units_per_day' }),
  'often out of stock, good rank': (n) => ({
    ranges: { out_of_stock_30d: { min: 30 + n / 10 }, rank: { max: 200 } },
    sort: 'out_of_stock_30d',
  }),
  'rank improved by half in a week': (n) => ({
    ranges: { rank_change_7d: { max: -30 - n / 10 }, price: { min: 20 } },
    sort: 'rank_change_7d',
  }),
  'well rated with many reviews in a category': (n) => ({
    categories: [middleCategory(n * 11)],
    ranges: { rating: { min: 4.5 }, reviews: { min: 500 + n } },
    sort: 'reviews',
  }),
  'small category, cheapest first': (n) => ({
    categories: [leafCategory(n * 13)],
    sort: 'price',
  }),
  'everything by best rank': () => ({}),
};

const WORST: Readonly<Record<string, QuestionOf>> = {
  'everything, without the fact that is sorted by': () => ({ sort: 'rating', isReversed: true }),
  'two filters that nothing matches both': (n) => ({
    ranges: { price: { min: 540 }, lowest_in_days: { min: 300 }, stock: { min: 1990 - n / 10 } },
  }),
  'ten filters that match half each': (n) => ({
    ranges: {
      price: { min: 20 + n / 10 },
      rank: { max: 1250 },
      sellers: { min: 2 },
      stock: { min: 100 },
      rating: { min: 3.8 },
      reviews: { min: 150 },
      units_per_day: { min: 0.3 },
      price_change_30d: { max: -1 },
      rank_change_30d: { max: 0 },
      out_of_stock_90d: { max: 0 },
    },
    sort: 'price_change_90d',
  }),
  'a filter that contradicts the sort': (n) => ({
    ranges: { units_per_day: { max: 0.02 + n / 1e4 } },
    sort: 'rank',
  }),
  'a category sorted by a fact most share': (n) => ({
    categories: [leafCategory(n * 17)],
    sort: 'price_change_1d',
  }),
};

const SEARCHES: Readonly<Record<string, (round: number) => string>> = {
  'two frequent words': (n) => `${['steel', 'navy', 'matte'][n % 3]} kettle`,
  'frequent and rare word': (n) => `kettle maker${n * 17}`,
  'start of a word': (n) => `wooden pu${n % 2 ? 'zz' : ''}`,
  'a word with a typing error': (n) => `${['ketle', 'speeker', 'grnider'][n % 3]} maker${n * 8}`,
};

function queryOf({ ranges = {}, categories, brands, sort = 'rank', isReversed }: Question) {
  const filters: FactFilters = {
    ranges: Object.fromEntries(
      Object.entries(ranges).map(([name, range]) => [name, storedRange(name as FactName, range)]),
    ),
    categoryKeys: categories?.map(textKey) ?? null,
    brandKeys: brands?.map(textKey) ?? null,
    buyboxSellerKeys: null,
    hasBuybox: null,
  };
  const isDescending = usualSign(sort) < 0 !== (isReversed ?? false);
  return { filters, sort: { by: sort, isDescending }, after: null, limit: PAGE } as FactQuery;
}

const at = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;

async function time(run: (round: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now();
    await run(round);
    times.push(performance.now() - startedMs);
  }
  return times.sort((a, b) => a - b);
}

const report = (name: string, times: readonly number[]) =>
  process.stdout.write(
    `  ${name}: median ${at(times, 0.5).toFixed(1)} ms, 99 % ${at(times, 0.99).toFixed(1)} ms\n`,
  );

export async function finderBench({ db, connection }: Bench): Promise<Measure[]> {
  const startedMs = performance.now();
  await fillFinder(connection, PRODUCTS);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  process.stdout.write(`  ${PRODUCTS} products filled in ${seconds} s\n`);
  const timesOf = async (questions: Readonly<Record<string, QuestionOf>>) => {
    const all: number[] = [];
    for (const [name, ask] of Object.entries(questions)) {
      let cancelled = 0;
      const times = await time((round) =>
        findProducts({ db }, queryOf(ask(round))).catch((error: { code?: unknown }) => {
          if (error.code !== 'search_too_slow') throw error;
          cancelled += 1;
        }),
      );
      report(cancelled === 0 ? name : `${name}, ${cancelled} of ${ROUNDS} cancelled`, times);
      all.push(...times);
    }
    return all.sort((a, b) => a - b);
  };
  const typical = await timesOf(TYPICAL);
  process.stdout.write('  the worst:\n');
  await timesOf(WORST);
  const deep = await deepPage({ db });
  report('page 200 of everything', await time(() => findProducts({ db }, deep)));
  const search = createProductSearch({ db, products: createProducts(db) });
  process.stdout.write('  search:\n');
  const searched: number[] = [];
  for (const [name, textOf] of Object.entries(SEARCHES)) {
    const times = await time((n) => search({ text: textOf(n), after: null, limit: 21 }));
    report(name, times);
    searched.push(...times);
  }
  searched.sort((a, b) => a - b);
  await reportWrites({ db });
  return [
    measured({
      name: 'finder median ms',
      value: at(typical, 0.5),
      atMost: MEDIAN_MAX_MS,
      goal: 20,
    }),
    measured({ name: 'finder 99 % ms', value: at(typical, 0.99), atMost: 2 * MEDIAN_MAX_MS }),
    measured({ name: 'search median ms', value: at(searched, 0.5), atMost: MEDIAN_MAX_MS }),
  ];
}

async function deepPage({ db }: Pick<Bench, 'db'>): Promise<FactQuery> {
  const [after] = await db.query<FactPlace>(
    `select sellers as value, tie, retailer_product_code as code from product_facts
      order by sellers, tie, retailer_product_code offset 10000 limit 1`,
  );
  if (after === undefined) throw new Error('no page 200');
  return { ...queryOf({ sort: 'sellers' }), after };
}

const WRITES = 1_000;

/** What one changed product writes: all indexes of its facts. */
async function reportWrites({ db }: Pick<Bench, 'db'>): Promise<void> {
  const position = async () =>
    (await db.query<{ bytes: number }>(`select pg_current_wal_lsn() - '0/0' as bytes`))[0]?.bytes;
  const before = Number(await position());
  const startedMs = performance.now();
  await db.query(
    `update product_facts set price = price + 1, ${FACT_NAMES[1]} = 77
      where retailer_product_code in (
        select retailer_product_code from product_facts order by tie limit ${WRITES})`,
  );
  const tookMs = performance.now() - startedMs;
  const bytes = Number(await position()) - before;
  process.stdout.write(
    `  a changed product: ${Math.round(bytes / WRITES)} bytes of WAL, ${((tookMs * 1000) / WRITES).toFixed(0)} µs\n`,
  );
}
