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

/** By key: the product, undefined if there is none, or why it could not be looked up. */
export type LookedUp = Map<string, Product | undefined | Error>;

export async function lookUpMany(
  deps: Deps,
  { codes, accountId }: { codes: readonly string[]; accountId: string },
): Promise<LookedUp> {
  const untilMs = monotonicMs() + bounds.lookUpManyMaxMs;
  const stored = await readProducts(deps.db, codes);
  const nowMs = deps.clock.nowMs();
  const products: LookedUp = new Map(stored);
  const others = codes.filter((code) => {
    const product = stored.get(code);
    return product === undefined || nowMs - product.observedAtMs >= FRESH_MS;
  });
  await fewAtOnce(others, async (code) => {
    if (monotonicMs() < untilMs) {
      products.set(code, await deps.lookUp.byCode(code, accountId).catch(asError));
    } else if (!stored.has(code)) products.set(code, notInTime());
  });
  return products;
}

/** The same by GTIN-14; stored ones share the statements that read them. */
export async function lookUpGtins(
  { lookUp }: Pick<Deps, 'lookUp'>,
  { gtins, accountId }: { gtins: readonly string[]; accountId: string },
): Promise<LookedUp> {
  const untilMs = monotonicMs() + bounds.lookUpManyMaxMs;
  const products: LookedUp = new Map();
  await fewAtOnce(gtins, async (gtin) => {
    const isInTime = monotonicMs() < untilMs;
    products.set(
      gtin,
      isInTime ? await lookUp.byGtin(gtin, accountId).catch(asError) : notInTime(),
    );
  });
  return products;
}

/** Works on all keys, a few at a time. */
export async function fewAtOnce(
  keys: readonly string[],
  work: (key: string) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) await work(key);
  };
  await Promise.all(Array.from({ length: bounds.lookUpManyAtOnceMax }, worker));
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

const notInTime = () =>
  new Problem(
    'item_not_attempted',
    `This item was not looked up within the ${bounds.lookUpManyMaxMs / 1_000} seconds of one call. Nothing was charged. Send it again.`,
  );
