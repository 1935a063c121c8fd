// How a door asks for one product by its code, and what it answers when there is none.
import { type TObject, Type } from 'typebox';
import type { Caller } from '../accounts/callers.ts';
import type { Product } from '../catalog/product.ts';
import { CODE_PATTERN } from '../catalog/product-code.ts';
import type { LookUp } from '../collection/look-up.ts';
import { Problem } from '../foundation/problem.ts';

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

export const noSuchProduct = (code: string) =>
  new Problem('not_found', `There is no product with the code ${code}.`);
