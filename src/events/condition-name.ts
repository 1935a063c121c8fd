// What a condition of a customer's own is about: its names, and the values they have.

/** The names that a condition may use, and what they mean. */
export const CONDITION_NAMES = {
  price: { type: 'double', meaning: 'the buybox price in USD' },
  lowest_offer: { type: 'double', meaning: 'the lowest price plus shipping of all offers, in USD' },
  stock: { type: 'double', meaning: 'units in stock of all offers' },
  sellers: { type: 'double', meaning: 'the number of offers, from a complete list' },
  rank: { type: 'double', meaning: 'the sales rank' },
  units_per_day: { type: 'double', meaning: 'estimated units sold per day' },
  buybox_seller: { type: 'string', meaning: 'the holder of the buybox, "" if nobody holds it' },
  my_seller: { type: 'string', meaning: 'the watched seller, "" if there is none' },
  lost_box_hours: {
    type: 'double',
    meaning: 'hours since the watched seller lost the buybox, 0 while it holds it',
  },
  lowest_in_days: {
    type: 'double',
    meaning: 'the number of observed days, up to 90, since the price was lower',
  },
  price_change_1d: { type: 'double', meaning: 'percent against the last price of the day before' },
  price_change_7d: { type: 'double', meaning: 'percent against the last price seven days before' },
  price_change_30d: { type: 'double', meaning: 'percent against the last price 30 days before' },
} as const;

export type ConditionName = keyof typeof CONDITION_NAMES;
/** What is known at an observation; a name without a value is unknown. */
export type ConditionValues = Partial<Record<ConditionName, number | string>>;

export type Condition = {
  names: ReadonlySet<ConditionName>;
  /** null: unknown, because it depends on something that is unknown. */
  evaluate(values: ConditionValues): boolean | null;
};
