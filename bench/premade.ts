// A marketplace that serves snapshots of realistic size from memory.
import { checkDigit } from '../src/catalog/gtin.ts';
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { sleepMs } from '../src/foundation/clock.ts';
import { HOUR_MS } from '../src/foundation/time.ts';
import type { FetchOutcome, Source } from '../src/sources/source.ts';

const SELLERS = ['Marlowe Store', 'Second Shop', 'Third Shop'];
/** The price changes every so many hours. */
const HOURS_PER_PRICE = 16;

export function gtinOf(code: string): string {
  const first13 = `008${code.padStart(10, '0')}`;
  return first13 + checkDigit(first13);
}

/** Returns a product's snapshot: stock and rank change every hour, the price every sixteen. */
export function snapshotOf(code: string, atMs: number): Snapshot {
  const [index, hour] = [Number(code), Math.floor(atMs / HOUR_MS)];
  const observedAtMs = Math.floor(atMs / 1_000) * 1_000;
  const priceCents =
    1_999 + (index % 5_000) + 10 * (Math.floor((hour + index) / HOURS_PER_PRICE) % 7);
  return {
    code,
    observedAtMs,
    gtins: [gtinOf(code)],
    brand: 'Marlowe',
    name: `Marlowe Kettle ${code}, Brushed Steel`,
    categories: ['Home', 'Kitchen', 'Kettles'],
    buybox: { priceCents, sellerName: SELLERS[0] as string },
    offers: SELLERS.map((sellerName, position) => ({
      sellerName,
      priceCents: priceCents + position * 50,
      shippingCents: 0,
      unitsInStock: 500 - ((hour * (position + 1) + index) % 400),
      lastUpdatedAtMs: observedAtMs,
    })),
    offersComplete: true,
    rank: { position: 1 + ((index * 7 + hour * 13) % 5_000), category: 'Kettles' },
    customerRating: 4.4,
    reviewCount: index % 3_000,
  };
}

/** Serves `snapshots` after a delay; other products are not found. */
export function premadeSource(
  snapshots: { get(code: string): Snapshot | undefined },
  responseMs = 0,
): Source {
  return {
    name: 'simulated',
    async fetchBatch(codes) {
      if (responseMs > 0) await sleepMs(responseMs);
      return codes.map((code): FetchOutcome => {
        const snapshot = snapshots.get(code);
        return snapshot === undefined ? { kind: 'not_found' } : { kind: 'snapshot', snapshot };
      });
    },
    findByGtin: async () => ({ kind: 'unsupported' }),
    history: () => null,
    close: async () => {},
  };
}
