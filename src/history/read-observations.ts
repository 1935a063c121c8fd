// Reads a span of observations into one array, for short spans and tests. Use walk-observations for
// histories that may be long.
import type { Observation } from './observation.ts';
import { ALL_TIME, type Span, type WalkDeps, walkObservations } from './walk-observations.ts';

/** The observations of a product within a span, ascending. */
export async function readObservations(
  deps: WalkDeps,
  code: string,
  span: Span = ALL_TIME,
): Promise<Observation[]> {
  const observations: Observation[] = [];
  for await (const observation of walkObservations(deps, code, span))
    observations.push(observation);
  return observations;
}
