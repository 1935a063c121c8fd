// GET /retailer/product/offers and /units-in-stock: every seller of a product with its stock, for
// 5 credits.
import { Type } from 'typebox';
import type { Product } from '../catalog/product.ts';
import { priceList } from '../credits/price-list.ts';
import { dollars } from '../foundation/money.ts';
import { type Endpoint, endpoint } from './metered.ts';
import {
  ByCode,
  DelistedAt,
  delistedMember,
  type ListedDeps,
  listedProductByCode,
  observedOf,
} from './product-selector.ts';
import { DateTime, isoTime, nullable } from './wire.ts';

const SellerRecord = Type.Object(
  {
    seller_name: Type.String(),
    units_in_stock: nullable(Type.Integer({ minimum: 0, description: 'null when unknown' })),
    last_updated: DateTime('When the seller’s offer was last updated'),
    price: Type.Number({ description: 'USD' }),
    shipping: Type.Number({ description: 'USD' }),
  },
  { title: 'Offer' },
);

export const InventoryRecord = Type.Object(
  {
    retailer_product_code: Type.String(),
    sellers: Type.Array(SellerRecord, { description: 'Empty if nobody sells the product.' }),
    delisted_at: DelistedAt,
  },
  { title: 'ProductOffers' },
);

const inventoryEndpoint =
  (operation: 'offers' | 'units-in-stock', summary: string) =>
  (deps: ListedDeps): Endpoint =>
    endpoint({
      method: 'GET',
      path: `/retailer/product/${operation}`,
      operation,
      operationId: operation === 'offers' ? 'products.getOffers' : 'products.getUnitsInStock',
      tag: 'Products',
      summary,
      description: `Costs ${priceList[operation]} credits.`,
      bucket: 'product',
      query: ByCode,
      responses: { 200: InventoryRecord },
      errors: [404],
      price: () => priceList[operation],
      async respond({ query, caller }) {
        const code = query.retailer_product_code;
        const product = await listedProductByCode(deps, { code, caller });
        return {
          json: inventoryRecord(product),
          productCode: product.code,
          observed: observedOf(product),
        };
      },
    });

export const productOffers = inventoryEndpoint('offers', 'Offers of every seller of a product');
export const productUnitsInStock = inventoryEndpoint('units-in-stock', 'Units in stock by seller');

export function inventoryRecord(product: Product) {
  return {
    retailer_product_code: product.code,
    sellers: product.offers.map((offer) => ({
      seller_name: offer.sellerName,
      units_in_stock: offer.unitsInStock,
      last_updated: isoTime(offer.lastUpdatedAtMs ?? product.observedAtMs),
      price: dollars(offer.priceCents),
      shipping: dollars(offer.shippingCents),
    })),
    ...delistedMember(product),
  };
}
