// GET /session/prices and GET /session/plan: the price list, and the plan of the account.
import { Type } from 'typebox';
import type { Products } from '../../catalog/read-batched.ts';
import type { Charging } from '../../credits/charge.ts';
import type { Plan, Plans } from '../../credits/plans.ts';
import { priceList, unitsSoldPrices } from '../../credits/price-list.ts';
import type { Database } from '../../database/database.ts';
import { BUCKETS, REQUESTS_PER_SECOND } from '../../limits/bucket.ts';
import { creditsPerDay, intervalSeconds, TIERS } from '../../tracking/tier.ts';
import { countTracked } from '../../tracking/tracked-products.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { nullable } from '../wire.ts';
import { SESSION_PATH } from './session-endpoint.ts';

const Credits = Type.Integer({ minimum: 0 });
const PlanRecord = Type.Object(
  {
    name: Type.String(),
    monthly_credits: Credits,
    tracked_products_max: Type.Integer({ minimum: 0 }),
  },
  { title: 'Plan' },
);

type PriceDeps = { sampleCodes: ReadonlySet<string>; products: Products };
type Deps = { db: Database; charging: Charging; plans: Plans };

const common = { tag: 'Session', bucket: 'account', method: 'GET' } as const;

export function pricesEndpoint({ sampleCodes, products }: PriceDeps): Endpoint {
  return endpoint({
    ...common,
    path: `${SESSION_PATH}/prices`,
    operation: 'session-prices',
    operationId: 'session.getPrices',
    summary: 'Price list',
    responses: {
      200: Type.Object(
        {
          product_details: Credits,
          search: Credits,
          finder: Credits,
          offers: Credits,
          units_in_stock: Credits,
          fees: Credits,
          price_history: Credits,
          buybox_history: Credits,
          stats: Credits,
          profit: Credits,
          offer_history: Credits,
          chart: Credits,
          units_sold: Type.Object(
            {
              '1month': Credits,
              '6months': Credits,
              '1year': Credits,
              '3years': Credits,
              alltime: Credits,
            },
            { title: 'UnitsSoldPrices' },
          ),
          tiers: Type.Array(
            Type.Object(
              {
                tier: Type.Integer({ minimum: 0, maximum: 4 }),
                interval_hours: Type.Integer({ minimum: 1 }),
                credits_per_day: Credits,
              },
              { title: 'TierPrice' },
            ),
          ),
          samples: Type.Array(
            Type.Object(
              { retailer_product_code: Type.String(), product_name: nullable(Type.String()) },
              { title: 'SampleProduct' },
            ),
            { description: 'Products whose data is free in the dashboard.' },
          ),
        },
        { title: 'Prices' },
      ),
    },
    respond: async () => ({
      json: {
        product_details: priceList.details,
        search: priceList.search,
        finder: priceList.finder,
        offers: priceList.offers,
        units_in_stock: priceList['units-in-stock'],
        fees: priceList.fees,
        price_history: priceList['price-history'],
        buybox_history: priceList['buybox-history'],
        stats: priceList.stats,
        profit: priceList.profit,
        offer_history: priceList['offer-history'],
        chart: priceList.chart,
        units_sold: unitsSoldPrices,
        tiers: TIERS.map((tier) => ({
          tier,
          interval_hours: intervalSeconds(tier) / 3600,
          credits_per_day: creditsPerDay(tier),
        })),
        samples: await Promise.all(
          [...sampleCodes].map(async (code) => ({
            retailer_product_code: code,
            product_name: (await products.byCode(code))?.name ?? null,
          })),
        ),
      },
    }),
  });
}

export function planEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: `${SESSION_PATH}/plan`,
    operation: 'session-plan',
    operationId: 'session.getPlan',
    summary: 'The account’s plan, its limits, and all plans',
    responses: {
      200: Type.Object(
        {
          name: nullable(Type.String()),
          next_plan: nullable(
            Type.String({
              description: 'The plan from the next refresh on; null if it stays the same.',
            }),
          ),
          monthly_credits: Credits,
          tracked_products_max: Type.Integer({ minimum: 0 }),
          tracked_products: Type.Integer({ minimum: 0 }),
          requests_per_second: Type.Object(
            {
              product: Type.Integer(),
              details: Type.Integer(),
              account: Type.Integer(),
            },
            { title: 'RequestLimits' },
          ),
          plans: Type.Array(PlanRecord),
        },
        { title: 'AccountPlan' },
      ),
    },
    async respond({ caller }) {
      const { accountId, requestsPerSecond } = caller.account;
      const [balance, plans, tracked] = await Promise.all([
        deps.charging.freshBalance(accountId),
        deps.plans.list(),
        countTracked(deps.db, accountId),
      ]);
      const current = plans.find((plan) => plan.name === balance?.plan);
      return {
        json: {
          name: current?.name ?? null,
          next_plan: balance?.nextPlan ?? null,
          monthly_credits: current?.monthlyCredits ?? 0,
          tracked_products_max: current?.trackedProductsMax ?? 0,
          tracked_products: tracked,
          requests_per_second: Object.fromEntries(
            BUCKETS.map((bucket) => [bucket, requestsPerSecond[bucket] ?? REQUESTS_PER_SECOND]),
          ),
          plans: plans.map(planRecord),
        },
      };
    },
  });
}

const planRecord = (plan: Plan) => ({
  name: plan.name,
  monthly_credits: plan.monthlyCredits,
  tracked_products_max: plan.trackedProductsMax,
});
