// The schema of a tracked product's rules.
import { Type } from 'typebox';
import { CONDITION_NAMES } from '../events/condition-name.ts';
import { ROTATIONS_A_DAY_MAX } from '../events/rule.ts';
import { bounds } from '../foundation/bounds.ts';
import { describedAs, nullable } from './wire.ts';

const percent = Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1_000 })));
const usd = Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1_000_000 })));
const count = (maximum: number) => Type.Optional(nullable(Type.Integer({ minimum: 0, maximum })));

const PriceRule = Type.Object(
  { percent, usd },
  {
    title: 'PriceRule',
    description: 'The smallest change that fires an event; both thresholds must be reached.',
  },
);
const StockLowRule = Type.Object(
  { units: count(1_000_000), days: count(365) },
  {
    title: 'StockLowRule',
    description: 'Stock is low at this many units, or at this many days of sales.',
  },
);
const RankRule = Type.Object(
  { percent, places: count(1_000_000) },
  {
    title: 'RankRule',
    description: 'The smallest change that fires an event; both thresholds must be reached.',
  },
);
const RotationRule = Type.Object(
  { count: count(ROTATIONS_A_DAY_MAX) },
  { title: 'RotationRule', description: 'Changes of the buybox holder within 24 hours.' },
);

const Rules = Type.Object(
  {
    price: Type.Optional(nullable(PriceRule)),
    seller_price: Type.Optional(nullable(PriceRule)),
    stock_low: Type.Optional(nullable(StockLowRule)),
    rank: Type.Optional(nullable(RankRule)),
    rotation: Type.Optional(nullable(RotationRule)),
  },
  {
    title: 'Rules',
    description: 'When events fire. Omitted parts keep their values; null restores the default.',
  },
);

/** The contents are checked by `readRules`, whose messages say what is allowed. */
export const RulesSchema = nullable(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description:
      'an object of rules, or null for the defaults; parts of {"price":{"percent":1,"usd":0.05},"seller_price":{"percent":1,"usd":0.05},"stock_low":{"units":10,"days":7},"rank":{"percent":20,"places":5},"rotation":{"count":3}}, where null restores the default',
    ...describedAs(Rules),
  }),
);

/** The contents are checked by `readCondition`, whose messages say what is allowed. */
export const ConditionText = Type.String({
  minLength: 1,
  description: `a condition of at most ${bounds.conditionCharsMax} characters in a subset of CEL, such as "price < 20 && stock > 0"; the names are ${Object.entries(
    CONDITION_NAMES,
  )
    .map(([name, { meaning }]) => `${name} (${meaning})`)
    .join(', ')}`,
});
