// Looks up many products for one request: fresh ones with one read, the others a few at a time and
// within a time limit.
import type { Product } from '../catalog/product.ts';
import { readProducts } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { FRESH_MS, type LookUp } from './look-up.ts';

type Deps = { db: Database; lookUp: LookUp; clock: Clock };

/** By code: the product, undefined if there is none, or why it could not be looked up. */
export async function lookUpMany(
  deps: Deps,
  { codes, accountId }: { codes: readonly string[]; accountId: string },
): Promise<Map<string, Product | undefined | Error>> {
  const untilMs = monotonicMs() + bounds.lookUpManyMaxMs;
  const stored = await readProducts(deps.db, codes);
  const nowMs = deps.clock.nowMs();
  const products = new Map<string, Product | undefined | Error>(stored);
  const others = codes.filter((code) => {
    const product = stored.get(code);
    return product === undefined || nowMs - product.observedAtMs >= FRESH_MS;
  });
  let next = 0;
  const work = async () => {
    for (let code = others[next++]; code !== undefined; code = others[next++]) {
      if (monotonicMs() < untilMs) {
        products.set(code, await deps.lookUp.byCode(code, accountId).catch(asError));
      } else if (!stored.has(code)) products.set(code, notInTime());
    }
  };
  await Promise.all(Array.from({ length: bounds.lookUpManyAtOnceMax }, work));
  return products;
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

const notInTime = () =>
  new Problem(
    'item_not_attempted',
    `This item was not looked up within the ${bounds.lookUpManyMaxMs / 1_000} seconds of one call. Nothing was charged. Send it again.`,
  );
