// Makes the files that the ingest bench reads: a history of some products, and a catalogue of many.
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { checkDigit } from '../src/catalog/gtin.ts';

export type FileShape = {
  products: number;
  observations: number;
  offers: number;
  /** Digits of the first code, so that two files share no product. */
  firstCode: number;
};

/** Day after day, one look at each product a day, shuffled within the day. */
export async function writeSnapshotFile(path: string, shape: FileShape): Promise<void> {
  const out = createWriteStream(path);
  const order = Array.from({ length: shape.products }, (_, index) => index);
  const random = mixer(shape.firstCode);
  const start = Date.parse('2026-06-01T00:00:00Z');
  for (let observation = 0; observation < shape.observations; observation++) {
    shuffle(order, random);
    for (let from = 0; from < order.length; from += 1000) {
      const lines = order.slice(from, from + 1000).map((index) => {
        const at = start + observation * 86_400_000 + Math.floor(random() * 86_400) * 1000;
        return JSON.stringify(snapshotJson(shape, { index, observation, at, random }));
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
  {
    index,
    observation,
    at,
    random,
  }: { index: number; observation: number; at: number; random: () => number },
): unknown {
  const first12 = String(10_000_000_000 + shape.firstCode + index).padStart(12, '0');
  const upc = `${first12.slice(1)}${checkDigit(`0${first12}`)}`;
  const price = 5 + (index % 400) / 4 + (observation % 16 === 0 ? 1 : 0);
  const observed_at = new Date(at).toISOString();
  const cents = (value: number) => Math.round(value * 100) / 100;
  const sellers = Array.from(
    { length: shape.offers },
    (_, place) => `Seller ${(index + place * 7) % 500}`,
  );
  return {
    retailer_product_code: String(shape.firstCode + index),
    observed_at,
    upc,
    ean: null,
    brand: `Brand ${index % 900}`,
    product_name: `Brand ${index % 900} Kettle model ${index}, 1.7 l, stainless steel`,
    categories: ['Home', 'Kitchen', 'Kettles'],
    buybox: { price: cents(price), seller_name: sellers[observation % 9 === 0 ? 1 : 0] },
    offers: sellers.map((seller_name, place) => ({
      seller_name,
      price: cents(price + place * 0.5),
      shipping: 0,
      units_in_stock: 500 - observation * 3 + Math.floor(random() * 3),
      last_updated: observed_at,
    })),
    offers_complete: true,
    rank: { position: 1 + Math.floor(random() * 5000), category: 'Kitchen' },
    customer_rating: 4.4,
    number_of_reviews: 1000 + observation,
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

/** The same numbers for the same seed (mulberry32). */
function mixer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
