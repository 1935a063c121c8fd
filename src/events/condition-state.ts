// What is kept for one watcher to evaluate conditions, the values at an observation, and the rules
// that match now and did not before.
import { DAY_SECONDS, HOUR_SECONDS } from '../foundation/time.ts';
import { compile } from './condition.ts';
import type { ConditionName, ConditionValues } from './condition-name.ts';
import { completeOffers, landedCents, type ObservedState, totalUnits } from './observed-state.ts';

/** A rule's condition as a watcher has it. */
export type WatcherCondition = { id: string; name: string; text: string };

/** Days that are remembered: today and 90 before. */
const DAYS_MAX = 91;
const CHANGES: readonly [ConditionName, number][] = [
  ['price_change_1d', 1],
  ['price_change_7d', 7],
  ['price_change_30d', 30],
];

/** Stored as JSON; its member names must not change. */
export type ConditionState = {
  /** Time of the last observation, in seconds. */
  at: number;
  /** The lowest and the last price of each observed day, ascending: day, cents, cents. */
  days: readonly (readonly [number, number, number])[];
  /** When the watched seller lost the box; 0 while it holds it; null before it has held it. */
  lostAtSeconds: number | null;
  /** The last known result by rule, with the condition it belongs to. */
  results: Readonly<Record<string, readonly [string, boolean]>>;
};

const NOTHING: ConditionState = {
  at: Number.NEGATIVE_INFINITY,
  days: [],
  lostAtSeconds: null,
  results: {},
};

export type MatchedRule = WatcherCondition & {
  values: ConditionValues;
  /** When it was last observed not to match, in seconds. */
  beforeAtSeconds: number;
};

type Input = {
  state: ConditionState | null;
  conditions: readonly WatcherCondition[];
  observation: ObservedState;
  watchedSeller: string | null;
  estimatedUnitsPerDay: number | null;
};

/**
 * A rule matches when its condition becomes true after it was known to be false. The first known
 * result is the baseline, and an unknown result changes nothing. A condition that cannot be
 * evaluated stays unknown and does not affect the others.
 */
export function evaluateConditions(input: Input): {
  state: ConditionState;
  matched: readonly MatchedRule[];
} {
  const { conditions, observation } = input;
  const before = input.state ?? NOTHING;
  if (observation.atSeconds <= before.at) return { state: before, matched: [] };
  const days = withPrice(before.days, observation);
  const lostAtSeconds = lossAtSeconds(before.lostAtSeconds, input);
  const values = valuesOf({ ...input, days, lostAtSeconds });
  const matched: MatchedRule[] = [];
  const results: Record<string, readonly [string, boolean]> = {};
  for (const condition of conditions) {
    const stored = before.results[condition.id];
    const last = stored?.[0] === condition.text ? stored[1] : null;
    const result = resultOf(condition, values);
    if (result === true && last === false) {
      const used = compile(condition.text).names;
      const shown = Object.entries(values).filter(([name]) => used.has(name as ConditionName));
      const beforeAtSeconds = before.at;
      matched.push({ ...condition, values: Object.fromEntries(shown), beforeAtSeconds });
    }
    const kept = result ?? last;
    if (kept !== null) results[condition.id] = [condition.text, kept];
  }
  return { state: { at: observation.atSeconds, days, lostAtSeconds, results }, matched };
}

function resultOf({ text }: WatcherCondition, values: ConditionValues): boolean | null {
  try {
    return compile(text).evaluate(values);
  } catch {
    return null;
  }
}

const dayOf = (atSeconds: number) => Math.floor(atSeconds / DAY_SECONDS);

function withPrice(days: ConditionState['days'], observation: ObservedState) {
  const cents = observation.buybox?.priceCents;
  if (cents === undefined || observation.carried?.buybox) return days;
  const today = dayOf(observation.atSeconds);
  const last = days.at(-1);
  const earlier = (last?.[0] === today ? days.slice(0, -1) : days).filter(
    ([day]) => day > today - DAYS_MAX,
  );
  const low = last?.[0] === today ? Math.min(last[1], cents) : cents;
  return [...earlier, [today, low, cents] as const];
}

function lossAtSeconds(
  lostAtSeconds: number | null,
  { observation, watchedSeller }: Pick<Input, 'observation' | 'watchedSeller'>,
): number | null {
  const { buybox, atSeconds } = observation;
  if (watchedSeller === null) return null;
  if (buybox === undefined || observation.carried?.buybox) return lostAtSeconds;
  if (buybox?.sellerName === watchedSeller) return 0;
  // The box has a holder that the observation does not name.
  if (buybox !== null && buybox.sellerName === null) return lostAtSeconds;
  return lostAtSeconds === 0 ? atSeconds : lostAtSeconds;
}

type Known = Pick<ConditionState, 'days' | 'lostAtSeconds'> &
  Pick<Input, 'observation' | 'watchedSeller' | 'estimatedUnitsPerDay'>;

/** Everything that is known; what is unknown is missing. */
export function valuesOf({ observation, days, lostAtSeconds, ...watcher }: Known): ConditionValues {
  const { buybox, rank, offers, atSeconds } = observation;
  const landed = (offers ?? []).map(landedCents);
  const units = totalUnits(observation);
  const today = dayOf(atSeconds);
  const cents = buybox?.priceCents;
  const priceOn = (day: number) => days.find(([one]) => one === day)?.[2];
  const values: Partial<Record<ConditionName, number | string | null | undefined>> = {
    price: cents === undefined ? null : cents / 100,
    lowest_offer: landed.length === 0 ? null : Math.min(...landed) / 100,
    stock: units,
    sellers: completeOffers(observation)?.length,
    rank: rank?.position,
    units_per_day: watcher.estimatedUnitsPerDay,
    buybox_seller: buybox === undefined ? null : (buybox?.sellerName ?? (buybox ? null : '')),
    my_seller: watcher.watchedSeller ?? '',
    lost_box_hours:
      lostAtSeconds === null ? null : lostAtSeconds && (atSeconds - lostAtSeconds) / HOUR_SECONDS,
    lowest_in_days: cents === undefined ? null : lowestInDays(days, today, cents),
  };
  for (const [name, count] of CHANGES) {
    const then = priceOn(today - count);
    values[name] = cents === undefined || !then ? null : ((cents - then) / then) * 100;
  }
  const entries = Object.entries(values).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(entries) as ConditionValues;
}

/** Observed days before today since the price was lower. */
function lowestInDays(days: ConditionState['days'], today: number, cents: number): number {
  const earlier = days.filter(([day]) => day < today);
  const lower = earlier.findLastIndex(([, low]) => low < cents);
  const lowToday = days.at(-1)?.[0] === today ? (days.at(-1)?.[1] as number) : cents;
  return lowToday < cents ? 0 : earlier.length - 1 - lower;
}
