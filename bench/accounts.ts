// Creates accounts and products for the benches with the service's functions.
import { setRequestsPerSecond } from '../src/accounts/accounts.ts';
import { createApiKey } from '../src/accounts/api-keys.ts';
import { buildApp } from '../src/app.ts';
import { checkDigit } from '../src/catalog/gtin.ts';
import type { Product } from '../src/catalog/product.ts';
import type { Snapshot } from '../src/catalog/snapshot.ts';
import { recordSnapshots } from '../src/collection/record-snapshot.ts';
import { openAccount } from '../src/credits/open-account.ts';
import type { Database } from '../src/database/database.ts';
import { realClock } from '../src/foundation/clock.ts';
import { newId } from '../src/foundation/id.ts';
import { createLog } from '../src/foundation/log.ts';
import { BUCKETS } from '../src/limits/bucket.ts';
import { createSimulatedSource } from '../src/sources/simulated/simulated-source.ts';

export type BenchAccount = { accountId: string; apiKey: string };

/** Creates accounts on the largest plan. Rate limits stay on, but are raised. */
export async function makeAccounts(db: Database, count: number): Promise<BenchAccount[]> {
  const log = createLog('silent');
  const source = createSimulatedSource({ clock: realClock });
  const app = buildApp({ db, clock: realClock, log, source, settings: { REDIS_URL: null } });
  const plan = await app.plans.named('Scale');
  const made: BenchAccount[] = [];
  for (let start = 0; start < count; start += 16) {
    const some = Array.from({ length: Math.min(16, count - start) }, async () => {
      const { accountId } = await openAccount(app, { email: `${newId()}@example.com`, plan });
      const now = realClock.nowMs();
      const { apiKey } = await createApiKey(db, { accountId, name: 'bench', now });
      await setRequestsPerSecond(db, { accountId, buckets: BUCKETS, perSecond: 100_000 });
      return { accountId, apiKey };
    });
    made.push(...(await Promise.all(some)));
  }
  await app.close();
  return made;
}

/** Creates products with records of realistic size. */
export async function makeProducts(db: Database, count: number): Promise<Product[]> {
  const observedAtMs = realClock.nowMs();
  const snapshots = Array.from({ length: count }, (_, index): Snapshot => {
    const first13 = `008${String(index).padStart(10, '0')}`;
    const priceCents = 1999 + (index % 5000);
    return {
      code: String(510_000_000 + index),
      observedAtMs,
      gtins: [first13 + checkDigit(first13)],
      brand: 'Marlowe',
      name: `Marlowe Kettle ${index}, Brushed Steel`,
      categories: ['Home', 'Kitchen', 'Kettles'],
      buybox: { priceCents, sellerName: 'Marlowe Store' },
      offers: ['Marlowe Store', 'Second Shop', 'Third Shop'].map((sellerName, position) => ({
        sellerName,
        priceCents: priceCents + position * 50,
        shippingCents: 0,
        unitsInStock: 10 + position,
        lastUpdatedAtMs: observedAtMs,
      })),
      offersComplete: true,
      rank: { position: index + 1, category: 'Kettles' },
      customerRating: 4.4,
      reviewCount: index % 3000,
    };
  });
  const log = createLog('silent');
  const products: Product[] = [];
  for (let start = 0; start < count; start += 2000) {
    const recorded = await recordSnapshots({ db, log }, snapshots.slice(start, start + 2000));
    products.push(...recorded.map(({ product }) => product));
  }
  await db.query('vacuum analyze');
  return products;
}
