// Prints how the prices of the simulated marketplace change, for comparison with recorded markets.
// Usage: node scripts/market-statistics.ts. Figures: docs/decisions/0021-mix-of-trades.md.
import { realClock } from '../src/foundation/clock.ts';
import { DAY_MS } from '../src/foundation/time.ts';
import { LEAVES, type Pricing } from '../src/sources/simulated/shelf.ts';
import { createSimulatedSource } from '../src/sources/simulated/simulated-source.ts';

const DAYS = 260;
const PRODUCTS_EACH = 500;
const START_MS = Date.UTC(2025, 9, 1, 12);
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const source = createSimulatedSource({ clock: realClock });

for (const kind of ['repriced', 'promoted', 'steady', 'all'] as const) print(kind);

function print(kind: Pricing['kind'] | 'all'): void {
  const counts = { changes: 0, back: 0, still: 0, products: 0, pairs: 0 };
  const sizes: number[] = [];
  const byWeekday = new Array<number>(7).fill(0);
  const stock = { offers: 0, unknown: 0, bulkDays: 0, days: 0 };
  for (let index = 0; counts.products < PRODUCTS_EACH; index += 61) {
    const { code, leaf } = source.productAt(index);
    if (kind !== 'all' && leaf.pricing.kind !== kind) continue;
    counts.products++;
    count(code, counts, sizes, byWeekday);
    if (kind === 'all') countStock(code, stock);
  }
  sizes.sort((a, b) => a - b);
  const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
  const busiest = byWeekday.indexOf(Math.max(...byWeekday));
  console.log(
    `${kind} (${LEAVES.filter(({ pricing }) => kind === 'all' || pricing.kind === kind).length} categories)`,
  );
  console.log(`  products whose price changes in a day   ${percent(counts.changes, counts.pairs)}`);
  console.log(
    `  median change                           ${((sizes[sizes.length >> 1] ?? 0) * 100).toFixed(1)} %`,
  );
  console.log(`  changes that lead back                  ${percent(counts.back, counts.changes)}`);
  console.log(
    `  products that never change              ${percent(counts.still, counts.products)}`,
  );
  console.log(
    `  changes on the busiest weekday          ${percent(byWeekday[busiest] as number, counts.changes)} (${WEEKDAYS[busiest]})`,
  );
  if (kind !== 'all') return;
  console.log(`  offers with an unknown count            ${percent(stock.unknown, stock.offers)}`);
  console.log(`  days above five times the median sales  ${percent(stock.bulkDays, stock.days)}`);
}

/** Compares the buybox price at noon of each day with the day before. */
function count(
  code: string,
  counts: { changes: number; back: number; still: number; pairs: number },
  sizes: number[],
  byWeekday: number[],
): void {
  let last: number | undefined;
  let beforeLast: number | undefined;
  let changes = 0;
  for (let day = 0; day < DAYS; day++) {
    const atMs = START_MS + day * DAY_MS;
    const cents = source.snapshotAt(code, atMs)?.buybox?.priceCents;
    if (cents === undefined) continue;
    if (last !== undefined) counts.pairs++;
    if (last !== undefined && cents !== last) {
      changes++;
      sizes.push(Math.abs(cents / last - 1));
      const weekday = new Date(atMs).getUTCDay();
      byWeekday[weekday] = (byWeekday[weekday] as number) + 1;
      if (cents === beforeLast) counts.back++;
      beforeLast = last;
    }
    last = cents;
  }
  counts.changes += changes;
  if (changes === 0) counts.still++;
}

function countStock(
  code: string,
  stock: { offers: number; unknown: number; bulkDays: number; days: number },
): void {
  const { offers = [] } = source.snapshotAt(code, START_MS) ?? {};
  stock.offers += offers.length;
  stock.unknown += offers.filter(({ unitsInStock }) => unitsInStock === null).length;
  const sales = source.trueDailySales(code, START_MS, START_MS + DAYS * DAY_MS);
  const median = sales.toSorted((a, b) => a - b)[DAYS >> 1] ?? 0;
  if (median < 1) return;
  stock.days += sales.length;
  stock.bulkDays += sales.filter((sold) => sold > 5 * median).length;
}
