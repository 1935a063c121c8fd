// Scores the estimates against known sales. The sales are turned into observations, packed and
// unpacked as the service stores them; a model is fitted to all items, and the days of each item
// are compared.
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
  /** Items that sold on fewer days are used to fit the model, but not scored. */
  soldDaysMin: number;
  nowSeconds: number;
};

/** null: no item with this interval was scored. */
export type IntervalScore = { intervalHours: TrialIntervalHours; score: Score | null };

/** Observations wait packed: as objects, a year of hourly ones takes 5 MB per item. */
type WaitingItem = { intervalHours: TrialIntervalHours; packed: Buffer; truth: ItemTruth };

/** `onProgress` receives the number of items learned, and then of those estimated. */
export function evaluateSales(
  truth: ReadonlyMap<string, readonly Sale[]>,
  trial: Trial,
  onProgress: (done: { learned: number; estimated: number }) => void = () => {},
): IntervalScore[] {
  const marketSums = emptyMarketSums();
  const waiting: WaitingItem[] = [];
  let learned = 0;
  for (const { intervalHours, observations, truth: sold } of trialItems(truth, trial)) {
    const packed = packObservations(observations.map(trialObservationOf));
    addProduct(marketSums, stockObservationsOf(packed));
    if (soldOnEnoughDays(sold.units, trial.soldDaysMin)) {
      waiting.push({ intervalHours, packed, truth: sold });
    }
    onProgress({ learned: ++learned, estimated: 0 });
  }
  const model = fitMarketModel(marketSums, 1);
  const scores = new Map(TRIAL_INTERVAL_HOURS.map((hours) => [hours, emptyScore()]));
  for (const [index, item] of waiting.entries()) {
    const observations = stockObservationsOf(item.packed);
    const habit = habitOf(observations, model);
    const days = estimateDays(observations, { model, habit });
    addToScore(scores.get(item.intervalHours) as ScoreSums, item.truth, days);
    onProgress({ learned, estimated: Math.round(((index + 1) / waiting.length) * learned) });
  }
  return Array.from(scores, ([intervalHours, sums]) => ({ intervalHours, score: scoreOf(sums) }));
}

const stockObservationsOf = (packed: Buffer): StockObservation[] =>
  unpackObservations(packed).flatMap(stockObservation);

function trialObservationOf({ atSeconds, offers, offersComplete }: StockObservation): Observation {
  return {
    atSeconds,
    buybox: undefined,
    rank: undefined,
    offers: offers?.map(({ sellerName, units, priceCents }) => ({
      sellerName,
      priceCents,
      shippingCents: 0,
      unitsInStock: units,
    })),
    offersComplete,
  };
}
