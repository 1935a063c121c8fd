// Scoring the estimates of units sold by the trial: true sales become looks, packed and unpacked as the service keeps
// them, all of them teach, and each item's days are compared with the truth.
import type { Observation } from '../history/observation.ts';
import { packObservations, unpackObservations } from '../history/packed-observations.ts';
import { estimateDays } from './day-estimate.ts';
import { fitMarketModel } from './market-model.ts';
import { addProduct, emptyMarketSums } from './market-sums.ts';
import { habitOf } from './product-habit.ts';
import { stockObservation } from './read-stock-observations.ts';
import {
  addToScore,
  emptyScore,
  type Score,
  type ScoreSums,
  scoreOf,
  soldOnEnoughDays,
} from './sales-score.ts';
import {
  type ItemTruth,
  type Sale,
  TRIAL_INTERVAL_HOURS,
  type TrialIntervalHours,
  trialItems,
} from './sales-trial.ts';
import type { StockObservation } from './stock-observation.ts';

export type Trial = {
  seed: number;
  /** Items that sold on fewer days teach, but are not scored. */
  soldDaysMin: number;
  nowSeconds: number;
};

/** null: none of the items looked at so often was scored. */
export type IntervalScore = { intervalHours: TrialIntervalHours; score: Score | null };

/** Looks wait packed: as objects those of a year of hours take 5 MB for one item. */
type Waiting = { intervalHours: TrialIntervalHours; packed: Buffer; truth: ItemTruth };

/** `onProgress` is told how many items have been looked at, and then how many of the same were estimated. */
export function evaluateSales(
  truth: ReadonlyMap<string, readonly Sale[]>,
  trial: Trial,
  onProgress: (done: { learned: number; estimated: number }) => void = () => {},
): IntervalScore[] {
  const learning = emptyMarketSums();
  const waiting: Waiting[] = [];
  let learned = 0;
  for (const { intervalHours, observations, truth: sold } of trialItems(truth, trial)) {
    const packed = packObservations(observations.map(trialObservationOf));
    addProduct(learning, stockObservationsOf(packed));
    if (soldOnEnoughDays(sold.units, trial.soldDaysMin)) {
      waiting.push({ intervalHours, packed, truth: sold });
    }
    onProgress({ learned: ++learned, estimated: 0 });
  }
  const model = fitMarketModel(learning, 1);
  const sums = new Map(TRIAL_INTERVAL_HOURS.map((hours) => [hours, emptyScore()]));
  for (const [index, item] of waiting.entries()) {
    const observations = stockObservationsOf(item.packed);
    const habit = habitOf(observations, model);
    const days = estimateDays(observations, { model, habit });
    addToScore(sums.get(item.intervalHours) as ScoreSums, item.truth, days);
    onProgress({ learned, estimated: Math.round(((index + 1) / waiting.length) * learned) });
  }
  return Array.from(sums, ([intervalHours, sum]) => ({ intervalHours, score: scoreOf(sum) }));
}

const stockObservationsOf = (packed: Buffer): StockObservation[] =>
  unpackObservations(packed).flatMap(stockObservation);

function trialObservationOf({ atSeconds, offers, offersComplete }: StockObservation): Observation {
  return {
    atSeconds,
    buybox: undefined,
    rank: undefined,
    offers: offers?.map(({ sellerName, units, priceCents }) => ({
      ...{ sellerName, priceCents, shippingCents: 0, unitsInStock: units },
    })),
    offersComplete,
  };
}
