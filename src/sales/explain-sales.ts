// Explains estimates: reads the observations of a range again and estimates its days with a trace.
import { inSlices } from '../background/slices.ts';
import type { WalkDeps } from '../history/walk-observations.ts';
import { readHabit } from './daily-sales.ts';
import { contextOf, type DayRange, estimateSteps } from './day-estimate.ts';
import { type DayExplanation, explanationsOf } from './day-explanation.ts';
import type { MarketModel } from './market-model.ts';
import { HABIT_FORMAT, habitSteps } from './product-habit.ts';
import { walkStockObservations } from './read-stock-observations.ts';
import { createSalesTrace } from './sales-trace.ts';

/** The explanations of the days of a range, both inclusive, that have an estimate. */
export async function explainDays(
  deps: WalkDeps,
  { code, model, range }: { code: string; model: MarketModel; range: DayRange },
): Promise<Map<number, DayExplanation>> {
  const stored = await readHabit(deps.db, code);
  const isCurrent = stored?.version === model.version && stored.format === HABIT_FORMAT;
  const fromAtSeconds = Math.max(0, contextOf(range).fromAtSeconds);
  let observations = await walkStockObservations(deps, code, isCurrent ? fromAtSeconds : 0);
  // The nearest offers before the context may be older.
  const reachesBack = observations.some(
    (one) => one.offers !== undefined && one.atSeconds < fromAtSeconds,
  );
  if (isCurrent && !reachesBack) observations = await walkStockObservations(deps, code);
  const habit = isCurrent ? stored : await inSlices(habitSteps(observations, model));
  const trace = createSalesTrace(range);
  const days = await inSlices(estimateSteps(observations, { model, habit }, range, trace));
  return explanationsOf(
    observations,
    trace.days,
    days.map(({ day }) => day),
  );
}
