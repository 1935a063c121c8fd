// The identity of a product: code, GTIN, name and category, all derived from its index and back.
import { checkDigit } from '../../catalog/gtin.ts';
import type { SellerType } from '../../catalog/snapshot.ts';
import { between, mix, pick, share } from './mix.ts';
import { POSITIONS } from './popularity.ts';
import { LEAVES, type Leaf } from './shelf.ts';
import { BRANDS_PER_MAIN, brandName, COLORS, FIRST_EAN_BRAND, LINES } from './wording.ts';

export const PRODUCT_COUNT = LEAVES.length * POSITIONS;

export type Listing = {
  index: number;
  code: string;
  /** GTIN-14. */
  gtin: string;
  brand: string;
  name: string;
  leaf: Leaf;
  leafIndex: number;
  /** The long-term position among the products of its leaf; 0 sells most. */
  baseRank: number;
  weightLb: number;
  sellerType: SellerType;
  /** What the product usually costs; sellers and shoppers compare with it. */
  usualCents: number;
};

// A code is 5 followed by the index times CODE_FACTOR modulo 10^8: neighbours seem unrelated, and
// multiplying by the modular inverse gives the index back.
const CODE_SPAN = 100_000_000;
const CODE_FACTOR = 61_803_399;
const CODE_INVERSE = inverse(CODE_FACTOR, CODE_SPAN);
const CODE_SHIFT = 27_182_818;

// The same for the company part of a GTIN (one per brand and leaf) and for the item part.
const PART_SPAN = 100_000;
const PART_FACTOR = 31_847;
const PART_INVERSE = inverse(PART_FACTOR, PART_SPAN);
const PART_SHIFT = 1_234;

/** Names, codes and GTINs do not depend on the seed, so that examples keep working. */
const NAMING = 0x0ddba11;

function inverse(factor: number, span: number): number {
  let [a, b, x, y] = [factor, span, 1, 0];
  while (b !== 0) {
    const times = Math.floor(a / b);
    [a, b, x, y] = [b, a - times * b, y, x - times * y];
  }
  return ((x % span) + span) % span;
}

/** a × b modulo 10^8; `a` is split because the product would not be exact. */
function timesModulo(a: number, b: number): number {
  const high = Math.floor(a / 10_000);
  const low = a % 10_000;
  return (((((high * b) % CODE_SPAN) * 10_000) % CODE_SPAN) + low * b) % CODE_SPAN;
}

export function codeOf(index: number): string {
  return String(5 * CODE_SPAN + ((timesModulo(index, CODE_FACTOR) + CODE_SHIFT) % CODE_SPAN));
}

/** null: no product has this code. */
export function indexOfCode(code: string): number | null {
  if (!/^5[0-9]{8}$/.test(code)) return null;
  const shifted = (Number(code) % CODE_SPAN) - CODE_SHIFT;
  const index = timesModulo((shifted + CODE_SPAN) % CODE_SPAN, CODE_INVERSE);
  return index < PRODUCT_COUNT ? index : null;
}

const scatter = (part: number) => (part * PART_FACTOR + PART_SHIFT) % PART_SPAN;
const gather = (part: number) => ((part - PART_SHIFT + PART_SPAN) * PART_INVERSE) % PART_SPAN;
const fiveDigits = (part: number) => String(part).padStart(5, '0');

function brandSlot(leafIndex: number, baseRank: number): number {
  return mix(NAMING + leafIndex, baseRank) % BRANDS_PER_MAIN;
}

function gtinOf(leafIndex: number, baseRank: number): string {
  const slot = brandSlot(leafIndex, baseRank);
  const company = fiveDigits(scatter(leafIndex * BRANDS_PER_MAIN + slot));
  const prefix = slot < FIRST_EAN_BRAND ? '008' : '040';
  const first13 = `${prefix}${company}${fiveDigits(scatter(baseRank))}`;
  return `${first13}${checkDigit(first13)}`;
}

/** null: no product has this GTIN-14. */
export function indexOfGtin(gtin: string): number | null {
  if (!/^0(08|40)[0-9]{11}$/.test(gtin)) return null;
  const company = gather(Number(gtin.slice(3, 8)));
  const baseRank = gather(Number(gtin.slice(8, 13)));
  const leafIndex = Math.floor(company / BRANDS_PER_MAIN);
  if (leafIndex >= LEAVES.length || baseRank >= POSITIONS) return null;
  return gtinOf(leafIndex, baseRank) === gtin ? baseRank * LEAVES.length + leafIndex : null;
}

/** The best sellers of all leaves have the first indexes, then the second best, and so on. */
export function listingOf(index: number): Listing {
  const leafIndex = index % LEAVES.length;
  const baseRank = Math.floor(index / LEAVES.length);
  const leaf = LEAVES[leafIndex] as Leaf;
  const key = mix(NAMING, index);
  const brand = brandName(leaf.main, brandSlot(leafIndex, baseRank));
  const model = `${pick(key, 1, LINES)} ${between(key, 2, [2, 98]) * 5}`;
  const [low, high] = leaf.priceCents;
  const [light, heavy] = leaf.weightLb;
  const size = share(key, 7);
  return {
    index,
    code: codeOf(index),
    gtin: gtinOf(leafIndex, baseRank),
    brand,
    name: `${brand} ${model} ${pick(key, 3, leaf.nouns)}, ${pick(key, 4, leaf.sizes)}, ${pick(key, 5, COLORS)}`,
    leaf,
    leafIndex,
    baseRank,
    weightLb: Math.round((light + (heavy - light) * size) * 10) / 10,
    sellerType: sellerTypeOf(share(key, 6)),
    // Uniform on a logarithmic scale: many cheap products, few expensive ones; heavier ones cost
    // more.
    usualCents: Math.round(low * (high / low) ** (0.6 * share(key, 8) + 0.4 * size)),
  };
}

function sellerTypeOf(draw: number): SellerType {
  if (draw < 0.15) return 'first_party';
  return draw < 0.5 ? 'fulfilled' : 'marketplace';
}
