// Accounts and products for the benches, made through the same functions as any other.
import { setRequestsPerSecond } from '../src/accounts/accounts.ts';
import { createApiKey } from '../src/accounts/api-keys.ts';
import { buildApp } from '../src/app.ts';
import { checkDigit } from '../src/catalog/gtin.ts';
import { insertGtins, type Product, upsertProducts } from '../src/catalog/products.ts';
import { openAccount } from '../src/credits/open-account.ts';
import type { Database } from '../src/database/database.ts';
import { realClock } from '../src/foundation/clock.ts';
import { newId } from '../src/foundation/id.ts';
import { createLog } from '../src/foundation/log.ts';
import { BUCKETS } from '../src/limits/bucket.ts';

export type BenchAccount = { accountId: string; apiKey: string };

/** Accounts on the largest plan, whose limits are raised, not switched off. */
export async function makeAccounts(db: Database, count: number): Promise<BenchAccount[]> {
  const log = createLog('silent');
  const app = buildApp({ db, clock: realClock, log, settings: { REDIS_URL: null } });
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

/** Products with records of about the size that real ones have. */
export async function makeProducts(db: Database, count: number): Promise<Product[]> {
  const observedAt = realClock.nowMs();
  const products = Array.from({ length: count }, (_, index): Product => {
    const first13 = `008${String(index).padStart(10, '0')}`;
    return {
      code: String(510_000_000 + index),
      gtin: first13 + checkDigit(first13),
      brand: 'Marlowe',
      name: `Marlowe Kettle ${index}, Brushed Steel`,
      categories: ['Home', 'Kitchen', 'Kettles'],
      buyboxPriceCents: 1999 + (index % 5000),
      rankPosition: index + 1,
      customerRating: 4.4,
      reviewCount: index % 3000,
      observedAt,
    };
  });
  for (let start = 0; start < count; start += 2000) {
    const some = products.slice(start, start + 2000);
    await db.transaction((tx) => upsertProducts(tx, some));
    const pairs = some.map(({ gtin, code }) => ({ gtin: gtin as string, code }));
    await db.transaction((tx) => insertGtins(tx, pairs));
  }
  await db.query('vacuum analyze');
  return products;
}
