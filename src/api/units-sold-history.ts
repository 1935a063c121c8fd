// GET /retailer/product/units-sold-history: estimated units sold per day, for 5 to 150 credits by
// period.
import { Type } from 'typebox';
import type { Backfill } from '../collection/backfill.ts';
import { unitsSoldPrices } from '../credits/price-list.ts';
import type { Clock } from '../foundation/clock.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { DayExplanation } from '../sales/day-explanation.ts';
import { METHODS, type Method } from '../sales/day-sums.ts';
import { writeDays } from '../sales/day-writer.ts';
import type { SalesEstimates } from '../sales/estimate-sales.ts';
import { daysOf, TIME_PERIODS, type TimePeriod } from '../sales/time-period.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { noSuchProduct, ProductCode } from './product-selector.ts';
import {
  explanationRecord,
  UnitsSoldExplanation,
  UnitsSoldModel,
} from './units-sold-explanation.ts';
import { nullable } from './wire.ts';

const dayMembers = {
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
};

/** Tables have no explanations: these are objects in themselves. */
const TableDay = Type.Object(dayMembers);

const UnitsSoldDay = Type.Object(
  { ...dayMembers, explanation: Type.Optional(UnitsSoldExplanation) },
  { title: 'UnitsSoldDay' },
);

const UnitsSoldRecord = Type.Object(
  {
    retailer_product_code: Type.String(),
    time_period: Type.String({ enum: [...TIME_PERIODS] }),
    credit_cost: Type.Integer({ description: 'Credits charged for this request.' }),
    model: Type.Optional(UnitsSoldModel),
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
    description: `Cost in credits by \`time_period\`: ${TIME_PERIODS.map((period) => `${period} ${unitsSoldPrices[period]}`).join(', ')}. Costs nothing if no day of the period has a number. With \`explain=true\`, each day says what it was made from, at no extra cost.`,
    bucket: 'product',
    query: Type.Object({
      retailer_product_code: ProductCode,
      time_period: Type.Unsafe<TimePeriod>({
        type: 'string',
        enum: [...TIME_PERIODS],
        description: TIME_PERIODS.join(', '),
      }),
      explain: Type.Optional(
        Type.Boolean({
          description:
            'true or false; true adds observations, sellers and readings to each day, in JSON only',
        }),
      ),
    }),
    responses: { 200: UnitsSoldRecord },
    list: { record: TableDay, member: 'sales_history' },
    errors: [404],
    price: (query) => unitsSoldPrices[query.time_period],
    heavy: () => true,
    async respond({ query, caller, takeTurn }) {
      const { retailer_product_code: code, time_period: period } = query;
      const tail = await deps.backfill.tailOf(code, caller.account.accountId);
      if (tail === undefined) throw noSuchProduct(code);
      const reader = { key: caller.account.accountId, takeTurn };
      const years = await deps.salesEstimates.yearsOf(code, tail, reader);
      const range = daysOf(period, deps.clock.nowMs());
      const days = writeDays(years, range);
      const credits = days.withUnits === 0 ? 0 : unitsSoldPrices[period];
      const head = `"retailer_product_code":"${code}","time_period":"${period}","credit_cost":${credits}`;
      const record = { productCode: code, credits };
      if (query.explain !== true)
        return { json: Buffer.from(`{${head},"sales_history":[${days.json}]}`), ...record };
      const explained = await deps.salesEstimates.explain(code, range, reader);
      const model = JSON.stringify({ version: explained.modelVersion });
      const list = JSON.stringify(withExplanations(days.json, explained.days));
      return {
        json: Buffer.from(`{${head},"model":${model},"sales_history":${list}}`),
        ...record,
      };
    },
  });
}

type WrittenDay = { date: string; method: Method };

/** A day that was estimated a moment ago, from other observations, may have no explanation. */
function withExplanations(json: string, explanations: ReadonlyMap<number, DayExplanation>) {
  return (JSON.parse(`[${json}]`) as WrittenDay[]).map((day) => {
    const explanation = explanations.get(Date.parse(day.date) / DAY_MS);
    if (explanation === undefined) return day;
    return { ...day, explanation: explanationRecord(day.method, explanation) };
  });
}
