// Looks up the product of a request by its code; throws if it is unknown or delisted.
import { type TObject, Type } from 'typebox';
import type { Caller } from '../accounts/callers.ts';
import { isWithdrawn, type Product } from '../catalog/product.ts';
import { CODE_PATTERN } from '../catalog/product-code.ts';
import type { LookUp } from '../collection/look-up.ts';
import type { Clock } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { DateTime, isoTime } from './wire.ts';

export const ProductCode = Type.String({ pattern: CODE_PATTERN, description: '1 to 20 digits' });

export const ByCode: TObject<{ retailer_product_code: typeof ProductCode }> = Type.Object({
  retailer_product_code: ProductCode,
});

export async function productByCode(
  lookUp: LookUp,
  { code, caller }: { code: string; caller: Caller },
): Promise<Product> {
  const product = await lookUp.byCode(code, caller.account.accountId);
  if (product !== undefined) return product;
  throw noSuchProduct(code);
}

export type ListedDeps = { lookUp: LookUp; clock: Clock };

/** Like `productByCode`, but refuses products that were delisted more than a day before. */
export async function listedProductByCode(
  deps: ListedDeps,
  input: { code: string; caller: Caller },
): Promise<Product> {
  return refuseWithdrawn(deps, await productByCode(deps.lookUp, input));
}

export function refuseWithdrawn({ clock }: ListedDeps, product: Product): Product {
  if (!isWithdrawn(product, clock.nowMs())) return product;
  const delistedAt = isoTime(product.delistedAtMs as number);
  throw new Problem(
    'product_delisted',
    `Product ${product.code} was delisted from the marketplace at ${delistedAt}. Nothing was charged.`,
    { details: { delisted_at: delistedAt } },
  );
}

export const DelistedAt = Type.Optional(
  DateTime('When the product was delisted (404 after one day); absent while it is listed'),
);

export const TrackedDelistedAt = Type.Optional(
  DateTime('When the product was delisted; absent while it is listed'),
);

export const delistedMember = ({ delistedAtMs }: Pick<Product, 'delistedAtMs'>) =>
  delistedAtMs === undefined ? {} : { delisted_at: isoTime(delistedAtMs) };

export const noSuchProduct = (code: string) =>
  new Problem('product_not_found', `There is no product with the code ${code}.`, {
    field: 'retailer_product_code',
  });

/** For the library: when the data was observed, and the price it shows. */
export const observedOf = ({ observedAtMs, buybox }: Product) => ({
  atMs: observedAtMs,
  buyboxCents: buybox === null ? null : buybox.priceCents,
});
