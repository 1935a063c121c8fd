// Scores the estimates against known sales in one world. The sales are turned into observations,
// packed and unpacked as the service stores them. A model is fitted to one half of the items and
// scored on the other half, and the other way round.
import { DAY_SECONDS } from '../foundation/time.ts';
import type { Observation } from '../history/observation.ts';
import { packObservations, unpackObservations } from '../history/packed-observations.ts';
import { estimateDays } from './day-estimate.ts';
import { fitMarketModel } from './market-model.ts';
import { addProduct, emptyMarketSums } from './market-sums.ts';
import { habitOf } from './product-habit.ts';
import { stockObservation } from './read-stock-observations.ts';
import { addToScore, emptyScore, type ScoreSums, soldOnEnoughDays } from './sales-score.ts';
import {
  TRIAL_INTERVAL_HOURS,
  type TrialIntervalHours,
  type TrialItem,
  trialItems,
} from './sales-trial.ts';
import type { StockObservation } from './stock-observation.ts';
import type { Sale } from './trial-shelf.ts';
import type { TrialWorld } from './trial-world.ts';

export type WorldTrial = {
  seed: number;
  /** Items that sold on fewer days are used to fit the model, but not scored. */
  soldDaysMin: number;
};

/** Observations wait packed: as objects, a year of hourly ones takes 5 MB per item. */
type WaitingItem = Pick<TrialItem, 'intervalHours' | 'truth' | 'gaps'> & {
  packed: Buffer;
  half: 0 | 1;
};

/** `onProgress` receives the part that is done, after each item. */
export function scoreWorld(
  items: readonly (readonly Sale[])[],
  trial: WorldTrial & { world: TrialWorld },
  onProgress: (part: number) => void,
): Map<TrialIntervalHours, ScoreSums> {
  const halves = [emptyMarketSums(), emptyMarketSums()] as const;
  const waiting: WaitingItem[] = [];
  let learned = 0;
  for (const { observations, half, intervalHours, truth, gaps } of trialItems(items, trial)) {
    const packed = packObservations(observations.map(trialObservationOf));
    addProduct(halves[half], stockObservationsOf(packed));
    if (soldOnEnoughDays(truth.units, trial.soldDaysMin))
      waiting.push({ intervalHours, truth, gaps, half, packed });
    onProgress(++learned / items.length / 2);
  }
  const models = halves.map((sums) => fitMarketModel(sums, 1));
  const scores = new Map(TRIAL_INTERVAL_HOURS.map((hours) => [hours, emptyScore()]));
  for (const [index, item] of waiting.entries()) {
    const model = models[1 - item.half] as (typeof models)[0];
    const observations = stockObservationsOf(item.packed);
    const habit = habitOf(observations, model);
    const days = estimateDays(observations, { model, habit }).map((day) =>
      day.method === 'unknown' ? { ...day, units: null } : day,
    );
    const sums = scores.get(item.intervalHours) as ScoreSums;
    addToScore(sums, item.truth, days, (day) => !isInGap(item, day));
    onProgress(0.5 + (index + 1) / waiting.length / 2);
  }
  return scores;
}

const isInGap = ({ gaps }: WaitingItem, day: number) =>
  gaps.some(
    (gap) => gap.toAtSeconds > day * DAY_SECONDS && gap.fromAtSeconds < (day + 1) * DAY_SECONDS,
  );

const stockObservationsOf = (packed: Buffer): StockObservation[] =>
  unpackObservations(packed).flatMap(stockObservation);

function trialObservationOf(observation: StockObservation): Observation {
  const { atSeconds, offers, offersComplete, rankPosition, rankCategory } = observation;
  return {
    atSeconds,
    buybox: undefined,
    rank:
      rankPosition === null || rankCategory === null
        ? undefined
        : { position: rankPosition, category: rankCategory },
    offers: offers?.map(({ sellerName, units, priceCents }) => ({
      sellerName,
      priceCents,
      shippingCents: 0,
      unitsInStock: units,
    })),
    offersComplete,
  };
}
