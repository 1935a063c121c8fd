// GET /retailer/product/fees: the marketplace's fees for selling a product, for 3 credits.
import { Type } from 'typebox';
import { type FeeSchedule, feesFor } from '../catalog/fee-schedule.ts';
import type { Product } from '../catalog/product.ts';
import type { SellerType } from '../catalog/snapshot.ts';
import type { LookUp } from '../collection/look-up.ts';
import { priceList } from '../credits/price-list.ts';
import type { Clock } from '../foundation/clock.ts';
import { dollars } from '../foundation/money.ts';
import { Problem } from '../foundation/problem.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { listedProductByCode, observedOf, ProductCode } from './product-selector.ts';
import { DateTime, isoTime, nullable } from './wire.ts';

export const SellerTypeText = Type.Unsafe<SellerType>({
  type: 'string',
  enum: ['marketplace', 'fulfilled', 'first_party'],
  description: 'marketplace, fulfilled or first_party',
});

const Usd = Type.Number({ description: 'USD' });

export const FeesRecord = Type.Object(
  {
    retailer_product_code: Type.String(),
    referral_fee: Usd,
    closing_fee: Usd,
    shipping_fee: Usd,
    total_fees: Type.Number({ description: 'USD; the exact sum of the three fees' }),
    category: Type.String({ description: 'The fee schedule category that was applied.' }),
    unsettled: Type.Boolean({ description: 'True if public sources do not settle the exact fee.' }),
    promotion: nullable(
      Type.String({ description: 'The promotion that lowered the fees, if any.' }),
    ),
    last_updated: DateTime('When the price was observed'),
  },
  { title: 'ProductFees' },
);

type FeeDeps = { feeSchedule: FeeSchedule; clock: Clock };
type Deps = FeeDeps & { lookUp: LookUp };

export function productFees(deps: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/retailer/product/fees',
    operation: 'fees',
    operationId: 'products.getFees',
    tag: 'Products',
    summary: 'Fees for selling a product',
    description: `Calculated from the buybox price, or from the lowest price including shipping if there is no buybox. Costs ${priceList.fees} credits.`,
    bucket: 'product',
    query: Type.Object({
      retailer_product_code: ProductCode,
      seller_type: Type.Optional(SellerTypeText),
    }),
    responses: { 200: FeesRecord },
    errors: [404],
    price: () => priceList.fees,
    async respond({ query, caller }) {
      const code = query.retailer_product_code;
      const product = await listedProductByCode(deps, { code, caller });
      const json = feesRecord(deps, product, query.seller_type ?? product.sellerType);
      return { json, productCode: product.code, observed: observedOf(product) };
    },
  });
}

export function feesRecord(deps: FeeDeps, product: Product, sellerType: SellerType | null) {
  const fees = feesFor(deps.feeSchedule, {
    priceCents: sellingPriceCents(product),
    categories: product.categories,
    sellerType,
    weightLb: product.shippingWeightLb,
    onDay: isoTime(deps.clock.nowMs()).slice(0, 10),
  });
  return {
    retailer_product_code: product.code,
    referral_fee: dollars(fees.referralCents),
    closing_fee: dollars(fees.closingCents),
    shipping_fee: dollars(fees.shippingCents),
    total_fees: dollars(fees.totalCents),
    category: fees.category,
    unsettled: fees.unsettled,
    promotion: fees.promotion,
    last_updated: isoTime(product.observedAtMs),
  };
}

function sellingPriceCents(product: Product): number {
  if (product.buybox !== null) return product.buybox.priceCents;
  const landed = product.offers.map((offer) => offer.priceCents + offer.shippingCents);
  if (landed.length > 0) return Math.min(...landed);
  throw new Problem(
    'product_not_for_sale',
    'The product has no offers, so there is no price to calculate fees from. Nothing was charged.',
  );
}
