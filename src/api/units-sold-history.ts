// GET /retailer/product/units-sold-history: estimated units sold per day, for 5 to 150 credits by
// period.
import { Type } from 'typebox';
import type { Backfill } from '../collection/backfill.ts';
import { unitsSoldPrices } from '../credits/price-list.ts';
import type { Clock } from '../foundation/clock.ts';
import { METHODS } from '../sales/day-sums.ts';
import { writeDays } from '../sales/day-writer.ts';
import type { SalesEstimates } from '../sales/estimate-sales.ts';
import { daysOf, TIME_PERIODS, type TimePeriod } from '../sales/time-period.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { noSuchProduct, ProductCode } from './product-selector.ts';
import { nullable } from './wire.ts';

const UnitsSoldDay = Type.Object(
  {
    date: Type.String({ format: 'date', description: 'YYYY-MM-DD, UTC' }),
    units_sold: nullable(
      Type.Integer({
        minimum: 0,
        description: 'Estimated; null if nothing supports a number (`unknown`).',
      }),
    ),
    method: Type.String({
      enum: [...METHODS],
      description:
        '`counted`: the stock decreased by this much. `inferred`: from counts around restocks or over midnight. `typical`: the day was not observed; what the product usually sells. `at_least`: some stock is displayed only up to a cap or not at all; more may have been sold. `unknown`: nothing supports a number.',
    }),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The probability that the true number is from `low` to `high`.',
    }),
    low: nullable(Type.Integer({ minimum: 0 })),
    high: nullable(Type.Integer({ minimum: 0 })),
  },
  { title: 'UnitsSoldDay' },
);

const UnitsSoldRecord = Type.Object(
  {
    retailer_product_code: Type.String(),
    time_period: Type.String({ enum: [...TIME_PERIODS] }),
    credit_cost: Type.Integer({ description: 'Credits charged for this request.' }),
    sales_history: Type.Array(UnitsSoldDay, {
      description: 'Ascending; every day from the first to the last observed day.',
    }),
  },
  { title: 'UnitsSoldHistory' },
);

type Deps = { backfill: Backfill; salesEstimates: SalesEstimates; clock: Clock };

export function unitsSoldHistory(deps: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/retailer/product/units-sold-history',
    operation: 'units-sold-history',
    operationId: 'products.getUnitsSoldHistory',
    tag: 'Products',
    summary: 'Estimated units sold per day',
    description: `Cost in credits by \`time_period\`: ${TIME_PERIODS.map((period) => `${period} ${unitsSoldPrices[period]}`).join(', ')}. Costs nothing if no day of the period has a number.`,
    bucket: 'product',
    query: Type.Object({
      retailer_product_code: ProductCode,
      time_period: Type.Unsafe<TimePeriod>({
        type: 'string',
        enum: [...TIME_PERIODS],
        description: TIME_PERIODS.join(', '),
      }),
    }),
    responses: { 200: UnitsSoldRecord },
    list: { record: UnitsSoldDay, member: 'sales_history' },
    errors: [404],
    price: (query) => unitsSoldPrices[query.time_period],
    heavy: () => true,
    async respond({ query, caller, takeTurn }) {
      const { retailer_product_code: code, time_period: period } = query;
      const tail = await deps.backfill.tailOf(code, caller.account.accountId);
      if (tail === undefined) throw noSuchProduct(code);
      const years = await deps.salesEstimates.yearsOf(code, tail, {
        key: caller.account.accountId,
        takeTurn,
      });
      const days = writeDays(years, daysOf(period, deps.clock.nowMs()));
      const credits = days.withUnits === 0 ? 0 : unitsSoldPrices[period];
      return {
        json: Buffer.from(
          `{"retailer_product_code":"${code}","time_period":"${period}","credit_cost":${credits},"sales_history":[${days.json}]}`,
        ),
        productCode: code,
        credits,
      };
    },
  });
}
