// Writes the files of the ingest bench: a history of some products, and a catalogue of many.
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { checkDigit } from '../src/catalog/gtin.ts';
import { DAY_MS } from '../src/foundation/time.ts';

export type FileShape = {
  products: number;
  days: number;
  offers: number;
  /** The first product code; differs between files so that they share no product. */
  firstCode: number;
};

/** Writes one snapshot per product and day, day after day, shuffled within the day. */
export async function writeSnapshotFile(path: string, shape: FileShape): Promise<void> {
  const out = createWriteStream(path);
  const order = Array.from({ length: shape.products }, (_, index) => index);
  const random = seededRandom(shape.firstCode);
  const startMs = Date.parse('2026-06-01T00:00:00Z');
  for (let day = 0; day < shape.days; day++) {
    shuffle(order, random);
    for (let from = 0; from < order.length; from += 1000) {
      const lines = order.slice(from, from + 1000).map((index) => {
        const atMs = startMs + day * DAY_MS + Math.floor(random() * 86_400) * 1000;
        return JSON.stringify(snapshotJson(shape, { index, day, atMs, random }));
      });
      if (!out.write(`${lines.join('\n')}\n`)) {
        await new Promise((resolve) => out.once('drain', () => resolve(null)));
      }
    }
  }
  out.end();
  await finished(out);
}

function snapshotJson(
  shape: FileShape,
  { index, day, atMs, random }: { index: number; day: number; atMs: number; random: () => number },
): unknown {
  const first12 = String(10_000_000_000 + shape.firstCode + index).padStart(12, '0');
  const upc = `${first12.slice(1)}${checkDigit(`0${first12}`)}`;
  const price = 5 + (index % 400) / 4 + (day % 16 === 0 ? 1 : 0);
  const observed_at = new Date(atMs).toISOString();
  const cents = (value: number) => Math.round(value * 100) / 100;
  const sellers = Array.from(
    { length: shape.offers },
    (_, position) => `Seller ${(index + position * 7) % 500}`,
  );
  return {
    retailer_product_code: String(shape.firstCode + index),
    observed_at,
    upc,
    ean: null,
    brand: `Brand ${index % 900}`,
    product_name: `Brand ${index % 900} Kettle model ${index}, 1.7 l, stainless steel`,
    categories: ['Home', 'Kitchen', 'Kettles'],
    buybox: { price: cents(price), seller_name: sellers[day % 9 === 0 ? 1 : 0] },
    offers: sellers.map((seller_name, position) => ({
      seller_name,
      price: cents(price + position * 0.5),
      shipping: 0,
      units_in_stock: 500 - day * 3 + Math.floor(random() * 3),
      last_updated: observed_at,
    })),
    offers_complete: true,
    rank: { position: 1 + Math.floor(random() * 5000), category: 'Kitchen' },
    customer_rating: 4.4,
    number_of_reviews: 1000 + day,
    shipping_weight_lb: 2.1,
    seller_type: 'marketplace',
  };
}

function shuffle(order: number[], random: () => number): void {
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as number, order[last] as number];
  }
}

/** Seeded random numbers (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
