// The facts and words of a product, from what the catalogue, its history and its sales say.
import { hash } from 'node:crypto';
import type { Product } from '../catalog/product.ts';
import { totalUnits } from '../history/as-of.ts';
import { eachDay } from '../sales/packed-days.ts';
import { FACT_NAMES, type FactName, type FactValues, storedFact } from './fact.ts';
import type { ProductFacts, StoredFacts } from './product-facts.ts';
import { NO_RANK_BAND, type ProductWords } from './product-words.ts';
import type { RecentHistory } from './recent-history.ts';
import { categoryKeys, textKey, wordsOf } from './word.ts';

export function factsOf(
  product: Product,
  input: { history: RecentHistory; unitsPerDay: number | null; nowMs: number },
): ProductFacts {
  const { code, buybox, rank, offers } = product;
  const { observedPart90d, ...recent } = input.history.facts({
    price: buybox?.priceCents ?? null,
    rank,
  });
  const values: Record<FactName, number | null> = {
    ...recent,
    price: buybox === null ? null : buybox.priceCents / 100,
    rank: rank?.position ?? null,
    sellers: offers.filter(({ unitsInStock }) => unitsInStock !== 0).length,
    stock: totalUnits(offers),
    rating: product.customerRating,
    reviews: product.reviewCount,
    units_per_day: input.unitsPerDay,
  };
  const seller = buybox?.sellerName ?? null;
  return {
    code,
    tie: rank === null ? tieWithoutRank(code) : Math.min(rank.position, RANK_TIE_MAX),
    brandKey: product.brand === null ? null : textKey(product.brand),
    buyboxSellerKey: seller === null ? null : textKey(seller),
    buyboxSeller: seller,
    categoryKeys: categoryKeys(product.categories),
    values: Object.fromEntries(
      FACT_NAMES.map((name) => [name, storedFact(name, values[name])]),
    ) as FactValues,
    observed90d: Math.round(observedPart90d * 10_000),
    observedAtMs: product.observedAtMs,
    refreshedAtMs: input.nowMs,
  };
}

const RANK_TIE_MAX = 1_000_000_000;

/** Above all ranks, and different for nearly all products, so that no large group is sorted. */
const tieWithoutRank = (code: string) =>
  RANK_TIE_MAX + 1 + (hash('sha256', code, 'buffer').readUInt32BE(1) % 1_000_000_000);

/** Ranks move with every observation; a smaller move is not worth writing all indexes. */
const RANK_MOVE_PART = 0.03;
const RANK_CHANGE_MOVE = 300;

/** Whether new facts differ so little from the stored ones that these stay. */
export function isNearlySame(stored: StoredFacts | undefined, facts: ProductFacts): boolean {
  if (stored === undefined || stored.buyboxSeller !== facts.buyboxSeller) return false;
  return FACT_NAMES.every((name) => {
    const [before, after] = [stored.values[name], facts.values[name]];
    if (before === after) return true;
    if (before === null || after === null || !name.startsWith('rank')) return false;
    const move = Math.abs(after - before);
    return move <= (name === 'rank' ? before * RANK_MOVE_PART : RANK_CHANGE_MOVE);
  });
}

const WORDS_MAX = 100;

/** The words of name, brand and categories; the code and GTIN are found by their keys. */
export function productWords(product: Product): ProductWords {
  const text = [product.name, product.brand, ...product.categories].filter(Boolean).join(' ');
  const position = product.rank?.position;
  return {
    code: product.code,
    words: wordsOf(text, WORDS_MAX),
    rankBand: position === undefined ? NO_RANK_BAND : 31 - Math.clz32(position),
  };
}

/** The daily mean of the estimates of the last 30 days; null without any. */
export function unitsPerDay(years: readonly Buffer[], today: number): number | null {
  let units = 0;
  let days = 0;
  for (const packed of years.slice(-2)) {
    eachDay(packed, (day, estimate) => {
      if (day < today - 30 || day >= today) return;
      units += estimate.units;
      days += 1;
    });
  }
  return days === 0 ? null : units / days;
}
